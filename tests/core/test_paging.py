"""Windows and their cursors."""

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from app.core import crypto
from app.core.errors import InvalidRequest
from app.core.paging import Window

SCOPE = (1, "/v1/lists")


@pytest.fixture(autouse=True, scope="module")
def _secret() -> None:
    crypto.use_secret("a key for tests, as long as a key must be")


def of(cursor: str, *scope: object) -> int | None:
    """After which id the page of that cursor begins."""
    return Window.of({"cursor": cursor}, scope or SCOPE).last


@given(st.integers(0, 2**63 - 1))
def test_a_cursor_leads_to_where_it_was_made(row_id: int) -> None:
    """Whatever the size of the id; and a cursor is short and fits into an address as it is."""
    window = Window.of({}, SCOPE)
    assert (window.limit, window.cursor) == (25, "")
    cursor = window.after(row_id)
    assert of(cursor) == row_id
    assert len(cursor) <= 200
    assert cursor.replace("-", "").replace("_", "").isalnum()


@given(st.integers(0, 2**31), st.integers(0, 31), st.characters(codec="ascii"))
def test_a_changed_cursor_is_refused(row_id: int, at: int, sign: str) -> None:
    cursor = Window.of({}, SCOPE).after(row_id)
    changed = cursor[:at] + sign + cursor[at + 1 :]
    if changed != cursor:
        with pytest.raises(InvalidRequest):
            of(changed)


def test_a_cursor_is_bound_to_its_scope_and_secret(app: Flask) -> None:
    """Another workspace, route or filter is another walk; limit and cursor are refused at once."""
    cursor = Window.of({}, SCOPE).after(1)
    for scope in ((2, "/v1/lists"), (1, "/v1/campaigns"), (1, "/v1/lists", "q=a"), ("1/v1/lists",)):
        with pytest.raises(InvalidRequest):
            of(cursor, *scope)
    crypto.use_secret("another key for tests, as long as it must be")
    try:
        with pytest.raises(InvalidRequest):
            of(cursor)
    finally:
        crypto.use_secret("a key for tests, as long as a key must be")
    with pytest.raises(InvalidRequest) as caught:
        Window.of({"limit": "0", "cursor": "x"}, SCOPE)
    assert [field.path for field in caught.value.fields] == ["limit", "cursor"]
