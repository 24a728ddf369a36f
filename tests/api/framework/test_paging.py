"""Pages over HTTP: a walk sees every row that was there all the time, once, whatever happens meanwhile."""

from collections.abc import Callable, Iterator

import pytest

from app.domain.leads import leads, lists
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, a_list
from tests.support.clients import Api, paths

pytestmark = pytest.mark.postgres

Between = Callable[[int], object]


def walk(api: Api, path: str, between: Between = lambda page: None, **query: object) -> Iterator[int]:
    """The ids of all pages; `between` is called with the number of each page that was read."""
    cursor, number = "", 0
    while True:
        answer = api.get(path, cursor=cursor, **query).json
        assert len(answer["data"]) > 0 or number == 0, "an empty page after a full one"
        yield from [row["id"] for row in answer["data"]]
        cursor, number = answer["nextCursor"], number + 1
        if not cursor:
            return
        between(number)


def people(count: int, start: int = 0) -> list[str]:
    return [f"person-{number}" for number in range(start, start + count)]


def test_a_page_holds_25_rows_and_the_last_has_no_cursor(api: Api, acme: Workspace) -> None:
    path = f"lists/{a_list(acme, people(60))}/leads"
    first = api.get(path).json
    assert [row["publicId"] for row in first["data"]] == people(25)
    ids = list(walk(api, path))
    assert (len(ids), ids) == (60, sorted(set(ids)))
    for count in (0, 1, 24, 25, 26, 50):  # no last page is empty, also when the rows fill the pages exactly
        assert len(list(walk(api, f"lists/{a_list(acme, people(count), str(count))}/leads"))) == count


def test_a_limit_is_served_up_to_a_hundred(api: Api, acme: Workspace) -> None:
    path = f"lists/{a_list(acme, people(130))}/leads"
    lengths = {limit: len(api.get(path, limit=limit).json["data"]) for limit in ("1", "99", "100", "101", "9" * 50)}
    assert lengths == {"1": 1, "99": 99, "100": 100, "101": 100, "9" * 50: 100}
    for limit in ("0", "-1", "1.5", "x", "", "٣", " 1", "1e1", "+1"):
        assert paths(api.get(path, limit=limit)) == ["limit"]


def test_every_problem_of_a_query_is_named(api: Api, acme: Workspace) -> None:
    """At once; what is given twice is one, and so is a parameter that we don't know."""
    path = f"campaigns/{a_campaign(acme).id}/leads"
    answer = api.get(path, limit=0, cursor="x", state="asleep", colour="red")
    assert {one["path"] for one in answer.json["error"]["fields"]} == {"limit", "cursor", "state", "colour"}
    answer = api.get(path, limit=[1, 2], state=["active", "paused"])
    assert {one["path"] for one in answer.json["error"]["fields"]} == {"limit", "state"}


def test_a_walk_in_insertion_order_skips_and_repeats_nothing(api: Api, acme: Workspace) -> None:
    """Others add behind it and delete before it, around it and at its very place."""
    list_id = a_list(acme, people(40))
    before = list(walk(api, f"lists/{list_id}/leads", limit=40))
    gone: list[int] = []

    def others(page: int) -> None:
        leads.add(acme, list_id, [{"publicId": one} for one in people(3, start=100 * page)])
        doomed = [before[page * 10 - 1], before[page * 10 - 5], before[-page]]
        gone.extend(doomed)
        leads.remove(acme, list_id, doomed)

    seen = list(walk(api, f"lists/{list_id}/leads", others, limit=10))
    assert seen == sorted(set(seen))
    assert set(before) - set(gone) <= set(seen)
    assert len(set(seen) - set(before)) == len(gone) > 0


def test_a_walk_newest_first_does_not_see_what_comes_later(api: Api, acme: Workspace) -> None:
    """New lists would be on the first page; and it goes on although the last row it saw is gone."""
    before = [lists.create_list(acme, f"List {number}").id for number in range(12)]

    def others(page: int) -> None:
        lists.create_list(acme, "Later")
        lists.delete_list(acme, before[-5 * page])

    assert list(walk(api, "lists", others, limit=5)) == before[::-1]
