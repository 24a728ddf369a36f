"""A split is built, run and read in a real browser; without a mouse."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session, transaction
from app.domain.campaigns import campaigns
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.engine.test_branches import started
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, forward, fresh, message
from tests.e2e.browsing import loaded
from tests.e2e.campaigns.editor import select, tool


@pytest.fixture
def people(acme: Workspace) -> None:
    """A list of someone who accepts and someone who does not."""
    a_list(acme, ["accepts-ada", "ignores-bo"])
    end_read()


def press(page: Page, name: str) -> None:
    """Press a button with the keyboard."""
    page.get_by_role("button", name=name, exact=True).press("Enter")


def the_campaign() -> Campaign:
    """The only one there is, as it is by now."""
    found = session().scalars(sa.select(Campaign)).one()
    end_read()
    return found


@pytest.mark.usefixtures("people")
def test_a_split_is_built_by_keyboard_and_people_take_both_sides(ada: Page, acme: Workspace) -> None:
    """Mistakes are shown at the split, and nothing that was typed is lost; who took which side is read afterwards."""
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Two ways")
    ada.get_by_label("List", exact=True).select_option(label="People (2 people)")
    select(ada, 2).get_by_label("Text").fill("Thanks for connecting")
    press(ada, "Add a step after step 2")
    press(ada, "Email")
    expect(ada.locator(".panel.open").get_by_label("Subject")).to_be_focused()
    ada.keyboard.type("Hello")
    ada.locator(".panel.open").get_by_label("Text").fill("As we did not connect")
    press(ada, "Add a step after step 1")
    press(ada, "Split in two")
    expect(ada.get_by_role("heading", name="Two paths")).to_be_visible()
    tool(ada, 3, "Move step {} down")
    other = ada.locator(".branch-side.no")
    expect(other.get_by_role("link", name="3 Email")).to_be_visible()
    within = ada.get_by_role("spinbutton", name="within")
    ada.get_by_role("link", name="Two paths").press("Enter")
    within.fill("30")
    press(ada, "Save draft")
    expect(ada.locator(".panel.open")).to_contain_text("The connection request is withdrawn after 21 days.")
    within.fill("4")
    press(ada, "Save draft")
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    campaign = the_campaign()
    when = {"is": "accepted", "within": {"value": 4, "unit": "days"}}
    assert campaign.branches == [{"at": 1, "otherwise": 2, "join": 3, "when": when}]
    campaigns.start(acme, campaign.id)
    forward(acme, days=10)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/sequence")
    loaded(ada, "Two ways: steps")
    expect(ada.locator(".branch-side.yes")).to_contain_text("Accepted within 4 days")
    expect(ada.locator(".branch-side.yes")).to_contain_text("Sent 1")
    expect(other).to_contain_text("Sent 1")
    other.get_by_role("link", name="1", exact=True).first.click()
    ada.locator("#main").get_by_role("link", name="Bo").first.click()
    expect(ada.locator("#route")).to_contain_text(re.compile("did not accept within 4 days", re.IGNORECASE))


def test_a_running_split_changes_its_texts_and_replies_get_rules(ada: Page, acme: Workspace) -> None:
    """It keeps its places; a draft's split can be removed."""
    steps = [INVITE, message("Thanks"), email("No luck"), VIEW]
    campaign = started(acme, ["ignores-bo"], steps)
    forward(acme, days=1)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/sequence/edit")
    expect(ada.get_by_role("button", name="Remove split")).to_have_count(0)
    select(ada, 3).get_by_label("Text").fill("Better luck")
    press(ada, "Save changes")
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    end_read()
    assert fresh(campaign).sequence[2]["message"] == "Better luck"
    assert len(fresh(campaign).branches or []) == 1
    copy = campaigns.duplicate(acme, campaign.id)
    end_read()
    ada.goto(f"/campaigns/{copy.id}/edit")
    ada.get_by_role("link", name="Two paths").press("Enter")
    press(ada, "Remove split")
    expect(ada.locator(".forked")).to_have_count(0)
    ada.goto(f"/campaigns/{campaign.id}/settings")
    ada.locator("#after-reply").get_by_role("link", name="Change").click()
    press(ada, "Add rule")
    expect(ada.get_by_text("Use 1 to 200 characters.")).to_be_visible()
    ada.get_by_label("Tag, task or notification text").fill("hot")
    press(ada, "Add rule")
    expect(ada.locator("#rules")).to_contain_text("Positive reply: add the tag hot")
    press(ada, "Remove rule 1")
    expect(ada.locator("#rules")).to_contain_text("No rules yet")


FOLLOW, LATER = {"type": "follow"}, {**VIEW, "delay": {"value": 4, "unit": "days"}}
CONDITIONS: list[tuple[str, list[dict[str, Any]], dict[str, str], str]] = [
    ("connected", [INVITE, LATER, FOLLOW], {}, "is connected"),
    ("has_email", [VIEW, FOLLOW], {}, "has an email address"),
    ("has_profile", [email("First"), email("Second", days=1)], {}, "has a profile"),
    ("tag", [VIEW, FOLLOW], {"Tag": "vip"}, "has the tag vip"),
    ("custom_field", [VIEW, FOLLOW], {"Field": "tier", "Value (blank: any)": "gold"}, "has gold as tier"),
    ("signal", [VIEW, FOLLOW], {"Signal": "hiring"}, "has the signal hiring"),
    ("sender", [VIEW, FOLLOW], {"Sender": "sales_navigator"}, "has a sender with Sales Navigator"),
]


def test_each_condition_is_chosen_in_the_builder(ada: Page, acme: Workspace) -> None:
    """Its fields appear, the draft says for whom the step is, and the campaign may start with it."""
    person = {"publicId": "ada", "firstName": "Ada", "email": "ada@q.example", "customFields": {"tier": "gold"}}
    listed = a_list(acme, [person])
    senders = [sender.id for sender in accounts.every(acme)[:2]]
    with transaction() as current:
        current.get_one(Account, senders[0]).has_sales_navigator = True
    for kind, steps, filled, words in CONDITIONS:
        campaign = a_campaign(acme, listed, steps, start=False, senders=senders, name=kind)
        end_read()
        ada.goto(f"/campaigns/{campaign.id}/edit")
        select(ada, len(steps)).get_by_role("button", name="Only for some people").click()
        condition = ada.get_by_role("group", name="Condition")
        condition.get_by_label("Condition", exact=True).select_option(kind)
        for label, value in filled.items():
            field = condition.get_by_label(label, exact=True)
            if label in ("Signal", "Sender"):
                field.select_option(value)
            else:
                field.fill(value)
        press(ada, "Save draft")
        expect(ada.get_by_text("Draft saved.")).to_be_visible()
        expect(ada.get_by_text(f"Only if the person {words}")).to_be_visible()
        expect(ada.get_by_role("button", name="Start in sandbox")).to_be_visible()
