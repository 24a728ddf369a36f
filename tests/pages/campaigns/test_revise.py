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
from tests.pages.conftest import Web

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


def test_a_revision_shows_its_effect_before_it_is_saved(web: Web, campaign: Campaign) -> None:
    """From the tab to the form, the people it concerns, and back."""
    base = f"/campaigns/{campaign.id}/sequence"
    assert f"{base}/edit" in web.get(base).text
    page = html.unescape(web.get(f"{base}/edit").text)
    assert page.count("People had it") == 2
    assert "No changes yet." in page
    seen = html.unescape(web.post(f"{base}/effect", form(), htmx=True).text)
    assert "New text in step 3" in seen
    assert f"/campaigns/{campaign.id}/people?show=at&step=3" in seen
    assert "1 person" in seen
    answer = web.post(f"{base}/edit", form())
    assert answer.status_code == 303
    page = web.get(answer.location).text
    assert "Changes saved. 1 person gets the change." in page
    assert "2nd" in page
    assert fresh(campaign).sequence[2]["message"] == "2nd"


def test_buttons_change_the_form_and_nothing_else(web: Web, campaign: Campaign) -> None:
    """Adding, moving and looking are no change of the campaign."""
    base = f"/campaigns/{campaign.id}/sequence/edit"
    added = web.post(base, form(do="add:2:view_profile"), htmx=True)
    assert added.status_code == 200
    assert "Step 3 added." in added.text
    assert "Added at 3: View profile" in added.text
    assert web.post(base, form(do="preview")).status_code == 200
    assert fresh(campaign).sequence == STEPS


def test_what_is_not_possible_is_marked_where_it_stands(web: Web, campaign: Campaign) -> None:
    """With what was typed, and nothing is changed."""
    for changed, place, sentence in [
        ({"sequence[0].type": "view_profile"}, "step-bbbbbbbb", "Add a connection request before this message."),
        ({"sequence[2].message": ""}, "text-cccccccc", "Write the text of this step."),
        ({"applyTo": "some"}, "f-applyTo", "Use new"),
    ]:
        answer = web.post(f"/campaigns/{campaign.id}/sequence/edit", form(**changed))
        assert answer.status_code == 422
        page = html.unescape(answer.text)
        assert f'href="#{place}"' in page
        assert sentence in page
        assert fresh(campaign).revision == 0


def test_what_has_ended_and_what_is_a_draft_is_not_changed_here(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """There is no button, and the address leads back."""
    campaigns.cancel(acme, campaign.id)
    base = f"/campaigns/{campaign.id}/sequence"
    assert f"{base}/edit" not in web.get(base).text
    assert web.get(f"{base}/edit").location == base
    answer = web.post(f"{base}/edit", form())
    assert answer.status_code == 409
    assert "A canceled campaign can&#39;t be changed on its way." in answer.text


def test_a_list_joins_a_running_campaign(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """The form names what is missing; the answer says who joined."""
    more = a_list(acme, ["new-eve", "accepts-ada"], "More")
    base = f"/campaigns/{campaign.id}/people"
    assert f"{base}/add" in web.get(base).text
    refused = web.post(f"{base}/add", listId="")
    assert refused.status_code == 422
    assert "Choose a list." in refused.text
    answer = web.post(f"{base}/add", listId=more)
    page = web.get(answer.location).text
    assert "1 person joined. 1 person was already in it." in page
    assert set(everyone(campaign)) == {"accepts-ada", "new-eve"}
    campaigns.pause(acme, campaign.id)
    assert f"{base}/add" not in web.get(base).text
    assert web.get(f"{base}/add").location == base
    assert web.post(f"{base}/add", listId=more).status_code == 409


def test_people_are_left_out(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """Without scripts only after a question."""
    person = only(campaign)
    base = f"/campaigns/{campaign.id}/people"
    assert "Exclude" in web.get(f"{base}/{person.id}").text
    assert "Exclude 1 person?" in web.post(base, do=f"exclude:{person.id}").text
    assert only(campaign).state == "active"
    assert web.post(base, do=f"exclude:{person.id}", sure="1").status_code == 303
    assert (only(campaign).state, only(campaign).reason) == ("excluded", "excluded_by_you")


def test_people_are_exported_as_they_are_filtered(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """The address of the file carries the filter of the page."""
    base = f"/campaigns/{campaign.id}"
    assert f"{base}/people.csv?show=active" in html.unescape(web.get(f"{base}/people?show=active").text)
    rows = [
        list(csv.DictReader(io.StringIO(web.get(f"{base}/people.csv?show={show}").text.lstrip("\ufeff"))))
        for show in ("active", "paused")
    ]
    assert [len(found) for found in rows] == [1, 0]
    assert rows[0][0]["publicId"] == "accepts-ada"


def test_a_campaign_foretells_when_it_would_finish(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """As a piece that its page loads, and as a page with every day."""
    path = f"/campaigns/{campaign.id}/forecast"
    assert f'hx-get="{path}"' in web.get(f"/campaigns/{campaign.id}").text
    piece = web.get(path, htmx=True).text
    assert "Would finish around" in piece
    assert "<html" not in piece
    assert "Day by day" in web.get(path).text
    assert "Day by day" in web.get(f"{path}?days=1", htmx=True).text
    draft = a_campaign(acme, ["never-bob"], STEPS, start=False, name="Draft")
    assert f"/campaigns/{draft.id}/forecast" in web.get(f"/campaigns/{draft.id}").text
    assert "If 30% accept" not in (waits := web.get(f"/campaigns/{draft.id}/forecast").text)
    assert f'hx-get="/campaigns/{draft.id}/forecast?days=1"' in waits
    assert "If 30% accept" in web.get(f"/campaigns/{draft.id}/forecast?now=1").text
    assert "If 30% accept" in web.get(f"/campaigns/{draft.id}/forecast").text
    campaigns.cancel(acme, campaign.id)
    assert "No one left to contact." in web.get(f"{path}?now=1").text


def test_a_person_sees_their_dates(web: Web, campaign: Campaign) -> None:
    """The next step with the earliest moment."""
    page = web.get(f"/campaigns/{campaign.id}/people/{only(campaign).id}").text
    assert "at the earliest" in page
    assert "Second" in page
