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
LATER = (
    sa.update(JOB)
    .where(JOB.c.id == sa.bindparam("of"))
    .values(due_at=sa.bindparam("moment"), attempts=JOB.c.attempts + 1)
)


def a_list(workspace: Workspace, name: str = "L", at: datetime = NOON) -> LeadList:
    """An unsaved list."""
    return LeadList(workspace_id=workspace.id, name=name, type="people", created_at=at)


def names() -> list[str]:
    """What is committed, seen by someone else."""
    with db.engine.connect() as connection:
        return sorted(connection.scalars(sa.select(LeadList.__table__.c.name)))


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
    with pytest.raises(NotFound, match=r"^List not found\.$"):
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


def put(workspace: Workspace, *kinds: str) -> list[int]:
    """Jobs of these kinds; their ids."""
    row = {"workspace_id": workspace.id, "open_key": None, "payload": {"n": [1, None]}, "due_at": NOON}
    empty = {"claimed_until": None, "done_at": None, "created_at": NOON}
    with transaction():
        assert execute_many(sa.insert(JOB), [{**row, **empty, "kind": kind} for kind in kinds]) == len(kinds)
    return [row.id for row in fetch(sa.select(JOB.c.id).order_by(JOB.c.id))]


def test_fetched_values_are_those_of_the_session(acme: Workspace) -> None:
    """Moments, JSON, truth values, defaults and nothing at all."""
    (job_id,) = put(acme, "one")
    columns = Workspace.__table__.c
    (row,) = fetch(sa.select(*columns).where(columns.id == sa.bindparam("wanted")), wanted=acme.id)
    assert tuple(row) == tuple(session().execute(sa.select(*columns)).one())
    assert (row.sandbox is True, row.suspended_at is None, row.created_at.tzinfo) == (True, True, UTC)
    (job,) = fetch(sa.select(JOB).where(JOB.c.id == job_id))
    assert (job.payload, job.due_at, job.done_at, job.state) == ({"n": [1, None]}, NOON, None, "open")


def test_lists_of_parameters_may_have_any_length(acme: Workspace) -> None:
    """None, one or many, wanted or left out."""
    ids = put(acme, *(str(number) for number in range(5)))
    assert [row.id for row in fetch(BUT, ids=ids[1:])] == ids[:1]
    assert [row.id for row in fetch(BUT, ids=[])] == ids
    assert fetch(BUT, ids=ids) == []


def test_each_row_is_written_with_its_own_values(acme: Workspace) -> None:
    """One statement, many rows; it says how many it touched."""
    ids = put(acme, "one", "two")
    moments = [NOON.replace(hour=hour) for hour in (10, 11)]
    with transaction():
        several = [{"of": i, "moment": moment} for i, moment in zip(ids, moments, strict=True)]
        assert execute_many(LATER, several) == 2
        assert execute_many(LATER, [{"of": 0, "moment": None}]) == 0
        assert execute_many(LATER, []) == 0
    found = fetch(sa.select(JOB.c.id, JOB.c.due_at))
    assert {row.id: row.due_at for row in found} == dict(zip(ids, moments, strict=True))


def test_an_update_of_an_entity_may_have_conditions_of_its_own(acme: Workspace) -> None:
    """Where the session would take each set of values for a row by its primary key."""
    put(acme, "one", "two")
    statement = sa.update(Job).where(Job.kind == sa.bindparam("of")).values(kind=sa.bindparam("new"))
    with transaction():
        assert execute_many(statement, [{"of": "one", "new": "1"}, {"of": "two", "new": "2"}]) == 2
    assert [row.kind for row in fetch(sa.select(JOB.c.kind).order_by(JOB.c.id))] == ["1", "2"]


def test_a_forgotten_value_is_refused(acme: Workspace) -> None:
    """Of one row as of many, rather than taken for nothing."""
    first, second = put(acme, "one", "two")
    with pytest.raises(sa.exc.StatementError, match="required"):
        fetch(BUT)
    for values in ([{"of": first}], [{"of": first}, {"of": second}]):
        with pytest.raises(sa.exc.StatementError, match="required"), transaction():
            execute_many(LATER, values)


def test_statements_are_part_of_the_transaction(acme: Workspace) -> None:
    """What fails later takes them along."""
    with pytest.raises(ZeroDivisionError), transaction():
        put(acme, "gone")
        assert len(fetch(BUT, ids=[])) == 1
        raise ZeroDivisionError
    assert fetch(BUT, ids=[]) == []


def test_writes_outside_a_transaction_are_refused(acme: Workspace) -> None:
    """Also when the session reads."""
    (first,) = put(acme, "one")
    gone = sa.delete(JOB).returning(JOB.c.id)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="transaction"):
            fetch(gone)
        with pytest.raises(RuntimeError, match="transaction"):
            execute_many(LATER, [{"of": first, "moment": None}])
        assert session().scalar(sa.select(Job.id)) == first
    end_read()


def test_errors_do_not_tell_the_values_of_a_statement(acme: Workspace) -> None:
    """They are logged."""
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
    """The server was started anew, say."""
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


def test_a_write_gives_back_rows(acme: Workspace) -> None:
    """RETURNING, and an insert that leaves out what is there."""
    (first,) = put(acme, "one")
    given = sa.update(JOB).where(JOB.c.id == sa.bindparam("of")).values(kind="new").returning(JOB.c.kind)
    with transaction():
        ((kind,),) = fetch(given, of=first)
        again = {"id": first, "workspace_id": acme.id, "kind": "x", "open_key": None, "payload": {}, "created_at": NOON}
        assert execute_many(insert(Job).on_conflict_do_nothing(), [again]) == 0
    assert kind == "new"


def test_only_its_owner_can_read_a_new_database_and_what_lies_beside_it(tmp_path: Path) -> None:
    """SQLite alone would let every user of the machine read all that is kept."""
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'new.db'}")
    prepare_engine(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (id INTEGER)")
        modes = [file.stat().st_mode & 0o777 for file in database_files(engine)]
    engine.dispose()
    assert modes == [0o600] * 3


def test_a_connection_waits_before_it_looks_at_the_journal(tmp_path: Path) -> None:
    """A process that recovers the log of a killed one, or closes the last connection, holds the whole file."""
    asked: list[str] = []

    class Watched(sqlite3.Connection):
        def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
            asked.append(statement)
            return super().execute(statement, *parameters)

    engine = sa.create_engine(f"sqlite:///{tmp_path / 'new.db'}", connect_args={"factory": Watched})
    prepare_engine(engine)
    engine.connect().close()
    engine.dispose()
    assert asked[0] == "PRAGMA busy_timeout=15000"


def test_a_database_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    """Its owner may have given it to a group."""
    file = tmp_path / "kept.db"
    file.touch()
    file.chmod(0o640)
    engine = sa.create_engine(f"sqlite:///{file}")
    prepare_engine(engine)
    engine.connect().close()
    engine.dispose()
    assert file.stat().st_mode & 0o777 == 0o640
