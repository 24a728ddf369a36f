"""Every table and column moves with the rows, exactly, on both databases."""

from collections import Counter
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

import app.providers.sandbox.store  # noqa: F401  the tables
from app.core.db import Base, UTCDateTime, db, end_read, session, transaction
from app.domain.operations import table_rows
from app.models.leads import LeadList
from app.models.platform.installation import KeptKey
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres


def test_every_table_and_column_of_a_database_moves_or_is_named_as_left_out(acme: Workspace) -> None:
    connection = session().connection()
    look = sa.inspect(connection)
    assert table_rows.unknown_tables(connection) == []
    assert Counter(part.table for part in table_rows.parts()) == Counter(Base.metadata.tables.values())
    for part in table_rows.parts():
        assert {each["name"] for each in look.get_columns(part.table.name)} == {*part.table.columns.keys()}
    end_read()
    with db.engine.connect() as connection, connection.begin() as begun:
        connection.execute(sa.text("CREATE TABLE forgotten (id INTEGER)"))
        assert table_rows.unknown_tables(connection) == ["forgotten"]
        begun.rollback()


def test_a_null_in_json_is_the_null_of_the_column() -> None:
    """Otherwise a row without a value and a row with JSON's null would be the same in Python, and become one."""
    open_ones = [
        column
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, sa.JSON) and column.nullable
    ]
    assert open_ones
    assert all(column.type.none_as_null for column in open_ones)  # type: ignore[attr-defined]


def test_parents_come_before_their_children_and_an_impossible_circle_is_refused() -> None:
    seen: set[str] = set()
    for part in table_rows.parts():
        seen.add(part.table.name)
        for key in part.table.foreign_keys:
            assert key.column.table.name in seen or key.parent.name in part.later
    metadata = sa.MetaData()
    sa.Table(
        "stair", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("up", sa.ForeignKey("stair.id"))
    )
    metadata.tables["stair"].c.up.nullable = False
    with pytest.raises(ValueError, match=r"stair\.up"):
        table_rows.parts(metadata)


CIRCLE = sa.MetaData()
STAFF = sa.Table(
    "staff",
    CIRCLE,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("boss_id", sa.ForeignKey("staff.id")),
    sa.Column("room_id", sa.ForeignKey("room.id", name="staff_room")),
    sa.Column("pay", sa.Numeric(10, 2), nullable=False),
    sa.Column("born", sa.Date),
    sa.Column("starts", sa.Time),
)
ROOM = sa.Table(
    "room",
    CIRCLE,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("keeper_id", sa.ForeignKey("staff.id", name="room_keeper")),
)
PEOPLE = [
    {"id": 1, "boss_id": 2, "room_id": 1, "pay": Decimal("10.20"), "born": date(1980, 2, 29), "starts": time(9, 30)},
    {"id": 2, "boss_id": None, "room_id": None, "pay": Decimal("0.10"), "born": None, "starts": None},
]
ROOMS = [{"id": 1, "keeper_id": 2}]


def test_references_in_a_circle_and_to_the_same_table_are_kept(acme: Workspace) -> None:
    with db.engine.connect() as connection, connection.begin() as begun:
        CIRCLE.create_all(connection)
        rows: dict[str, Any] = {"staff": PEOPLE, "room": ROOMS}
        order = table_rows.parts(CIRCLE)
        for part in order:
            table_rows.write(connection, part, rows[part.table.name])
        for part in order:
            table_rows.write_later(connection, part, rows[part.table.name])
        assert [row for batch in table_rows.read(connection, STAFF) for row in batch] == PEOPLE
        assert [row for batch in table_rows.read(connection, ROOM) for row in batch] == ROOMS
        begun.rollback()


def test_rows_are_read_in_batches_in_the_same_order_on_every_database(acme: Workspace) -> None:
    with transaction() as current:
        for purpose in ("b", "B", "a", "_", "ä"):
            current.add(KeptKey(purpose=purpose, sealed=b"\x00\xff", created_at=datetime(2030, 1, 2, tzinfo=UTC)))
    batches = list(table_rows.read(session().connection(), Base.metadata.tables["kept_key"], size=2))
    assert [[row["purpose"] for row in batch] for batch in batches] == [["B", "_"], ["a", "b"], ["ä"]]


def test_a_row_is_the_same_after_it_was_a_line_of_json() -> None:
    """With a value in every column that no other kind of value could pass for, and with none where none may be."""
    samples: dict[type, Any] = {
        sa.LargeBinary: bytes(range(256)),
        sa.Date: date(2030, 1, 2),
        UTCDateTime: datetime(2030, 1, 2, 3, 4, 5, 678901, UTC),
        sa.JSON: {"ü": [1, 2.5, None, True, {"a": "\u2028\n"}], "big": 2**53 - 1},
        sa.BigInteger: 2**63 - 1,
        sa.Double: 0.1 + 0.2,
        sa.Boolean: True,
        sa.Text: "Zoë “says”\n\\",
    }
    failures = []
    for table in Base.metadata.sorted_tables:
        row = {column.name: samples[type(column.type)] for column in table.columns}
        empty = {name: None if table.c[name].nullable else value for name, value in row.items()}
        for each in (row, empty):
            line = table_rows.encode(table, each)
            if "\n" in line or table_rows.decode(line) != (table, each):
                failures.append((table.name, each))
    assert failures == []
    for row in PEOPLE:
        assert table_rows.decode(table_rows.encode(STAFF, row), CIRCLE) == (STAFF, row)


def test_a_line_of_another_form_and_a_type_that_json_has_no_word_for_are_refused() -> None:
    for line in ("", "{}", "[1, 2]", '["lead_list", {"id": 1}]', '["nothing", {}]', "[null", "7"):
        with pytest.raises(ValueError, match="not a row"):
            table_rows.decode(line)
    table = sa.Table("stay", sa.MetaData(), sa.Column("length", sa.Interval))
    with pytest.raises(TypeError, match=r"stay\.length"):
        table_rows.encode(table, {"length": None})


def test_numbers_go_on_where_they_were_even_after_a_deletion(acme: Workspace) -> None:
    def new_list() -> int:
        with transaction() as current:
            made = LeadList(workspace_id=acme.id, name="People", created_at=acme.created_at)
            current.add(made)
        return made.id

    made = new_list()
    with transaction() as current:
        current.execute(sa.delete(LeadList).where(LeadList.id == made))
        assert table_rows.last_ids(current.connection())["lead_list"] == made
        table_rows.set_last_ids(current.connection(), {"lead_list": made + 41})
        assert table_rows.last_ids(current.connection())["lead_list"] == made + 41
    assert new_list() == made + 42


def test_a_database_with_a_single_row_is_filled(app: Any) -> None:
    assert not table_rows.is_filled(session().connection())
    with transaction() as current:
        current.add(KeptKey(purpose="audit", sealed=b"", created_at=datetime(2030, 1, 2, tzinfo=UTC)))
        current.flush()
        assert table_rows.is_filled(current.connection())
