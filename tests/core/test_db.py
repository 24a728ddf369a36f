"""The one transaction, moments, and rows that belong to someone."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import (
    MAX_ID,
    UTCDateTime,
    database_files,
    db,
    defer_fsync,
    end_read,
    execute_many,
    fetch,
    get_owned,
    in_transaction,
    insert,
    is_sqlite,
    prepare_engine,
    refresh_statistics,
    session,
    transaction,
)
from app.core.errors import NotFound
from app.models.leads import LeadList
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
JOB = cast(sa.Table, Job.__table__)
BUT = sa.select(JOB.c.id).where(JOB.c.id.not_in(sa.bindparam("ids", expanding=True))).order_by(JOB.c.id)
LATER = sa.update(JOB).where(JOB.c.id == sa.bindparam("of"))
LATER = LATER.values(due_at=sa.bindparam("moment"), attempts=JOB.c.attempts + 1)


def a_list(workspace: Workspace, name: str = "L", at: datetime = NOON) -> LeadList:
    return LeadList(workspace_id=workspace.id, name=name, type="people", created_at=at)


def names() -> list[str]:
    with db.engine.connect() as connection:
        return sorted(connection.scalars(sa.select(LeadList.__table__.c.name)))


def test_an_inner_transaction_joins_the_outer_one(acme: Workspace) -> None:
    """Only the outermost commits, and a failure anywhere undoes everything, also what an inner one had ended."""
    with transaction() as current:
        with transaction():
            current.add(a_list(acme))
        assert (in_transaction(), names()) == (True, [])
    assert (in_transaction(), names()) == (False, ["L"])
    with pytest.raises(KeyError), transaction() as current:
        with transaction():
            current.add(a_list(acme, "M"))
        current.flush()
        raise KeyError
    assert (in_transaction(), names(), session().new) == (False, ["L"], sa.orm.session.IdentitySet())


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


def test_the_network_is_called_outside_a_transaction_and_rows_are_changed_within_one(acme: Workspace) -> None:
    """A mistake fails the first test that touches it."""
    with transaction(), pytest.raises(RuntimeError, match="network"):
        end_read()
    end_read()
    acme.name = "Changed"
    with pytest.raises(RuntimeError, match="outside"):
        end_read()
    session().rollback()


def test_reading_within_sees_the_present(app: Flask, acme: Workspace) -> None:
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
                row.event_sequence += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(8)))
    with transaction():
        assert acme.event_sequence == 40


def test_a_row_that_is_not_there_or_a_strangers_is_not_found(acme: Workspace, rival: Workspace) -> None:
    """Whatever the number, with or without the lock; the sentence names the thing as people do."""
    with transaction() as current:
        found = a_list(rival)
        current.add(found)
    assert get_owned(LeadList, rival, found.id) is found
    for row_id in (0, -1, 987_654_321, MAX_ID, MAX_ID + 1, 10**30, found.id):
        for lock in (False, True):
            with pytest.raises(NotFound, match=r"^List not found\.$"):
                get_owned(LeadList, acme, row_id, lock=lock)


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


def put(workspace: Workspace, *kinds: str) -> list[int]:
    row = {"workspace_id": workspace.id, "open_key": None, "payload": {"n": [1, None]}, "due_at": NOON}
    empty = {"claimed_until": None, "done_at": None, "created_at": NOON}
    with transaction():
        assert execute_many(sa.insert(JOB), [{**row, **empty, "kind": kind} for kind in kinds]) == len(kinds)
    return [row.id for row in fetch(sa.select(JOB.c.id).order_by(JOB.c.id))]


def test_fetched_values_are_those_of_the_session(acme: Workspace) -> None:
    """Moments, JSON, truth values, defaults and nothing at all; lists of parameters may have any length."""
    ids = put(acme, *(str(number) for number in range(5)))
    columns = Workspace.__table__.c
    (row,) = fetch(sa.select(*columns).where(columns.id == sa.bindparam("wanted")), wanted=acme.id)
    assert tuple(row) == tuple(session().execute(sa.select(*columns)).one())
    assert (row.sandbox is True, row.suspended_at is None, row.created_at.tzinfo) == (True, True, UTC)
    (job,) = fetch(sa.select(JOB).where(JOB.c.id == ids[0]))
    assert (job.payload, job.due_at, job.done_at, job.state) == ({"n": [1, None]}, NOON, None, "open")
    assert [row.id for row in fetch(BUT, ids=ids[1:])] == ids[:1]
    assert [row.id for row in fetch(BUT, ids=[])] == ids
    assert fetch(BUT, ids=ids) == []


def test_each_row_is_written_with_its_own_values(acme: Workspace) -> None:
    """One statement, many rows; it says how many it touched, or gives back rows."""
    ids = put(acme, "one", "two")
    moments = [NOON.replace(hour=hour) for hour in (10, 11)]
    by_kind = sa.update(Job).where(Job.kind == sa.bindparam("of")).values(kind=sa.bindparam("new"))
    with transaction():
        several = [{"of": i, "moment": moment} for i, moment in zip(ids, moments, strict=True)]
        assert execute_many(LATER, several) == 2
        assert execute_many(LATER, [{"of": 0, "moment": None}]) == 0
        assert execute_many(LATER, []) == 0
        assert execute_many(by_kind, [{"of": "one", "new": "1"}, {"of": "two", "new": "2"}]) == 2
    found = fetch(sa.select(JOB.c.kind, JOB.c.due_at).order_by(JOB.c.id))
    assert [tuple(row) for row in found] == [("1", moments[0]), ("2", moments[1])]
    given = sa.update(JOB).where(JOB.c.id == sa.bindparam("of")).values(kind="new").returning(JOB.c.kind)
    again = {"workspace_id": acme.id, "kind": "x", "open_key": None, "payload": {}, "created_at": NOON}
    with transaction():
        assert [row.kind for row in fetch(given, of=ids[0])] == ["new"]
        assert execute_many(insert(Job).on_conflict_do_nothing(), [again | {"id": ids[0]}]) == 0


def test_writes_outside_a_transaction_and_forgotten_values_are_refused(acme: Workspace) -> None:
    """Also when the session reads; what fails in a transaction takes its statements along, and tells no values."""
    with pytest.raises(ZeroDivisionError), transaction():
        put(acme, "gone")
        assert len(fetch(BUT, ids=[])) == 1
        raise ZeroDivisionError
    assert fetch(BUT, ids=[]) == []
    first, second = put(acme, "one", "two")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="transaction"):
            fetch(sa.delete(JOB).returning(JOB.c.id))
        with pytest.raises(RuntimeError, match="transaction"):
            execute_many(LATER, [{"of": first, "moment": None}])
        assert session().scalar(sa.select(sa.func.count(Job.id))) == 2
    end_read()
    with pytest.raises(sa.exc.StatementError, match="required"):
        fetch(BUT)
    for values in ([{"of": first}], [{"of": first}, {"of": second}]):
        with pytest.raises(sa.exc.StatementError, match="required"), transaction():
            execute_many(LATER, values)
    secret = {"workspace_id": None, "open_key": "secret", "payload": {}, "due_at": NOON, "created_at": NOON}
    with pytest.raises(sa.exc.IntegrityError) as refused, transaction():
        execute_many(sa.insert(JOB), [{**secret, "kind": "x"}])
    assert "secret" not in str(refused.value).partition("DETAIL")[0]


def test_fetch_outside_a_transaction_leaves_none_open(acme: Workspace) -> None:
    """It sees what is committed by then, also after one that failed."""
    first, second = put(acme, "one", "two")
    end_read()
    assert [row.id for row in fetch(BUT, ids=[second])] == [first]
    assert not session().in_transaction()
    with pytest.raises(sa.exc.DBAPIError):
        fetch(sa.select(sa.literal_column("nowhere")))
    with db.engine.begin() as elsewhere:
        elsewhere.execute(sa.delete(JOB).where(JOB.c.id == first))
    assert [row.id for row in fetch(BUT, ids=[])] == [second]


def test_a_connection_that_was_lost_while_it_waited_is_replaced(acme: Workspace) -> None:
    if is_sqlite():
        pytest.skip("A file is never lost.")
    whose = sa.select(sa.func.pg_backend_pid().label("id"))
    end_read()
    with db.engine.connect() as other:
        with db.engine.connect() as lost:
            first, known = lost.scalar(whose), lost.info
        assert fetch(whose)[0].id == first
        assert other.scalar(sa.select(sa.func.pg_terminate_backend(first, 20_000)))
        known["waits_since"] -= 60
        assert fetch(whose)[0].id != first


def test_only_its_owner_can_read_a_new_database_and_what_lies_beside_it(tmp_path: Path) -> None:
    """One that exists keeps its mode. A connection waits before it looks at the journal, which others may recover."""
    asked: list[str] = []

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
            asked.append(statement)
            return super().execute(statement, *parameters)

    engine = sa.create_engine(f"sqlite:///{tmp_path / 'new.db'}", connect_args={"factory": Watched})
    prepare_engine(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (id INTEGER)")
        modes = [file.stat().st_mode & 0o777 for file in database_files(engine)]
    engine.dispose()
    assert modes == [0o600] * 3
    assert asked[0] == "PRAGMA busy_timeout=15000"
    file = tmp_path / "new.db"
    file.chmod(0o640)
    engine = sa.create_engine(f"sqlite:///{file}")
    prepare_engine(engine)
    engine.connect().close()
    engine.dispose()
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_table_just_filled_is_known_to_the_planner(acme: Workspace) -> None:
    """A new table counts as empty on Postgres until someone looks; SQLite keeps no such figure."""
    if is_sqlite():
        pytest.skip("SQLite plans without these figures.")
    with transaction() as current:
        one = {"workspace_id": acme.id, "created_at": datetime(2026, 3, 2, tzinfo=UTC)}
        current.execute(sa.insert(LeadList), [one | {"name": f"{n}"} for n in range(300)])
    refresh_statistics(LeadList)
    rows = session().scalar(sa.text("SELECT reltuples FROM pg_class WHERE oid = to_regclass('lead_list')"))
    assert rows is not None
    assert rows >= 300
