"""The doctor's check of the schema: it compares the database itself with the models, not only the version."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from app.core import migrations
from app.core.db import db, is_sqlite, session
from app.domain.installation import table_rows
from app.domain.installation.doctor_checks.remote import Problem

RESTORE = "Stop Overture and restore the newest backup."
MEND = "Run `overture doctor --mend`."
_DROP = "Find out who created it, then drop it."
SEARCH = "fulltext_conversation"  # the full-text index, which a migration made in each database's own way
_TRIGGERS = sa.text("SELECT name, tbl_name, type FROM sqlite_master WHERE type IN ('trigger', 'view')")
_PG_TRIGGERS = sa.text(
    "SELECT tgname, tgrelid::regclass::text, 'trigger' FROM pg_trigger WHERE NOT tgisinternal"
    " UNION ALL SELECT viewname, viewname, 'view' FROM pg_views WHERE schemaname = current_schema()"
    " UNION ALL SELECT rulename, tablename, 'rule' FROM pg_rules WHERE schemaname = current_schema()"
    " UNION ALL SELECT conname, conrelid::regclass::text, 'constraint' FROM pg_constraint WHERE contype = 'x'"
)
# Properties that no table of ours has on Postgres: the catalogue's condition, what it means, and what to do.
_UNLIKE_OURS = (
    (
        "relpersistence <> 'p'",
        "The table {} is unlogged, so a crash of the database server empties it.",
        "Run `ALTER TABLE {} SET LOGGED`.",
    ),
    (
        "relrowsecurity OR relforcerowsecurity",
        "The table {} has row level security, so Overture may miss rows or fail to save.",
        "Run `ALTER TABLE {} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY`.",
    ),
    (
        "EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgenabled <> 'O')",
        "Triggers of {} are switched off, so it may keep rows that point to nothing.",
        "Run `ALTER TABLE {} ENABLE TRIGGER ALL`.",
    ),
)
_GIVES_NO_ID = "EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'id' AND NOT atthasdef)"
_GIVE_IDS = (
    "CREATE SEQUENCE IF NOT EXISTS {0}_id_seq",
    "ALTER SEQUENCE {0}_id_seq OWNED BY {0}.id",
    "ALTER TABLE {0} ALTER id SET DEFAULT nextval('{0}_id_seq')",
)
_UNFINISHED = (
    "EXISTS (SELECT FROM pg_index WHERE indexrelid = pg_class.oid AND NOT (indisvalid AND indisready AND indislive))"
)
_NOT_OURS = "was not created by Overture, so saving may fail"
_WRONG = {
    "modify_nullable": "allows empty values where this version doesn't, or the reverse, so saving fails",
    "modify_type": "has a different type than this version expects, so its values may be misread",
    "modify_default": "has a different default than this version expects, so new rows may be wrong",
}


def problems() -> Iterator[Problem]:
    """Yield the differences between the database and the models, each with what it means and what to do."""
    for kind, thing in _differences():
        yield from _difference_problems(kind, thing)
    yield from _checks()
    yield from _foreign_code()
    yield from _unlike_ours()
    for name in _behind():
        yield f"New rows of {name} get ids that were given before, or none, so saving fails or mixes up rows.", MEND
    for name in _relations(_UNFINISHED, "i"):
        yield f"The index {name} is invalid, so pages and sending may be slow.", MEND
    if not _has_search():
        yield "The index for searching conversations is missing or incomplete, so search fails.", MEND
    for name in _queue_tables():
        yield f"The table {name} is missing, so workers do nothing.", RESTORE
    for name in _queue_indexes():
        yield f"The index {name} is missing, so workers may be slow or do work twice.", MEND
    for name in _without_key():
        yield f"The primary key of {name} is missing, so rows may be stored twice.", RESTORE


def mend() -> Iterator[str]:
    """Create missing or invalid indexes and correct id counters that are too low; yield what was done.

    Other schema problems are not repaired automatically: they need a backup.
    """
    own: dict[str, Sequence[str]] = _queue_indexes() | ({} if _has_search() else {SEARCH: _search()})
    look = sa.inspect(session().connection())
    found = [thing for kind, thing in _differences() if kind == "add_index"]
    missing = [one for one in found if look.has_table(one.table.name)]
    behind, invalid = _behind(), _relations(_UNFINISHED, "i")
    session().rollback()
    with db.engine.begin() as connection:
        for name in behind:
            for statement in () if is_sqlite() else _GIVE_IDS:
                connection.exec_driver_sql(statement.format(name))
            yield f"New rows of {name} get new ids again."
        table_rows.set_last_ids(connection, {name: max(last, 1) for name, last in behind.items()})
        for name in invalid:
            connection.exec_driver_sql(f'REINDEX INDEX "{name}"')
            yield f"The index {name} was built again."
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
    """Return (kind, schema object) of each difference; additions of a server admin that do no harm are left out."""
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
        return  # the missing table is reported by itself
    elif kind == "add_index" and thing.unique:
        yield f"The index {thing.name} is missing, so the same thing may be stored or done twice.", MEND
    elif kind == "add_index":
        yield f"The index {thing.name} is missing, so pages and sending may be slow.", MEND
    elif kind == "add_constraint":
        yield f"The constraint {thing.name} is missing, so the same thing may be stored or done twice.", RESTORE
    elif kind in ("remove_constraint", "remove_fk", "remove_index") and _is_foreign(thing):
        yield f"The constraint {thing.name} of {thing.table.name} {_NOT_OURS}.", _DROP
    elif kind == "add_fk":
        yield f"The foreign key {thing.name} is missing, so orphaned rows may remain.", RESTORE
    elif kind in _WRONG:
        yield f"The column {thing[2]}.{thing[3]} {_WRONG[kind]}.", RESTORE


def _is_foreign(thing: Any) -> bool:
    """Return whether a constraint or a unique index is not one of ours; any other index only makes pages faster."""
    table = db.metadata.tables[thing.table.name]
    ours = {one.name for one in table.constraints} | {one.name for one in table.indexes}
    return getattr(thing, "unique", True) and thing.name not in ours


def _checks() -> Iterator[Problem]:
    """Yield check constraints that are missing or not Overture's; Alembic does not compare them."""
    look = sa.inspect(session().connection())
    for table in db.metadata.sorted_tables:
        wanted = {str(one.name) for one in table.constraints if isinstance(one, sa.CheckConstraint) and one.name}
        if look.has_table(table.name):
            there = {str(one["name"]) for one in look.get_check_constraints(table.name)}
            for name in sorted(wanted - there):
                yield f"The check constraint {name} is missing, so {table.name} may hold invalid values.", RESTORE
            for name in sorted(there - wanted):
                yield f"The check constraint {name} of {table.name} {_NOT_OURS}.", _DROP


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


def _unlike_ours() -> Iterator[Problem]:
    """Yield Postgres properties of our tables that no migration sets and that Alembic does not compare."""
    for condition, sentence, remedy in _UNLIKE_OURS:
        for name in _relations(condition):
            if name in db.metadata.tables:
                yield sentence.format(name), remedy.format(name)


def _relations(condition: str, kind: str = "r") -> list[str]:
    """Return the tables, or with `i` the indexes, that match a condition on the Postgres catalogue."""
    of_kind = f"relkind = '{kind}' AND relnamespace = current_schema()::regnamespace"
    query = sa.text(f"SELECT relname FROM pg_class WHERE {of_kind} AND ({condition}) ORDER BY relname")
    return [] if is_sqlite() else list(session().scalars(query))


def _behind() -> dict[str, int]:
    """Return the tables whose id counter is missing or too low, with the highest id they hold."""
    connection = session().connection()
    names = [name for name in table_rows.numbered() if sa.inspect(connection).has_table(name)]
    given, tables = table_rows.given(connection, names), db.metadata.tables
    highest = {name: session().scalar(sa.func.max(tables[name].c.id)) or 0 for name in names}
    gives_none = _relations(_GIVES_NO_ID)
    return {name: last for name, last in highest.items() if name in gives_none or last > (given.get(name) or 0)}


def _queue_tables() -> list[str]:
    """Return the missing tables of procrastinate, which no model describes."""
    names = [] if is_sqlite() else re.findall(r"^CREATE TABLE (\w+)", _first().PROCRASTINATE.read_text(), re.M)
    return [name for name in names if not sa.inspect(session().connection()).has_table(name)]


def _queue_indexes() -> dict[str, Sequence[str]]:
    """Return the missing indexes of procrastinate's tables, with the statements that create each."""
    if is_sqlite():
        return {}
    found = r"^(CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+).+?);"
    made = re.findall(found, _first().PROCRASTINATE.read_text(), re.M | re.S)
    there = set(session().scalars(sa.text("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")))
    gone = _queue_tables()
    return {name: [statement] for statement, name, table in made if name not in there and table not in gone}


def _without_key() -> list[str]:
    """Return the tables that lost their primary key, which Postgres allows and Alembic does not compare."""
    keys = {} if is_sqlite() else sa.inspect(session().connection()).get_multi_pk_constraint()
    return [name for (_, name), key in keys.items() if name in db.metadata.tables and not key["constrained_columns"]]


def _search() -> list[str]:
    """Return the statements that rebuild the full-text index of conversations from their stored words."""
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
            with db.engine.connect() as connection:  # closed without a commit, so nothing changes
                connection.exec_driver_sql(f"INSERT INTO {SEARCH} ({SEARCH}, rank) VALUES ('integrity-check', 1)")
        except sa.exc.DatabaseError as problem:
            return isinstance(problem, sa.exc.OperationalError)  # someone else is writing
        return True
    return bool(session().scalar(sa.text(f"SELECT count(*) FROM pg_indexes WHERE indexname = '{SEARCH}'")))
