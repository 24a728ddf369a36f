"""Changing steps on the way, adding people, forecasts and exports in the pages of a campaign."""

import csv
import html
import io
from typing import Any

import pytest

from app.core.db import end_read
from app.domain.campaigns import campaigns
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, everyone, forward, fresh, message, only
from tests.pages.conftest import Web, must_have

STEPS = [INVITE, message("First"), message("Second", days=2)]


def form(**changed: Any) -> dict[str, Any]:
    """The steps as the form sends them."""
    fields = {
        "do": "save",
        "applyTo": "all",
        "sequence[0].type": "connection_request",
        "sequence[0].key": "aaaaaaaa",
        "sequence[1].type": "message",
        "sequence[1].key": "bbbbbbbb",
        "sequence[1].message": "First",
        "sequence[2].type": "message",
        "sequence[2].key": "cccccccc",
        "sequence[2].message": "2nd",
        "sequence[2].delay.value": "2",
        "sequence[2].delay.unit": "days",
    }
    return fields | changed


@pytest.fixture
def campaign(acme: Workspace, clock: Any) -> Campaign:
    """One person waits for the third step."""
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    forward(acme, days=2)
    end_read()
    return campaign


def test_steps_on_the_way_change_only_by_a_valid_save(web: Web, campaign: Campaign, acme: Workspace) -> None:
    base = f"/campaigns/{campaign.id}/sequence/edit"
    added = web.post(base, form(do="add:2:view_profile"), htmx=True)
    must_have(added, 200, "Step 3 added.", "Step 3 added: View profile")
    assert web.post(base, form(do="preview")).status_code == 200
    assert fresh(campaign).sequence == STEPS
    for changed, place, sentence in [
        ({"sequence[0].type": "view_profile"}, "step-bbbbbbbb", "Add a connection request before this message."),
        ({"sequence[2].message": ""}, "text-cccccccc", "Write the text of this step."),
        ({"applyTo": "some"}, "f-applyTo", "Use new"),
    ]:
        answer = web.post(f"/campaigns/{campaign.id}/sequence/edit", form(**changed))
        assert answer.status_code == 422
        must_have(html.unescape(answer.text), f'href="#{place}"', sentence)
        assert fresh(campaign).revision == 0
    campaigns.cancel(acme, campaign.id)
    base = f"/campaigns/{campaign.id}/sequence"
    assert f"{base}/edit" not in web.get(base).text
    assert web.get(f"{base}/edit").location == base
    must_have(web.post(f"{base}/edit", form()), 409, "A canceled campaign can&#39;t be changed.")


def test_a_list_joins_a_running_campaign(web: Web, acme: Workspace, campaign: Campaign) -> None:
    more = a_list(acme, ["new-eve", "accepts-ada"], "More")
    base = f"/campaigns/{campaign.id}/people"
    assert f"{base}/add" in web.get(base).text
    must_have(web.post(f"{base}/add", listId=""), 422, "Choose a list.")
    answer = web.post(f"{base}/add", listId=more)
    assert "1 person joined. 1 person was already in this campaign." in web.get(answer.location).text
    assert set(everyone(campaign)) == {"accepts-ada", "new-eve"}
    campaigns.pause(acme, campaign.id)
    assert f"{base}/add" not in web.get(base).text
    assert web.get(f"{base}/add").location == base
    assert web.post(f"{base}/add", listId=more).status_code == 409


def test_a_campaign_foretells_when_it_would_finish(web: Web, acme: Workspace, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.id}/forecast"
    assert f'hx-get="{path}"' in web.get(f"/campaigns/{campaign.id}").text
    must_have(web.get(path, htmx=True), "Finishes around", without="<html")
    assert "Day by day" in web.get(path).text
    assert "Day by day" in web.get(f"{path}?days=1", htmx=True).text
    draft = a_campaign(acme, ["never-bob"], STEPS, start=False, name="Draft")
    assert f"/campaigns/{draft.id}/forecast" in web.get(f"/campaigns/{draft.id}").text
    assert "Assumes that 30% accept" not in (waits := web.get(f"/campaigns/{draft.id}/forecast").text)
    assert f'hx-get="/campaigns/{draft.id}/forecast?days=1"' in waits
    assert "Assumes that 30% accept" in web.get(f"/campaigns/{draft.id}/forecast?now=1").text
    assert "Assumes that 30% accept" in web.get(f"/campaigns/{draft.id}/forecast").text
    campaigns.cancel(acme, campaign.id)
    assert "No one left to contact." in web.get(f"{path}?now=1").text


def test_people_see_their_dates_are_exported_as_filtered_and_left_out(
    web: Web, campaign: Campaign, acme: Workspace
) -> None:
    must_have(web.get(f"/campaigns/{campaign.id}/people/{only(campaign).id}"), "at the earliest", "Second")
    base = f"/campaigns/{campaign.id}"
    assert f"{base}/people.csv?show=active" in html.unescape(web.get(f"{base}/people?show=active").text)
    rows = [
        list(csv.DictReader(io.StringIO(web.get(f"{base}/people.csv?show={show}").text.lstrip("\ufeff"))))
        for show in ("active", "paused")
    ]
    assert [len(found) for found in rows] == [1, 0]
    assert rows[0][0]["publicId"] == "accepts-ada"
    person = only(campaign)
    base = f"/campaigns/{campaign.id}/people"
    assert "Exclude 1 person?" in web.post(base, do=f"exclude:{person.id}").text
    assert only(campaign).state == "active"
    assert web.post(base, do=f"exclude:{person.id}", sure="1").status_code == 303
    assert (only(campaign).state, only(campaign).reason) == ("excluded", "excluded_by_you")
