"""Secret rotation: the table of encrypted columns, and re-encryption after SECRET_KEY was replaced."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, cast

import sqlalchemy as sa

from app.core import clock
from app.core.crypto import NAMED, PURPOSES, Keyring, keyring
from app.core.db import db, session, transaction
from app.models.accounts import MailboxLogin
from app.models.autopilot import Setup, SourceConnection
from app.models.hosted_sign_ins import NetworkHook, SignIn
from app.models.platform.idempotency import IdempotencyKey
from app.models.platform.installation import KeptKey, ModelChoice
from app.models.platform.services import ServiceLogin
from app.models.sessions import SecondFactor
from app.models.webhooks import Webhook

BATCH = 500
# Sealed column: what a value is bound to, in columns of its row. A value opens nowhere else.
SEALED: dict[Any, str] = {
    Webhook.secret: "webhook|secret|{id}|{workspace_id}",
    Webhook.former_secret: "webhook|secret|{id}|{workspace_id}",
    SecondFactor.secret: "second_factor|secret|{user_id}|-",
    MailboxLogin.sealed: "mailbox_login|sealed|{id}|{workspace_id}",
    ServiceLogin.sealed: "service_login|sealed|{id}|{workspace_id}",
    SourceConnection.sealed: "source_connection|sealed|{id}|{workspace_id}",
    Setup.alerts_sealed: "autopilot_setup|alerts_sealed|{id}|{workspace_id}",
    IdempotencyKey.answer: "idempotency_key|answer|{key}|{workspace_id}",
    SignIn.sealed: "sign_in|sealed|{id}|{workspace_id}",
    NetworkHook.sealed: "network_hook|sealed|{id}|{workspace_id}",
    ModelChoice.sealed: "model_choice|sealed|{id}|-",
    KeptKey.sealed: "kept_key|sealed|{purpose}|-",
}


@dataclass(frozen=True)
class Count:
    """How many values of a column were sealed anew, and how many no known secret opens."""

    column: str
    anew: int
    shut: int


def associated_data(column: Any, **row: object) -> str:
    """Return the associated data that binds a sealed value of that column to its row."""
    return SEALED[column].format_map(row)


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
    for column in SEALED:
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


def _reseal(column: Any) -> Count:
    table = cast(sa.Table, column.class_.__table__)
    keys, sealed = list(table.primary_key), table.c[column.key]
    bound = [name for _, name, _, _ in Formatter().parse(SEALED[column]) if name]
    wanted = {each.name: each for each in (*keys, sealed, *(table.c[name] for name in bound))}
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
            changes = [_changed(column, sealed, row, keys) for row in rows]
            if done := [each for each in changes if each]:
                current.connection().execute(change, done)
        anew, shut = anew + len(done), shut + len(changes) - len(done)
        if len(rows) < BATCH:
            return Count(f"{table.name}.{sealed.name}", anew, shut)
        after = [sa.literal(rows[-1][key.name], key.type) for key in keys]


def _changed(column: Any, sealed: Any, row: Mapping[Any, Any], keys: list[Any]) -> dict[str, Any]:
    """Return one row's change, valid only while the row is unchanged; {} when no secret opens the value."""
    place, before = associated_data(column, **row), row[sealed.name]
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
    for column in SEALED:
        table = cast(sa.Table, column.class_.__table__)
        begin = _begin(table.c[column.key])
        query = sa.select(begin, sa.func.count()).where(begin != keyring().newest).group_by(begin)
        found = [(keyring().knows(bytes(name)), count) for name, count in session().execute(query)]
        if found:
            older = sum(count for known, count in found if known)
            yield f"{table.name}.{column.key}", older, sum(count for _, count in found) - older
