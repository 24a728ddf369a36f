"""Searches of the network read into a list over `/v1`."""

from collections.abc import Iterator

import pytest

from app.core.db import session
from app.domain.senders import accounts
from app.models.leads import LeadList, SearchImport
from app.models.workspaces import Workspace
from tests.support.clients import Api
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, read_out, showing


@pytest.fixture
def shown() -> Iterator[Shown]:
    with showing(Shown(people=30, hidden=10)) as shown:
        yield shown


def test_a_search_is_started_followed_and_found_again(
    api: Api, acme: Workspace, founders: LeadList, shown: Shown, clock: Movable
) -> None:
    body = {"address": ADDRESS + "&page=2", "accountId": accounts.every(acme)[0].id, "most": 25}
    answer = api.post(f"lists/{founders.id}/search-imports", body)
    assert answer.status_code == 202
    assert answer.json | {"id": 0, "createdAt": ""} == {
        **{"id": 0, "listId": founders.id, "accountId": body["accountId"], "address": ADDRESS},
        **{"kind": "people_search", "state": "running", "most": 25, "total": None},
        **{"read": 0, "added": 0, "updated": 0, "skipped": 0, "invalid": 0},
        **{"waitsFor": "", "waitsUntil": None, "error": "", "createdAt": "", "finishedAt": None},
    }
    found = answer.json["id"]
    read_out(acme, clock, session().get_one(SearchImport, found))
    done = api.get(f"search-imports/{found}").json
    assert (done["state"], done["read"], done["added"], done["invalid"], done["total"]) == ("done", 25, 23, 2, 30)
    assert [one["id"] for one in api.get(f"lists/{founders.id}/search-imports").json["data"]] == [found]
    assert api.post(f"search-imports/{found}/cancel").status_code == 409
