"""The page of meetings: unmatched ones come first, with their person to be found; and the service's card."""

from app.core.db import end_read
from app.domain.tasks.meetings import meetings
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, message, only
from tests.domain.tasks.meetings.test_meetings import unmatched
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable

PAGE = "/settings/meetings"


def test_an_unmatched_meeting_is_given_to_a_person_who_is_found(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign, found = a_campaign(acme, ["accepts-ada"], [INVITE, message()]), unmatched(acme)
    assert "Who is this meeting with?" in web.get(PAGE).text
    assert "Assign to Ada" in web.get(f"{PAGE}?meeting={found.id}&q=Ada").text
    assert web.post(f"{PAGE}/{found.id}/assign", person=str(only(campaign).person_id)).status_code == 303
    end_read()
    assert meetings.get(acme, found.id).person_id == only(campaign).person_id
    assert "Who is this meeting with?" not in web.get(PAGE).text


def test_a_meeting_of_no_one_of_ours_is_dismissed(web: Web, acme: Workspace) -> None:
    found = unmatched(acme)
    assert web.post(f"{PAGE}/{found.id}/dismiss").status_code == 303
    must_have(web.get(PAGE), "dismissed", without="Who is this meeting with?")
