"""When senders act, in a real browser: hours, holidays and blackout dates of a campaign."""

from playwright.sync_api import Page, Route, expect

from app.core.db import end_read
from app.domain.campaigns import campaigns
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import ALWAYS, VIEW, a_campaign, a_list, fresh
from tests.e2e.browsing import fits, loaded
from tests.e2e.campaigns.editor import done, select, sheet


def the_campaign(workspace: Workspace) -> Campaign:
    [found] = campaigns.newest(workspace)
    return fresh(campaigns.get(workspace, found.id))


def test_a_schedule_has_several_hours_blackout_dates_and_new_people_a_day(ada: Page, acme: Workspace) -> None:
    """Added and removed in the form; what is wrong stands at its field, and what was typed stays."""
    a_list(acme, ["ignores-ada"], "Customers")
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Spring")
    ada.get_by_label("List", exact=True).select_option(label="Customers (1 person)")
    select(ada, 2).get_by_label("Text").fill("Hello")
    schedule = sheet(ada, "Hours")
    schedule.get_by_label("Until", exact=True).first.fill("12:00")
    schedule.get_by_role("button", name="Add hours").click()
    more = schedule.get_by_role("group", name="Hours 2", exact=True)
    expect(more.get_by_label("From")).to_have_value("12:00")
    expect(more.get_by_label("From")).to_be_focused()
    more.get_by_label("From").fill("13:30")
    more.get_by_label("Fri", exact=True).uncheck()
    schedule.get_by_role("button", name="Add hours").click()
    schedule.get_by_role("button", name="Remove hours 3").click()
    expect(schedule.get_by_role("group", name="Hours 3")).to_have_count(0)
    schedule.get_by_label("Use each person's own time zone").check()
    expect(schedule.get_by_label("Skip public holidays")).to_be_checked()
    schedule.get_by_role("button", name="Add blackout dates").click()
    dates = schedule.get_by_role("group", name="Blackout dates 1")
    dates.get_by_label("From").fill("2026-12-28")
    dates.get_by_label("Until").fill("2026-12-27")
    schedule.get_by_label("New people a day").fill("0")
    done(ada)
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_text("The last day can't be before the first.").first).to_be_visible()
    expect(dates.get_by_text("Enter a name of 1 to 200 characters.")).to_be_visible()
    expect(schedule.get_by_text("Use a whole number from 1 to 10,000, or leave it blank.")).to_be_visible()
    dates.get_by_label("Name").fill("Trade fair")
    dates.get_by_label("Until").fill("2026-12-30")
    schedule.get_by_label("New people a day").fill("25")
    fits(ada)
    done(ada)
    ada.get_by_role("button", name="Save draft").click()
    loaded(ada, "Spring")
    expect(ada.get_by_text("Mon–Fri, 09:00–12:00; Mon–Thu, 13:30–17:30, in each person's time zone")).to_be_visible()
    campaign = the_campaign(acme)
    assert campaign.windows == [
        {"days": [1, 2, 3, 4, 5], "start": "09:00", "end": "12:00"},
        {"days": [1, 2, 3, 4], "start": "13:30", "end": "17:30"},
    ]
    assert campaign.blackouts == [{"name": "Trade fair", "firstDay": "2026-12-28", "lastDay": "2026-12-30"}]
    assert (campaign.recipient_time, campaign.holidays, campaign.new_per_day) == (True, True, 25)
    ada.get_by_role("link", name="Edit", exact=True).click()
    sheet(ada, "Hours").get_by_label("Skip public holidays").uncheck()
    ada.get_by_role("button", name="Remove blackout dates 1").click()
    expect(ada.get_by_role("group", name="Blackout dates 1")).to_have_count(0)
    done(ada)
    ada.get_by_role("button", name="Save draft").click()
    loaded(ada, "Spring")
    campaign = the_campaign(acme)
    assert (campaign.blackouts, campaign.holidays) == (None, False)


def test_saving_before_a_removal_is_answered_saves_without_what_was_removed(ada: Page, acme: Workspace) -> None:
    """Save waits for the form that the removal brings back."""
    days = [{"name": "Trade fair", "firstDay": "2026-12-28", "lastDay": "2026-12-30"}]
    a_campaign(acme, ["ignores-ada"], [VIEW], start=False, name="Spring", schedule={**ALWAYS, "blackouts": days})
    campaign = the_campaign(acme)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/edit")
    sheet(ada, "Hours")
    held: list[Route] = []
    ada.route(f"**/campaigns/{campaign.id}/edit", lambda route: route.continue_() if held else held.append(route))
    with ada.expect_request(f"**/campaigns/{campaign.id}/edit"):
        ada.get_by_role("button", name="Remove blackout dates 1").click()
    done(ada)
    ada.get_by_role("button", name="Save draft").click()
    held[0].continue_()
    loaded(ada, "Spring")
    assert the_campaign(acme).blackouts is None
