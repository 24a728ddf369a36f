"""Every table and column moves with the rows, exactly, on both databases."""

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

import app.providers.sandbox.store  # noqa: F401  the tables
from app.core.db import Base, UTCDateTime, db, end_read, session, transaction
from app.domain.installation import table_rows
from app.models.leads import LeadList
from app.models.platform.installation import KeptKey
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres


def test_every_table_and_column_of_a_database_moves_or_is_named_as_left_out(acme: Workspace) -> None:
    connection = session().connection()
    look = sa.inspect(connection)
    assert table_rows.unknown_tables(connection) == []
    for table in table_rows.tables():
        assert {each["name"] for each in look.get_columns(table.name)} == {*table.columns.keys()}
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


def test_parents_come_before_their_children() -> None:
    """A table that refers to itself has no such order, nor has a circle: keep such an id as a number, with `ids`."""
    seen: set[str] = set()
    for table in table_rows.tables():
        assert {key.column.table.name for key in table.foreign_keys} <= seen
        seen.add(table.name)
    assert seen == {*Base.metadata.tables}


OTHERS = sa.MetaData()
STAFF = sa.Table(
    "staff",
    OTHERS,
    sa.Column("id", sa.BigInteger, primary_key=True),
    sa.Column("pay", sa.Numeric(10, 2), nullable=False),
    sa.Column("born", sa.Date),
    sa.Column("starts", sa.Time),
)
PEOPLE = [
    {"id": 1, "pay": Decimal("10.20"), "born": date(1980, 2, 29), "starts": time(9, 30)},
    {"id": 2, "pay": Decimal("0.10"), "born": None, "starts": None},
]


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
            if line.count(b"\n") != 1 or table_rows.decode(line) != (table, each):
                failures.append((table.name, each))
    assert failures == []
    for row in PEOPLE:
        assert table_rows.decode(table_rows.encode(STAFF, row), OTHERS) == (STAFF, row)


def test_a_line_of_another_form_and_a_type_that_json_has_no_word_for_are_refused() -> None:
    whole = {"id": 1, "pay": "1.00", "born": None, "starts": None}
    others: list[dict[str, Any]] = [{"id": "1"}, {"id": True}, {"id": 2**63}, {"id": None}, {"pay": 1.5}, {"born": "x"}]
    rows = ["", "{}", "[1, 2]", '["lead_list", {"id": 1}]', "[null", "7", "[" * 5000]
    for line in (*rows, *(json.dumps(["staff", whole | other]) for other in others)):
        with pytest.raises(ValueError, match="not a row"):
            table_rows.decode(line.encode(), OTHERS)
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
