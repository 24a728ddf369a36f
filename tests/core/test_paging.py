"""Windows and their cursors."""

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from app.core import crypto
from app.core.db import transaction
from app.core.errors import InvalidRequest
from app.core.paging import Window, page
from app.models.leads import LeadList
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres

SCOPE = (1, "/v1/lists")


@pytest.fixture(autouse=True, scope="module")
def _secret() -> None:
    """Cursors are signed."""
    crypto.use_secret("a key for tests, as long as a key must be")


def of(cursor: str, *scope: object) -> int | None:
    """After which id the page of that cursor begins."""
    return Window.of({"cursor": cursor}, scope or SCOPE).last


def test_a_cursor_leads_to_where_it_was_made() -> None:
    """A cursor leads to where it was made."""
    window = Window.of({}, SCOPE)
    assert (window.limit, window.cursor) == (25, "")
    assert of(window.after(17)) == 17


@given(st.integers(0, 2**63 - 1))
def test_every_id_comes_back(row_id: int) -> None:
    """Whatever its size; and a cursor is short and fits into an address as it is."""
    cursor = Window.of({}, SCOPE).after(row_id)
    assert of(cursor) == row_id
    assert len(cursor) <= 200
    assert cursor.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=60))
def test_what_we_did_not_make_is_refused(text: str) -> None:
    """Also when it decodes to something."""
    if text:
        with pytest.raises(InvalidRequest):
            of(text)


@given(st.integers(0, 2**31), st.integers(0, 31), st.characters(codec="ascii"))
def test_a_changed_cursor_is_refused(row_id: int, at: int, sign: str) -> None:
    """Every character counts."""
    cursor = Window.of({}, SCOPE).after(row_id)
    changed = cursor[:at] + sign + cursor[at + 1 :]
    if changed != cursor:
        with pytest.raises(InvalidRequest):
            of(changed)


@pytest.mark.parametrize("scope", [(2, "/v1/lists"), (1, "/v1/campaigns"), (1, "/v1/lists", "q=a"), ("1/v1/lists",)])
def test_a_cursor_is_bound_to_its_scope(scope: tuple[object, ...]) -> None:
    """Another workspace, route or filter is another walk."""
    with pytest.raises(InvalidRequest):
        of(Window.of({}, SCOPE).after(1), *scope)


def test_another_secret_does_not_know_it() -> None:
    """No one can make cursors elsewhere."""
    cursor = Window.of({}, SCOPE).after(1)
    crypto.use_secret("another key for tests, as long as it must be")
    try:
        with pytest.raises(InvalidRequest):
            of(cursor)
    finally:
        crypto.use_secret("a key for tests, as long as a key must be")


def test_every_problem_is_named_at_once(app: Flask) -> None:
    """Limit and cursor."""
    with pytest.raises(InvalidRequest) as caught:
        Window.of({"limit": "0", "cursor": "x"}, SCOPE)
    assert [field.path for field in caught.value.fields] == ["limit", "cursor"]


@pytest.mark.parametrize("newest_first", [True, False])
def test_pages_walk_every_row_once(acme: Workspace, newest_first: bool) -> None:
    """In either direction, without an empty last page."""
    with transaction() as current:
        current.add_all(
            LeadList(workspace_id=acme.id, name=str(number), type="people", created_at=acme.now())
            for number in range(6)
        )
    columns = LeadList.__table__.c
    window, seen = Window(limit=3), []
    while True:
        found = page(sa.select(columns.id, columns.name), None, window, newest_first=newest_first)
        seen.append([row.name for row in found.rows])
        if not found.next_cursor:
            break
        window = Window(3, found.next_cursor)
    assert seen == ([["5", "4", "3"], ["2", "1", "0"]] if newest_first else [["0", "1", "2"], ["3", "4", "5"]])
