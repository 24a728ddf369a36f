"""The one transaction, moments, and rows that belong to somebody."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import (
    MAX_ID,
    UTCDateTime,
    defer_fsync,
    end_read,
    get_owned,
    in_transaction,
    is_sqlite,
    session,
    transaction,
)
from app.core.errors import NotFound
from app.core.reads import Pages, Read
from app.models.leads import LeadList
from app.models.workspaces import Workspace

pytestmark = pytest.mark.databases("both")

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def a_list(workspace: Workspace, name: str = "L", at: datetime = NOON) -> LeadList:
    """An unsaved list."""
    return LeadList(workspace_id=workspace.id, name=name, type="people", created_at=at)


def names() -> list[str]:
    """What is committed, seen by somebody else."""
    found = [row.name for row in Read(sa.select(LeadList.__table__.c.name)).all()]
    return sorted(found)


def test_a_transaction_keeps_what_it_wrote(acme: Workspace) -> None:
    """What a transaction wrote is there afterwards."""
    with transaction() as current:
        current.add(a_list(acme))
        assert in_transaction()
    assert (in_transaction(), names()) == (False, ["L"])


def test_what_need_not_last_at_once_does_not_wait_for_the_disk(acme: Workspace) -> None:
    """As long as it is said, and no longer."""
    own = "SELECT source = 'session' FROM pg_settings WHERE name = 'synchronous_commit'"  # not what the server says
    asked, at_once, later = ("PRAGMA synchronous", 2, 1) if is_sqlite() else (own, False, True)

    def waits() -> object:
        with transaction() as current:
            current.add(a_list(acme))
            return current.scalar(sa.text(asked))

    assert waits() == at_once
    with defer_fsync():
        with defer_fsync():
            assert waits() == later
        assert waits() == later
    assert waits() == at_once
    assert len(names()) == 4


def test_an_inner_transaction_joins_the_outer_one(acme: Workspace) -> None:
    """Only the outermost commits."""
    with transaction() as current:
        with transaction():
            current.add(a_list(acme))
        assert (in_transaction(), names()) == (True, [])
    assert names() == ["L"]


def test_a_failure_anywhere_undoes_everything(acme: Workspace) -> None:
    """Also what an inner transaction had ended."""

    def fail() -> None:
        with transaction() as current:
            with transaction():
                current.add(a_list(acme))
            current.flush()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (in_transaction(), names(), session().new) == (False, [], sa.orm.session.IdentitySet())


def test_the_network_is_not_called_within_one(acme: Workspace) -> None:
    """A mistake fails the first test that touches it."""
    with transaction(), pytest.raises(RuntimeError, match="network"):
        end_read()
    end_read()


def test_rows_are_not_changed_outside_one(acme: Workspace) -> None:
    """They would be written by whatever comes next, or never."""
    acme.name = "Changed"
    with pytest.raises(RuntimeError, match="outside"):
        end_read()
    session().rollback()


def test_reading_within_sees_the_present(app: Flask, acme: Workspace) -> None:
    """Not what this session read before."""
    assert acme.name == "Acme"

    def rename() -> None:
        with app.app_context(), transaction() as current:
            current.execute(sa.update(Workspace).values(name="Renamed"))

    with ThreadPoolExecutor(1) as pool:
        end_read()
        pool.submit(rename).result()
    with transaction():
        assert acme.name == "Renamed"


def test_no_update_is_lost(app: Flask, acme: Workspace) -> None:
    """Eight at a time read a number and write the next."""
    start, workspace_id = threading.Barrier(8), acme.id
    end_read()

    def count(_: int) -> None:
        start.wait()
        for _ in range(5):
            with app.app_context(), transaction() as current:
                row = current.get(Workspace, workspace_id, with_for_update=True)
                assert row is not None
                row.event_sequence += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(8)))
    with transaction():
        assert acme.event_sequence == 40


@pytest.mark.parametrize("row_id", [0, -1, 987_654_321, MAX_ID, MAX_ID + 1, 10**30])
def test_what_is_not_there_is_not_found(acme: Workspace, row_id: int) -> None:
    """Whatever the number; the sentence names the thing as people do."""
    with pytest.raises(NotFound, match=r"^There is no such list\.$"):
        get_owned(LeadList, acme, row_id)


def test_a_strangers_row_is_not_there(acme: Workspace, rival: Workspace) -> None:
    """With or without the lock."""
    with transaction() as current:
        found = a_list(rival)
        current.add(found)
    assert get_owned(LeadList, rival, found.id) is found
    for lock in (False, True):
        with pytest.raises(NotFound):
            get_owned(LeadList, acme, found.id, lock=lock)


def test_moments_come_back_as_utc(acme: Workspace) -> None:
    """Whatever the time zone they were given in; without one they are refused."""
    east = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    with transaction() as current:
        found = a_list(acme, at=east.replace(microsecond=7))
        current.add(found)
    session().expire_all()
    assert (found.created_at, found.created_at.tzinfo) == (NOON.replace(microsecond=7), UTC)
    with pytest.raises(ValueError, match="time zone"):
        UTCDateTime().process_bind_param(datetime(2026, 3, 2), session().get_bind().dialect)  # noqa: DTZ001


def test_a_prepared_read_converts_like_the_session(acme: Workspace) -> None:
    """Moments, JSON, truth values and nothing at all."""
    columns = Workspace.__table__.c
    with transaction() as current:
        current.add(a_list(acme, "One"))
    read = Read(sa.select(*columns).where(columns.id == sa.bindparam("id")))
    row, same = read.one(id=acme.id), session().execute(sa.select(*columns)).one()
    assert row == tuple(same)
    assert (row.sandbox is True, row.suspended_at is None, row.created_at.tzinfo) == (True, True, UTC)
    assert read.one(id=0) is None


@pytest.mark.parametrize("oldest_first", [True, False])
def test_prepared_pages_walk_every_row_once(acme: Workspace, oldest_first: bool) -> None:
    """In either direction, without an empty last page."""
    from app.core.paging import Window

    with transaction() as current:
        current.add_all(a_list(acme, str(number)) for number in range(6))
    columns = LeadList.__table__.c
    pages = Pages(sa.select(columns.id, columns.name), oldest_first=oldest_first)
    window, seen = Window(limit=3), []
    while True:
        page = pages.page(window)
        seen.append([row.name for row in page.rows])
        if not page.next_cursor:
            break
        window = Window(3, page.next_cursor)
    expected = [["0", "1", "2"], ["3", "4", "5"]] if oldest_first else [["5", "4", "3"], ["2", "1", "0"]]
    assert seen == expected
