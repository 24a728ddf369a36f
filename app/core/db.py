"""The database: base class, column types, transactions, and the guard against network calls inside a transaction."""

import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import sqlalchemy as sa
from flask import current_app
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, registry
from sqlalchemy.pool import ConnectionPoolEntry

from app.core import text
from app.core.errors import NotFound
from app.core.row_rules import Leftovers, Personal
from app.core.text import LARGEST

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
MAX_ID = LARGEST


class UTCDateTime(sa.types.TypeDecorator[datetime]):
    """A moment. Refuses naive values and always gives back UTC, on SQLite as on Postgres."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A datetime needs a time zone.")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Every table."""

    __stays__: ClassVar[str] = ""  # why its rows are left out of a workspace's export; '': they are exported
    __billing__: ClassVar[bool] = False  # whether its rows say what the workspace has paid for
    __personal__: ClassVar[Personal | None] = None
    __leftovers__: ClassVar[Leftovers] = Leftovers.IDENTIFIERS

    registry = registry(
        type_annotation_map={
            datetime: UTCDateTime(),
            dict[str, Any]: sa.JSON(),
            list[Any]: sa.JSON(),
            list[str]: sa.JSON(),
            list[int]: sa.JSON(),
            int: sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            str: sa.Text(),
        },
        metadata=sa.MetaData(naming_convention=NAMING),
    )


def models() -> dict[sa.Table, type[Base]]:
    """Return the model of each table."""
    return {cast(sa.Table, each.local_table): each.class_ for each in Base.registry.mappers}


class Numbered:
    """A row with an id that is never given out twice, even after a deletion."""

    __table_args__: Any = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)


class OfWorkspace:
    """A row of a workspace, deleted with the workspace."""

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), sort_order=-1)


class IndexedOfWorkspace:
    """Like OfWorkspace, with an index on the workspace, for tables without another index that begins with it."""

    workspace_id: Mapped[int] = mapped_column(
        sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True, sort_order=-1
    )


def partial_index(name: str, *columns: str, where: str) -> sa.Index:
    """Index only the rows where `where` is true; a query with the same condition uses it."""
    condition = sa.text(where)
    return sa.Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


def table_args(*constraints: Any) -> tuple[Any, ...]:
    """Return `__table_args__` for a Numbered table that also has constraints or indexes."""
    return (*constraints, {"sqlite_autoincrement": True})


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
M = TypeVar("M", bound=Base)
T = TypeVar("T")
R = TypeVar("R")

# SQLite has one writer; queueing in the process is fairer than its sleeping busy handler (p99 of writes 868 → 87 ms).
_writer = threading.Lock()


def session() -> Session:
    """Return the session of this request or job."""
    return db.session()


class Committing:
    """Data kept in addition to a transaction's rows until they are committed; a rollback drops it."""

    def before_commit(self) -> None:
        """Run inside the transaction, just before the commit."""

    def after_commit(self) -> None:
        """Run after the commit."""


_COMMITTING = "committing"
C = TypeVar("C", bound=Committing)


def until_commit(kind: type[C]) -> C:
    """Return the open transaction's `kind` object, created at its first use."""
    kept: dict[type[Committing], Any] = session().info.setdefault(_COMMITTING, {})
    return cast(C, kept.get(kind) or kept.setdefault(kind, kind()))


@event.listens_for(db.session, "before_commit")
def _before_commit(current: Session) -> None:
    for one in list(current.info.get(_COMMITTING, {}).values()):
        one.before_commit()


@event.listens_for(db.session, "after_commit")
def _after_commit(current: Session) -> None:
    for one in current.info.pop(_COMMITTING, {}).values():
        one.after_commit()


@event.listens_for(db.session, "after_rollback")
def _after_rollback(current: Session) -> None:
    current.info.pop(_COMMITTING, None)


def disconnect() -> None:
    """Close the connections of this application, whose sessions have ended."""
    db.engine.dispose()


def is_reading() -> bool:
    """Return whether there is a session in a transaction, without creating one."""
    return db.session.registry.has() and session().in_transaction()


def is_sqlite() -> bool:
    """Return whether this installation runs on SQLite."""
    return db.engine.dialect.name == "sqlite"


@contextmanager
def transaction(*, many_small: bool = False) -> Iterator[Session]:
    """Open a write transaction. An inner one joins the outer one, and only the outermost commits.

    `many_small` is for many statements of a few rows each: their changes stay in memory until the end.
    """
    current = session()
    if current.info.get("depth", 0):
        current.info["depth"] += 1
        try:
            yield current
        finally:
            current.info["depth"] -= 1
        return
    _end_read(current)
    current.expire_all()  # so that rows loaded before the transaction are read again inside it
    lock = _writer if is_sqlite() else None
    if lock:
        lock.acquire()
    current.info["depth"] = 1
    try:
        later = current.info.get("lasts_later", False)
        settings = (*(_MANY_SMALL if many_small else _USUAL), _LATER if later else _AT_ONCE)
        opened = current.connection(execution_options={"sqlite_writes": settings})
        if later and not lock:
            opened.exec_driver_sql("SET LOCAL synchronous_commit TO off")
        yield current
        current.commit()
    except BaseException:
        current.rollback()
        raise
    finally:
        current.info["depth"] = 0
        if lock:
            lock.release()


@contextmanager
def alone() -> Iterator[sa.Connection]:
    """Open a connection without a transaction, while other writers of this process wait in line on SQLite."""
    end_read()
    with _writer if is_sqlite() else nullcontext(), db.engine.connect() as connection:
        yield connection.execution_options(isolation_level="AUTOCOMMIT")


@contextmanager
def brief_write(patience: float) -> Iterator[sa.Connection]:
    """Open a small write outside the session; raise an SQLAlchemyError unless it can begin within `patience` seconds.

    The commit does not wait for the disk, so a power cut may undo it.
    """
    lock = _writer if is_sqlite() else None
    if lock and not lock.acquire(timeout=patience):
        raise sa.exc.TimeoutError("Another transaction in this process is writing.")
    try:
        milliseconds = max(1, round(patience * 1000))
        brief = (f"busy_timeout={milliseconds}", *_USUAL, _LATER)
        with db.engine.connect() as connection:
            connection.execution_options(sqlite_writes=brief)
            try:
                with connection.begin():
                    if not lock:
                        connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
                        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}")
                    yield connection
            finally:
                if lock:
                    _driver(connection).execute("PRAGMA " + _WAIT)
    finally:
        if lock:
            lock.release()


def note(statement: sa.Executable) -> bool:
    """Run a dispensable write, such as a time of last use, if it needs no wait; return whether it was done."""
    try:
        with brief_write(0) as connection:
            connection.execute(statement)
    except sa.exc.SQLAlchemyError:
        return False
    return True


@contextmanager
def defer_fsync() -> Iterator[None]:
    """Let commits in the block skip the wait for the disk; the next full commit makes them durable, too.

    A power cut may undo the latest of them. Use it only for work that can be repeated and had no effect outside.
    """
    info = session().info
    before, info["lasts_later"] = info.get("lasts_later", False), True
    try:
        yield
    finally:
        info["lasts_later"] = before


def in_transaction() -> bool:
    """Return whether a write transaction of ours is open in this thread."""
    return bool(session().info.get("depth", 0))


def in_new_session(work: Callable[[T], R]) -> Callable[[T], R]:
    """Wrap `work` so that each call has its own session, in any thread."""
    make_context = current_app.app_context

    def run(given: T) -> R:
        with make_context():
            return work(given)

    return run


def end_read() -> None:
    """End an open read before a call to the outside; refuse to run inside a transaction."""
    if in_transaction():
        raise RuntimeError("The network must not be called while a transaction is open.")
    _end_read(session())


def _end_read(current: Session) -> None:
    if current.new or current.dirty or current.deleted:
        raise RuntimeError("Rows were changed outside a transaction.")
    if current.in_transaction():
        current.commit()


def fetch(statement: sa.Executable, **parameters: Any) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return the rows of a SELECT, or those a write returns inside the open `transaction()`.

    If the session has not begun anything, a SELECT sees the latest commit and leaves no read open.
    """
    if statement.is_dml:
        _require_transaction()
    if is_reading():
        return session().connection().execute(statement, parameters).all()
    with db.engine.connect() as connection:
        if connection.dialect.name != "sqlite":  # saves the round trips of BEGIN and COMMIT
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        return connection.execute(statement, parameters).all()


def fetch_by_id(statement: sa.Select[*tuple[Any, ...]], ids: Iterable[int]) -> dict[int, Any]:
    """Return the rows of a statement that takes `ids`, by their id."""
    return {row.id: row for batch in in_batches(sorted(set(ids))) for row in fetch(statement, ids=batch)}


def refresh_statistics(*models: type[Base]) -> None:
    """Run ANALYZE for these tables on Postgres; SQLite does not need it.

    Postgres itself does so up to a minute after a big change, later on a busy server: until then it plans as if a new
    table were empty, and statements over thousands of its rows take seconds.
    """
    if is_sqlite():
        return
    with transaction() as current:
        current.execute(sa.text(f"ANALYZE {', '.join(model.__tablename__ for model in models)}"))


def execute_many(statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> int:
    """Run the statement with each of these values, all with the same columns; return the number of rows changed.

    Runs on the connection: with a list of values the session itself would update by primary key alone.
    """
    _require_transaction()
    if not values:
        return 0
    result = (
        session()
        .connection()
        .execute(statement, values if len(values) > 1 else values[0], execution_options={"preserve_rowcount": True})
    )
    return result.rowcount


def change_rows(statement: sa.UpdateBase) -> sa.CursorResult[Any]:
    """Run an UPDATE or DELETE; rows that the session has loaded stay as they are."""
    result = session().execute(statement, execution_options={"synchronize_session": False})
    return cast("sa.CursorResult[Any]", result)


def behind(place: tuple[Any, int, int], source: int, at: Any, row_id: Any) -> sa.ColumnElement[bool]:
    """Return the condition that a row of `source` comes after `place` (a moment, a source and an id) in a list.

    For lists that merge several tables, newest first.
    """
    if source != place[1]:
        return cast("sa.ColumnElement[bool]", at <= place[0] if source < place[1] else at < place[0])
    return sa.or_(at < place[0], sa.and_(at == place[0], row_id < place[2]))


def update_each(model: type[Base], rows: Iterable[Mapping[str, Any]]) -> None:
    """Update rows by their `id`, with one statement for all rows that set the same columns.

    Give only the columns that differ: each column given also costs a write to every index that contains it.
    """
    alike: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        alike[tuple(sorted(row.keys() - {"id"}))].append({f"new_{name}": value for name, value in row.items()})
    for names, values in alike.items():
        if names:
            execute_many(_set(model, names), values)


@lru_cache(maxsize=256)
def _set(model: type[Base], names: tuple[str, ...]) -> sa.Update:
    table = cast(sa.Table, model.__table__)
    values = {name: sa.bindparam(f"new_{name}", type_=table.c[name].type) for name in names}
    return sa.update(table).where(table.c.id == sa.bindparam("new_id")).values(values)


def in_pages(query: sa.Select[*tuple[Any, ...]], number: Any, size: int, after: int = 0) -> Iterator[Sequence[Any]]:
    """Yield the rows behind an id in slices, in the order of `number`; each row begins with its id, or the thing."""
    page = query.order_by(None).order_by(number).limit(size)
    while rows := session().execute(page.where(number > after)).all():
        yield rows
        if len(rows) < size:
            return
        after = getattr(rows[-1][0], "id", rows[-1][0])


def _require_transaction() -> None:
    if not in_transaction():
        raise RuntimeError("Rows must be written inside a transaction.")


def get_owned(model: type[M], workspace: Any, row_id: int, *, lock: bool = False) -> M:
    """Return the workspace's row, or raise NotFound, also for another workspace's. `lock` reads it for update."""
    found = None
    if 0 < row_id <= MAX_ID:
        where = (model.id == row_id, model.workspace_id == workspace.id)  # type: ignore[attr-defined]
        query = sa.select(model).where(*where)
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        found = session().scalars(query).one_or_none()
    if found is None:
        raise NotFound(f"{noun(model).capitalize()} not found.")
    return found


def by_id(model: type[M], ids: Iterable[int | None], *where: Any, lock: bool = False) -> dict[Any, M]:
    """Return the rows with these ids that meet the conditions, by id. `lock` reads them for update."""
    key: Any = model.id  # type: ignore[attr-defined]
    wanted = sorted({one for one in ids if one and 0 < one <= MAX_ID})
    query = sa.select(model).where(in_list(key, wanted), *where)
    if lock:
        query = query.order_by(key).with_for_update().execution_options(populate_existing=True)
    return {row.id: row for row in session().scalars(query)} if wanted else {}  # type: ignore[attr-defined]


def has_every_word(places: Sequence[Any], q: str) -> list[sa.ColumnElement[bool]]:
    """Return the conditions that each of the first eight words of `q` occurs in one of the columns, in any case."""
    return [
        sa.or_(*(place.icontains(one, autoescape=True) for place in places for one in text.spellings(word)))
        for word in text.squeeze(q)[:200].split()[:8]
    ]


def noun(model: type[Base]) -> str:
    """Return the table's name in words, for sentences."""
    return str(getattr(model, "__noun__", model.__tablename__.replace("_", " ")))


def insert(model: type[Base]) -> Any:
    """Return an INSERT of the dialect in use, with `on_conflict_do_…` on both databases."""
    return sqlite.insert(model) if is_sqlite() else postgresql.insert(model)


def by_dialect(build: Callable[[], T]) -> Callable[[], T]:
    """Cache a statement per dialect, because building it again takes as long as running it."""

    @cache
    def built(sqlite: bool) -> T:
        return build()

    return wraps(build)(lambda: built(is_sqlite()))


def in_list(column: Any, values: Collection[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that `column` is one of `values`, bound as one parameter for any number."""
    if len(values) == 1:  # most often; a list takes six times as long to build
        return cast(sa.ColumnElement[bool], column == sa.literal(next(iter(values)), column.type))
    if not is_sqlite():
        return cast(sa.ColumnElement[bool], column == sa.any_(sa.literal(list(values), postgresql.ARRAY(column.type))))
    listed = sa.func.json_each(json.dumps(list(values))).table_valued("value")
    return cast(sa.ColumnElement[bool], column.in_(sa.select(listed.c.value)))


def in_order(values: Collection[int]) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int]]:
    """Return two columns to select, each of `values` and its place, bound as one parameter for any number."""
    value = sa.column("value", sa.BigInteger())
    if is_sqlite():
        listed = sa.func.json_each(json.dumps(list(values))).table_valued(value, "key")
    else:
        unnested = sa.func.unnest(sa.literal(list(values), postgresql.ARRAY(value.type)))
        listed = unnested.table_valued(value, with_ordinality="key").render_derived()
    return listed.c.value, listed.c.key


def in_batches(items: list[Any], size: int = 500) -> Iterator[list[Any]]:
    """Yield slices small enough for one statement's bound parameters on any database."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


@contextmanager
def write_elsewhere(url: str) -> Iterator[sa.Connection]:
    """Open a write transaction on a database other than the installation's; it commits at the end of the block."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    prepare_engine(engine)
    with engine.connect() as connection, connection.execution_options(sqlite_writes=(*_USUAL, _AT_ONCE)).begin():
        yield connection


@contextmanager
def without_writers() -> Iterator[sa.Connection]:
    """Read the installation's database while no process can write to it; wait 15 seconds for those that do."""
    with db.engine.connect() as connection, connection.execution_options(sqlite_writes=(*_USUAL, _AT_ONCE)).begin():
        if not is_sqlite():
            names = ", ".join(f'"{table.name}"' for table in Base.metadata.sorted_tables)
            connection.execute(sa.text("SET LOCAL lock_timeout = '15s'"))
            connection.execute(sa.text(f"LOCK TABLE {names} IN SHARE MODE"))
        yield connection


# First in _SAFE, because reading the journal mode already needs a lock, which a process recovering the log may hold.
_WAIT = "busy_timeout=15000"
_SAFE = (_WAIT, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
_CHECKPOINT = "wal_autocheckpoint=4000"  # pages: what changes often is copied into the file a quarter as often
_USUAL = ("temp_store=FILE", "cache_spill=1")
# Changed pages are written at the end, not whenever the cache of 2 MB is full (a round of a thousand senders changes
# 9 MB), and SQLite's undo data for a statement stays in memory.
_MANY_SMALL = ("temp_store=MEMORY", "cache_size=-8000", "cache_spill=4000")
_SURELY_ALIVE = 1.0  # seconds in the pool
_AT_ONCE, _LATER = "synchronous=FULL", "synchronous=NORMAL"


def database_files(engine: sa.Engine) -> list[Path]:
    """Return the files of an SQLite database that may exist: the database, its log and the log's index."""
    name = engine.url.database if engine.dialect.name == "sqlite" else None
    return [Path(name + ending) for ending in ("", "-wal", "-shm")] if name and name != ":memory:" else []


def create_privately(engine: sa.Engine) -> None:
    """Create a missing SQLite file readable only by its owner, because SQLite itself would let others read it."""

    @event.listens_for(engine, "do_connect")
    def do_connect(*connection: Any) -> None:
        for file in database_files(engine)[:1]:
            with suppress(OSError):  # the file exists, or SQLite reports what is wrong with the path
                os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _ask_idle_connections(engine: sa.Engine) -> None:
    """Test a pooled connection before use only if it was idle for a while."""

    @event.listens_for(engine, "checkin")
    def checkin(connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["waits_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def checkout(connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:
        if time.monotonic() - record.info.get("waits_since", time.monotonic()) < _SURELY_ALIVE:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as problem:
            raise InvalidatePoolError from problem


def prepare_engine(engine: sa.Engine) -> None:
    """Find dead connections to Postgres before they are used.

    Give SQLite connections the settings under which nothing acknowledged is lost and nothing is read twice.
    """
    if engine.dialect.name != "sqlite":
        _ask_idle_connections(engine)
        return
    create_privately(engine)

    @event.listens_for(engine, "connect")
    def connect(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        for pragma in (*_SAFE, _CHECKPOINT):
            connection.execute("PRAGMA " + pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        pragmas = connection.get_execution_options().get("sqlite_writes")
        driver = _driver(connection)
        begun = "BEGIN IMMEDIATE" if pragmas else "BEGIN DEFERRED"
        try:
            for pragma in pragmas or ():
                driver.execute("PRAGMA " + pragma)
            driver.execute(begun)
        except engine.dialect.loaded_dbapi.OperationalError as problem:
            # Callers catch SQLAlchemy's errors, not the driver's.
            raise sa.exc.OperationalError(begun, (), problem) from problem


def _driver(connection: sa.Connection) -> Any:
    """Return the driver's connection, which runs a statement without beginning a transaction."""
    return connection.connection.driver_connection
