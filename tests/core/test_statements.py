"""Statements on the bare driver: they read and write what SQLAlchemy would, in the same transaction."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, insert, is_sqlite, session, transaction
from app.core.statements import prepare, rows, write_rows
from app.models.jobs import Job
from app.models.workspaces import Workspace

pytestmark = pytest.mark.databases("both")

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
TABLE = Job.__table__
IDS = sa.bindparam("ids", expanding=True)
BY_ID = sa.select(TABLE.c.id, TABLE.c.kind, TABLE.c.payload, TABLE.c.due_at, TABLE.c.done_at).where(TABLE.c.id.in_(IDS))
BUT = sa.select(TABLE.c.id).where(TABLE.c.id.not_in(IDS)).order_by(TABLE.c.id)
PUT = sa.insert(TABLE)
LATER = (
    sa.update(TABLE)
    .where(TABLE.c.id == sa.bindparam("of"))
    .values(due_at=sa.bindparam("moment", type_=TABLE.c.due_at.type), attempts=TABLE.c.attempts + 1)
)


def put(workspace: Workspace, *kinds: str) -> list[int]:
    """Jobs of these kinds; their ids."""
    row = {"workspace_id": workspace.id, "open_key": None, "payload": {"n": [1, None]}, "due_at": AT, "created_at": AT}
    empty = {"claimed_until": None, "done_at": None}
    with transaction():
        assert write_rows(PUT, [{**row, **empty, "kind": kind} for kind in kinds]) == len(kinds)
    return list(session().scalars(sa.select(Job.id).order_by(Job.id)))


def test_values_come_back_as_from_the_orm(acme: Workspace) -> None:
    """Moments, JSON, defaults and absent values come back as they would from the ORM."""
    ids = put(acme, "one", "two")
    found = {row.id: row for row in rows(BY_ID, ids=ids)}
    assert [found[i].kind for i in ids] == ["one", "two"]
    assert found[ids[0]].payload == {"n": [1, None]}
    assert found[ids[0]].due_at == AT
    assert found[ids[0]].due_at.tzinfo is UTC
    assert found[ids[0]].done_at is None
    assert session().get(Job, ids[0]).state == "open"  # type: ignore[union-attr]


def test_lists_may_have_any_length(acme: Workspace) -> None:
    """None, one or many, wanted or left out."""
    ids = put(acme, *(str(number) for number in range(5)))
    assert rows(BY_ID, ids=[]) == []
    assert len(rows(BY_ID, ids=ids[:1])) == 1
    assert [row.id for row in rows(BUT, ids=ids[1:])] == ids[:1]
    assert [row.id for row in rows(BUT, ids=[])] == ids


def test_what_is_always_the_same_is_no_parameter_on_sqlite(acme: Workspace) -> None:
    """Words with quotes, moments, lists and numbers mean in the text what they mean when they are bound."""
    put(acme, "it's", "other")
    fixed = (TABLE.c.kind.in_(["it's", ":of"]), TABLE.c.due_at == AT, TABLE.c.attempts == 0, TABLE.c.open_key.is_(None))
    query = sa.select(TABLE.c.kind).where(*fixed).limit(5)
    assert [row.kind for row in rows(query)] == ["it's"]
    assert not (is_sqlite() and prepare(query).parameters({}))


def test_each_row_is_written_with_its_own_values(acme: Workspace) -> None:
    """One statement, many rows; it says how many it touched."""
    ids = put(acme, "one", "two")
    moments = [AT.replace(hour=hour) for hour in (10, 11)]
    with transaction():
        several = [{"of": i, "moment": moment} for i, moment in zip(ids, moments, strict=True)]
        assert write_rows(LATER, several) == 2
        assert write_rows(LATER, [{"of": 0, "moment": None}]) == 0
        assert write_rows(LATER, []) == 0
    assert {row.id: row.due_at for row in rows(BY_ID, ids=ids)} == dict(zip(ids, moments, strict=True))


def test_what_was_forgotten_is_not_taken_for_nothing(acme: Workspace) -> None:
    """Of one row as of many."""
    (first, second) = put(acme, "one", "two")
    with pytest.raises(KeyError):
        rows(BY_ID)
    for values in ([{"of": first}], [{"of": first}, {"of": second}]):
        with pytest.raises(KeyError), transaction():
            write_rows(LATER, values)


def test_a_statement_is_part_of_the_transaction(acme: Workspace) -> None:
    """What fails later takes it along, and what was written before by the ORM is seen."""
    with pytest.raises(ZeroDivisionError), transaction():
        put(acme, "gone")
        assert len(rows(BUT, ids=[])) == 1
        raise ZeroDivisionError
    assert rows(BUT, ids=[]) == []


def test_a_failure_is_the_kind_that_everybody_catches(app: Flask, acme: Workspace) -> None:
    """SQLAlchemy's own class, and without the values in its words."""
    secret = {"workspace_id": None, "open_key": "secret", "payload": {}, "due_at": AT, "created_at": AT, "kind": "x"}
    with pytest.raises(sa.exc.IntegrityError) as refused, transaction():
        write_rows(PUT, [secret])
    assert "secret" not in str(refused.value.statement)
    assert refused.value.params is None


def test_a_read_outside_a_transaction_leaves_none_open(acme: Workspace) -> None:
    """It sees what is committed, and one that fails is no different from any other failure."""
    (first,) = put(acme, "one")
    end_read()
    assert [row.id for row in rows(BUT, ids=[])] == [first]
    assert not (is_sqlite() and session().in_transaction())
    with pytest.raises(sa.exc.DBAPIError):
        rows(sa.select(sa.literal_column("nowhere")))
    end_read()


def test_what_the_database_gives_back_is_read(acme: Workspace) -> None:
    """RETURNING, and an insert that leaves out what is there."""
    (first,) = put(acme, "one")
    given = sa.update(TABLE).where(TABLE.c.id == sa.bindparam("of")).values(kind="new").returning(TABLE.c.kind)
    with transaction():
        ((kind,),) = rows(given, of=first)
        again = {"id": first, "workspace_id": acme.id, "kind": "x", "open_key": None, "payload": {}, "created_at": AT}
        assert write_rows(insert(Job).on_conflict_do_nothing(), [again]) == 0
    assert kind == "new"
