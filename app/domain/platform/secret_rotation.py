"""Secret rotation: the encrypted columns, and their re-encryption after SECRET_KEY was replaced."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

import sqlalchemy as sa

import app.models  # noqa: F401  the tables
from app.core import clock
from app.core.crypto import NAMED, PURPOSES, Keyring, keyring
from app.core.db import Base, db, session, transaction
from app.models.platform.installation import KeptKey

BATCH = 500


@dataclass(frozen=True)
class Count:
    """How many values of a column were sealed anew, and how many no known secret opens."""

    column: str
    anew: int
    shut: int


def associated_data(column: Any, **row: object) -> str:
    """Return the associated data that binds a sealed value of that column to its row."""
    bound: str = column.info["sealed"].format_map(row)
    return bound


def seal(row: Any, column: Any, plain: str) -> None:
    """Encrypt a value into this column of the row, which it is bound to."""
    setattr(row, column.key, keyring().seal(plain.encode(), _bound_to(row, column)))


def unseal(row: Any, column: Any) -> str:
    """Decrypt this column of the row; raise ValueError when it is empty or no known secret opens it."""
    return keyring().unseal(getattr(row, column.key) or b"", _bound_to(row, column)).decode()


def opened(row: Any, column: Any) -> str:
    """Decrypt this column of the row; '' when it is empty or no known secret opens it."""
    try:
        return unseal(row, column)
    except ValueError:
        return ""


def _bound_to(row: Any, column: Any) -> str:
    return associated_data(column, **{name: getattr(row, name) for name in _names(column)})


def _names(column: Any) -> list[str]:
    """Return the columns of a row that a sealed value is bound to."""
    return [name for _, name, _, _ in Formatter().parse(column.info["sealed"]) if name]


def sealed_columns() -> Iterator[sa.Column[Any]]:
    """Yield every column whose model says that it is sealed."""
    for table in Base.metadata.sorted_tables:
        yield from (column for column in table.columns if "sealed" in column.info)


def signing_keys() -> Mapping[str, bytes]:
    """Return the stored, sealed signing keys by purpose, on a connection outside the current transaction."""
    with db.engine.connect() as connection:
        if not sa.inspect(connection).has_table(KeptKey.__tablename__):
            return {}
        return dict(connection.execute(sa.select(KeptKey.purpose, KeptKey.sealed)).all())


def rotate() -> Iterator[Count]:
    """Seal every value with the current secret again, column by column; skip what no secret opens.

    Each batch is one transaction, so an interrupted rotation continues at the next call.
    """
    store_keys()
    for column in sealed_columns():
        yield _reseal(column)


def store_keys() -> None:
    """Store the older signing keys, so that old signatures stay valid without the old secrets."""
    ring = keyring()
    if not ring.older:
        return
    with transaction() as current:
        known = set(current.scalars(sa.select(KeptKey.purpose)))
        for purpose in PURPOSES:
            if purpose not in known:
                sealed = ring.seal(ring.key(purpose), Keyring.kept_at(purpose))
                current.add(KeptKey(purpose=purpose, sealed=sealed, created_at=clock.now()))


def _reseal(sealed: sa.Column[Any]) -> Count:
    table, keys = sealed.table, list(sealed.table.primary_key)
    wanted = {each.name: each for each in (*keys, sealed, *(table.c[name] for name in _names(sealed)))}
    others = sa.select(*wanted.values()).where(_begin(sealed) != keyring().newest).order_by(*keys).limit(BATCH)
    change = (
        table.update()
        .where(*(key == sa.bindparam(f"of_{key.name}") for key in keys), sealed == sa.bindparam("of_before"))
        .values({sealed: sa.bindparam("of_after")})
    )
    anew, shut, after = 0, 0, None
    while True:
        with transaction() as current:
            ours = others if after is None else others.where(sa.tuple_(*keys) > sa.tuple_(*after))
            rows = current.execute(ours).mappings().all()
            changes = [_changed(sealed, row, keys) for row in rows]
            if done := [each for each in changes if each]:
                current.connection().execute(change, done)
        anew, shut = anew + len(done), shut + len(changes) - len(done)
        if len(rows) < BATCH:
            return Count(str(sealed), anew, shut)
        after = [sa.literal(rows[-1][key.name], key.type) for key in keys]


def _changed(sealed: Any, row: Mapping[Any, Any], keys: list[Any]) -> dict[str, Any]:
    """Return one row's change, valid only while the row is unchanged; {} when no secret opens the value."""
    place, before = associated_data(sealed, **row), row[sealed.name]
    try:
        plain = keyring().unseal(before, place)
    except ValueError:
        return {}
    which = {f"of_{key.name}": row[key.name] for key in keys}
    return {**which, "of_before": before, "of_after": keyring().seal(plain, place)}


def _begin(sealed: Any) -> Any:
    return sa.func.substr(sealed, 1, NAMED, type_=sa.LargeBinary())


def status() -> Iterator[tuple[str, int, int]]:
    """Yield each column with older values: how many, and how many of them no secret opens."""
    for column in sealed_columns():
        begin = _begin(column)
        query = sa.select(begin, sa.func.count()).where(begin != keyring().newest).group_by(begin)
        found = [(keyring().knows(bytes(name)), count) for name, count in session().execute(query)]
        if found:
            older = sum(count for known, count in found if known)
            yield str(column), older, sum(count for _, count in found) - older
