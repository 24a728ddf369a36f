"""Answers marked by hand over `/v1`: with the effect of a reply, and taken back with `none`."""

from datetime import timedelta
from typing import Any

import pytest

from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message, only
from tests.support.clients import Api, paths


@pytest.fixture
def person(acme: Workspace) -> int:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message(), message("Again", days=9)])
    forward(acme, days=2)
    return only(campaign).person_id


def told(answer: Any) -> tuple[str, bool, bool]:
    """The answer that is kept, and whether there is a reply and a day to come back."""
    assert answer.status_code == 200, answer.json
    return answer.json["answer"], bool(answer.json["repliedAt"]), bool(answer.json["comeBackAt"])


def test_a_mark_is_set_and_taken_back_and_not_now_has_a_day(api: Api, acme: Workspace, person: int) -> None:
    path = f"people/{person}/answer"
    assert told(api.post(path, {"answer": "replied_elsewhere"})) == ("replied_elsewhere", True, False)
    assert told(api.post(path, {"answer": "met"})) == ("met", True, False)
    assert told(api.post(path, {"answer": "none"})) == ("replied_elsewhere", True, False)
    assert told(api.post(path, {"answer": "none"})) == ("none", False, False)
    day = (acme.now() + timedelta(days=30)).date()
    answer = api.post(f"people/{person}/answer", {"answer": "not_now", "until": day.isoformat()})
    assert told(answer) == ("not_now", True, True)
    assert answer.json["comeBackAt"].startswith(day.isoformat())
    assert answer.json["personId"] == person


def test_wrong_bodies_are_refused_by_field(api: Api, person: int) -> None:
    for body, field in [
        ({"answer": "met", "until": "2099-01-01"}, "until"),
        ({"answer": "not_now", "until": "2001-01-01"}, "until"),
        ({"answer": "not_now", "until": "soon"}, "until"),
    ]:
        assert paths(api.post(f"people/{person}/answer", body)) == [field]


def test_who_answered_themselves_is_not_undone(api: Api, acme: Workspace) -> None:
    campaign = a_campaign(acme, ["replies-positive-bo"], [INVITE, message()])
    forward(acme, days=3)
    assert api.post(f"people/{only(campaign).person_id}/answer", {"answer": "none"}).status_code == 409
