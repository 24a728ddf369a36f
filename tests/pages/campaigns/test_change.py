"""Hours, senders and lists of a campaign on its way, in its pages: the effect first, then the change, then the undo."""

import html
from typing import Any

import pytest

from app.core.db import end_read, transaction
from app.domain.campaigns.changes import change_lists, revision_log
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, fresh, message
from tests.pages.conftest import Web, must_have


@pytest.fixture
def campaign(acme: Workspace, clock: Any) -> Campaign:
    """Some people wait for their invitation."""
    found = a_campaign(acme, [f"accepts-p{number}" for number in range(8)], [INVITE, message("First")])
    end_read()
    return found


def form(campaign: Campaign, **changed: Any) -> dict[str, Any]:
    """The form as it is sent."""
    fields = {
        "schedule.timezone": campaign.timezone,
        "schedule.days": [str(day) for day in campaign.days],
        "schedule.startTime": campaign.start_time,
        "schedule.endTime": campaign.end_time,
        "schedule.holidays": "1",
        "accountIds": [str(one) for one in campaign.account_ids],
        "listIds": [str(campaign.list_id)],
        "stranded": "wait",
    }
    return fields | changed


def test_rules_say_for_how_many_they_change_what(web: Web, acme: Workspace, campaign: Campaign) -> None:
    later = a_campaign(acme, ["accepts-p1", "accepts-other"], [INVITE], name="Later")
    forward(acme, days=1)
    end_read()
    rules = {"exclude.contactedDays": "90", "exclude.companyDays": "0"}
    must_have(web.post(f"/campaigns/{later.id}/exclusions", rules), "Save this change?", "Now left out: contacted")
    rules["exclude.contactedDays"] = "0"
    with transaction() as current:
        current.get_one(Campaign, later.id).contact_rules = {"contacted_days": 90}
    end_read()
    must_have(web.post(f"/campaigns/{later.id}/exclusions", rules), "No longer left out: contacted")


def test_buttons_of_the_hours_change_the_form_and_save_nothing(web: Web, campaign: Campaign, acme: Workspace) -> None:
    base = f"/campaigns/{campaign.id}/changes"
    assert 'name="schedule.windows[1].start"' in html.unescape(web.post(base, form(campaign, do="add-hours")).text)
    assert 'name="schedule.blackouts[0].name"' in web.post(base, form(campaign, do="add-blackout")).text
    end_read()
    assert revision_log.newest(fresh(campaign), 5) == []
    web.post(base, form(campaign))
    end_read()
    assert revision_log.newest(fresh(campaign), 5) == []
    refused = web.post(base, form(campaign, accountIds=[]))
    assert refused.status_code == 422
    assert "Choose at least one sender." in html.unescape(refused.text)


def test_hours_senders_and_lists_change_with_their_effect_and_come_back(
    web: Web, campaign: Campaign, acme: Workspace
) -> None:
    base = f"/campaigns/{campaign.id}/changes"
    first, second = accounts.every(acme)[:2]
    changed = form(campaign, accountIds=[str(second.id)], **{"schedule.endTime": "16:30"})
    effect = html.unescape(web.post(f"{base}/effect", changed, htmx=True).text)
    must_have(effect, "Hours", "Who takes over", f"From {first.name}", "8 people continue with another sender.")
    web.post(base, changed)
    assert (fresh(campaign).end_time, fresh(campaign).account_ids) == ("16:30", [second.id])
    web.post(f"{base}/1/undo")
    assert fresh(campaign).end_time == "23:59"
    must_have(web.get(base), "Undone by change 3.", f"Joined: {second.name}")
    campaign = fresh(campaign)
    more = a_list(acme, ["accepts-new"], "More")
    end_read()
    web.post(base, form(campaign, listIds=[str(campaign.list_id), str(more), ""]))
    end_read()
    assert change_lists.list_ids(fresh(campaign)) == [campaign.list_id, more]
    assert "Added: More" in web.get(base).text
    assert f'href="/lists/{more}">More</a>' in web.get(f"/campaigns/{campaign.id}/settings").text
