"""The doctor's look at the schema: the database as it is, compared with the models, not only its version."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from app.core import migrations
from app.core.db import db, is_sqlite, session
from app.domain.operations import table_rows
from app.domain.operations.doctor_checks.remote import Problem

RESTORE = "Stop Overture and restore the newest backup."
MEND = "Run `overture doctor --mend`."
SEARCH = "fulltext_conversation"  # each database's own index, which a migration made
_TRIGGERS = sa.text("SELECT name, tbl_name, type FROM sqlite_master WHERE type IN ('trigger', 'view')")
_PG_TRIGGERS = sa.text(
    "SELECT tgname, tgrelid::regclass::text, 'trigger' FROM pg_trigger WHERE NOT tgisinternal"
    " UNION ALL SELECT viewname, viewname, 'view' FROM pg_views WHERE schemaname = current_schema()"
    " UNION ALL SELECT rulename, tablename, 'rule' FROM pg_rules WHERE schemaname = current_schema()"
)
_WRONG = {
    "modify_nullable": "allows empty values where this version doesn't, or the reverse, so saving fails",
    "modify_type": "has a different type than this version expects, so its values may be misread",
    "modify_default": "has a different default than this version expects, so new rows may be wrong",
}


def problems() -> Iterator[Problem]:
    """Yield what the database has otherwise than the models describe, each with what it means and what to do."""
    for kind, thing in _differences():
        yield from _difference_problems(kind, thing)
    yield from _unnamed_checks()
    yield from _foreign_code()
    yield from _numbers()
    if not _has_search():
        yield "The index for searching conversations is missing or incomplete, so search fails.", MEND
    for name in _queue_indexes():
        yield f"The index {name} is missing, so workers may be slow or do work twice.", MEND
    for name in _without_key():
        yield f"The primary key of {name} is missing, so rows may be stored twice.", RESTORE


def mend() -> Iterator[str]:
    """Make the indexes that are missing, and yield which; nothing else of a schema is mended without a backup."""
    own: dict[str, Sequence[str]] = _queue_indexes() | ({} if _has_search() else {SEARCH: _search()})
    look = sa.inspect(session().connection())
    found = [thing for kind, thing in _differences() if kind == "add_index"]
    missing = [one for one in found if look.has_table(one.table.name)]
    session().rollback()
    with db.engine.begin() as connection:
        for index in missing:
            sa.Index(index.name).drop(connection) if _has_other_columns(connection, index) else None
            index.create(connection)
            yield f"The index {index.name} was created."
        for name, statements in own.items():
            for statement in statements:
                connection.exec_driver_sql(statement)
            yield f"The index {name} was created."


def _has_other_columns(connection: sa.Connection, index: sa.Index) -> bool:
    """Return whether the index exists by name, but on other columns."""
    found = sa.inspect(connection).get_indexes(str(index.table))
    return index.name in {one["name"] for one in found}


def _differences() -> list[tuple[str, Any]]:
    """Return kind and thing of each difference; what a server's admin added beside the tables is theirs."""
    found = migrations.differences(session().connection())
    return [(one[0], one) if one[0].startswith("modify_") else (one[0], one[-1]) for one in found]


def _difference_problems(kind: str, thing: Any) -> Iterator[Problem]:
    if kind == "add_table":
        yield f"The table {thing.name} is missing. The data is lost, and pages that need it fail.", RESTORE
    elif kind == "add_column":
        yield f"The column {thing} is missing. The data is lost, and pages that need it fail.", RESTORE
    elif kind == "remove_column":
        yield f"The column {thing} is unexpected, so saving may fail.", "Drop the column, or restore a backup."
    elif kind == "add_index" and not sa.inspect(session().connection()).has_table(thing.table.name):
        return  # the table's own line says it all
    elif kind == "add_index" and thing.unique:
        yield f"The index {thing.name} is missing, so the same thing may be stored or done twice.", MEND
    elif kind == "add_index":
        yield f"The index {thing.name} is missing, so pages and sending may be slow.", MEND
    elif kind == "add_constraint":
        yield f"The constraint {thing.name} is missing, so the same thing may be stored or done twice.", RESTORE
    elif kind == "add_fk":
        yield f"The foreign key {thing.name} is missing, so orphaned rows may remain.", RESTORE
    elif kind in _WRONG:
        yield f"The column {thing[2]}.{thing[3]} {_WRONG[kind]}.", RESTORE


def _unnamed_checks() -> Iterator[Problem]:
    """Yield conditions of tables that are gone; Alembic compares none of them."""
    look = sa.inspect(session().connection())
    for table in db.metadata.sorted_tables:
        wanted = {str(one.name) for one in table.constraints if isinstance(one, sa.CheckConstraint) and one.name}
        if wanted and look.has_table(table.name):
            there = {one["name"] for one in look.get_check_constraints(table.name)}
            for name in sorted(wanted - there):
                yield f"The check constraint {name} is missing, so {table.name} may hold invalid values.", RESTORE


def _foreign_code() -> Iterator[Problem]:
    """Yield triggers, rules and views that Overture did not make: they run whenever a row is written or read."""
    for name, table, kind in session().execute(_TRIGGERS if is_sqlite() else _PG_TRIGGERS):
        ours = name.startswith((f"{SEARCH}_", "procrastinate_")) and table.startswith(
            ("conversation_words", "procrastinate_")
        )
        if not ours:
            where = f"{name} on {table}" if kind != "view" else name
            yield (
                f"The {kind} {where} was not created by Overture. It may change or copy what Overture writes.",
                f"Find out who created this {kind}, then drop it.",
            )


def _numbers() -> Iterator[Problem]:
    """Yield tables that would give a new row an id that is taken, or none at all; SQLite never does."""
    counters = {} if is_sqlite() else table_rows.given(session().connection(), table_rows.numbered())
    for name, last in counters.items():
        if (last or 0) < (session().scalar(sa.func.max(db.metadata.tables[name].c.id)) or 0):
            yield f"New rows of {name} can't get an id, so saving fails.", RESTORE


def _queue_indexes() -> dict[str, Sequence[str]]:
    """Return the missing indexes of procrastinate's tables, which no model describes, with how each is made."""
    if is_sqlite():
        return {}
    made = re.findall(r"^(CREATE (?:UNIQUE )?INDEX (\w+) .+?);", _first().PROCRASTINATE.read_text(), re.M | re.S)
    there = set(session().scalars(sa.text("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")))
    return {name: [statement] for statement, name in made if name not in there}


def _without_key() -> list[str]:
    """Return the tables that lost their primary key, which Postgres allows and Alembic does not compare."""
    keys = {} if is_sqlite() else sa.inspect(session().connection()).get_multi_pk_constraint()
    return [name for (_, name), key in keys.items() if name in db.metadata.tables and not key["constrained_columns"]]


def _search() -> list[str]:
    """Return the statements that make the index of conversations again, from the words that are kept."""
    if not is_sqlite():
        return [_first().SEARCH_ON_POSTGRES]
    old = [f"DROP TABLE IF EXISTS {SEARCH}", *(f"DROP TRIGGER IF EXISTS {SEARCH}_{event}" for event in "idu")]
    return [*old, *_first().SEARCH_ON_SQLITE, f"INSERT INTO {SEARCH} ({SEARCH}) VALUES ('rebuild')"]


def _first() -> Any:
    return migrations.module("0063")


def _has_search() -> bool:
    if is_sqlite():
        names = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'fulltext_conversation%' AND type <> 'index'"
        if (session().scalar(sa.text(names)) or 0) < 7:  # the table, its three shadows and three triggers
            return False
        try:
            with db.engine.connect() as connection:  # which is given back without what this statement begins
                connection.exec_driver_sql(f"INSERT INTO {SEARCH} ({SEARCH}, rank) VALUES ('integrity-check', 1)")
        except sa.exc.DatabaseError as problem:
            return isinstance(problem, sa.exc.OperationalError)  # someone else is writing
        return True
    return bool(session().scalar(sa.text(f"SELECT count(*) FROM pg_indexes WHERE indexname = '{SEARCH}'")))
