"""What the sandbox network remembers: what was done to its people, what comes of it, how it stands with each account.

Acts are only ever added. An effect is written together with the act that causes it and is seen once its moment has
come. `seq` numbers the effects of an account without a gap in the order in which they were committed.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, execute_many, fetch, insert, session, table_args
from app.core.row_rules import Leftovers, ids
from app.ports import AccountRef, Receipt, SenderAction

DAY, WEEK = timedelta(hours=24), timedelta(days=7)


# Statements are built here before the models may be known from which a foreign key would take its type.
class SandboxAct(Numbered, Base):
    """Something an account did to a person. A token counts once per account, whatever happens."""

    __tablename__ = "sandbox_act"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("account_id", "token"),
        sa.Index("ix_sandbox_act_person", "workspace_id", "person"),
        sa.Index("ix_sandbox_act_usage", "account_id", "kind", "at"),
    )

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    account_id: Mapped[int] = mapped_column(info=ids("account"))
    kind: Mapped[str]
    person: Mapped[str]
    token: Mapped[str]
    subject: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(default="")
    at: Mapped[datetime]
    ref: Mapped[str]


class SandboxEffect(Base):
    """Something the account will see: an acceptance, an answer, a bounce, or what its owner did by hand."""

    __tablename__ = "sandbox_effect"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = (
        sa.Index("ix_sandbox_effect_at", "account_id", "at"),
        sa.Index("ix_sandbox_effect_person", "workspace_id", "person"),
    )

    account_id: Mapped[int] = mapped_column(primary_key=True, info=ids("account"))
    seq: Mapped[int] = mapped_column(primary_key=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    kind: Mapped[str]  # accepted, received, bounced or by_hand
    channel: Mapped[str] = mapped_column(default="")  # of an answer: message, inmail, email; by hand: what was done
    person: Mapped[str]
    at: Mapped[datetime]
    subject: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(default="")
    automatic: Mapped[bool] = mapped_column(default=False)
    final: Mapped[bool] = mapped_column(default=False)  # of a bounce: the address does not exist
    late: Mapped[bool] = mapped_column(default=False)  # of an acceptance: a withdrawal comes too late to stop it
    token: Mapped[str] = mapped_column(default="")
    ref: Mapped[str]


class SandboxStanding(Base):
    """How the network stands with an account. Its row is the lock under which the account's effects are numbered."""

    __tablename__ = "sandbox_standing"
    __leftovers__ = Leftovers.NOTHING

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, info=ids("account"))
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    seq: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(default="")  # "", challenged or logged_out
    strikes: Mapped[int] = mapped_column(default=0)  # tries over a limit, counted while they are less than a day apart
    struck_at: Mapped[datetime | None]
    since: Mapped[datetime]
    cleared_at: Mapped[datetime | None]


Act = cast(sa.Table, SandboxAct.__table__)
Effect = cast(sa.Table, SandboxEffect.__table__)
Standing = cast(sa.Table, SandboxStanding.__table__)
BY_TOKEN = sa.select(Act.c.at, Act.c.ref).where(
    Act.c.account_id == sa.bindparam("account_id"), Act.c.token == sa.bindparam("token")
)


def _about(table: sa.Table, is_effect: bool, automatic: Any) -> sa.Select[Any]:
    """Select what the workspace's accounts did to a person, or what came of it."""
    said = (table.c.account_id, table.c.kind, table.c.token, table.c.at, table.c.ref)
    return sa.select(sa.literal(is_effect).label("is_effect"), *said, automatic.label("automatic")).where(
        table.c.workspace_id == sa.bindparam("workspace_id"), table.c.person == sa.bindparam("person")
    )


ABOUT = _about(Act, False, sa.false()).union_all(_about(Effect, True, Effect.c.automatic))
_SEEN_AT = sa.bindparam("seen_at", type_=Effect.c.at.type)
_BY = sa.bindparam("by", type_=Effect.c.at.type)
_OF_ACCOUNT = Effect.c.account_id == sa.bindparam("account_id")
# Two ranges, each with an index: what has come due since, and what was added since but lies before.
_ARRIVED = (
    sa.select(Effect)
    .where(_OF_ACCOUNT, Effect.c.at > _SEEN_AT, Effect.c.at <= _BY)
    .union_all(sa.select(Effect).where(_OF_ACCOUNT, Effect.c.seq > sa.bindparam("seq"), Effect.c.at <= _SEEN_AT))
    .subquery("arrived")
)
NEXT = (
    sa.select(sa.func.min(Effect.c.at))
    .where(_OF_ACCOUNT, Effect.c.at > _SEEN_AT)
    .union_all(sa.select(sa.func.min(Effect.c.at)).where(_OF_ACCOUNT, Effect.c.seq > sa.bindparam("seq")))
)

STANDING = sa.select(Standing).where(Standing.c.account_id == sa.bindparam("account_id"))


def _number_since(moment: str) -> Any:
    """Return how often the account did one kind of act since a moment."""
    same = (Act.c.account_id == Standing.c.account_id, Act.c.kind == sa.bindparam("kind"))
    since = Act.c.at > sa.bindparam(moment, type_=Act.c.at.type)
    return sa.select(sa.func.count()).where(*same, since).correlate(Standing).scalar_subquery().label(moment)


# With the number of acts of one kind in the last day and week.
STANDING_LOCKED = STANDING.with_for_update().add_columns(_number_since("day"), _number_since("week"))
# The state of an account beside each effect that arrived; once without one when nothing did.
INBOX = (
    sa.select(Standing.c.seq.label("last_seq"), Standing.c.state, *_ARRIVED.c)
    .outerjoin(_ARRIVED, _ARRIVED.c.account_id == Standing.c.account_id)
    .where(Standing.c.account_id == sa.bindparam("account_id"))
)
NEW_ACT, NEW_EFFECTS = sa.insert(Act), sa.insert(Effect)


def enter(account: AccountRef, kind: str = "") -> Any:
    """Lock and return the account's state, created at its first act, and its number of acts of that kind."""
    keys = {"account_id": account.id, "kind": kind, "day": account.at - DAY, "week": account.at - WEEK}
    found = fetch(STANDING_LOCKED, **keys)
    if found:
        return found[0]
    first = {"account_id": account.id, "workspace_id": account.workspace_id, "since": account.at}
    session().execute(insert(SandboxStanding).values(**first, seq=0, state="", strikes=0).on_conflict_do_nothing())
    return fetch(STANDING_LOCKED, **keys)[0]


def change(account: AccountRef, **columns: Any) -> None:
    """Update the account's state."""
    execute_many(
        _change(tuple(sorted(columns))), [{"account": account.id} | {f"new_{name}": columns[name] for name in columns}]
    )


@cache
def _change(names: tuple[str, ...]) -> sa.Update:
    values = {name: sa.bindparam(f"new_{name}", type_=Standing.c[name].type) for name in names}
    return sa.update(Standing).where(Standing.c.account_id == sa.bindparam("account")).values(values)


def ref(account: AccountRef, kind: str, token: str) -> str:
    """Return the network's own reference of an act or effect; always the same."""
    name = f"{account.workspace_id}|{account.id}|{token}"
    return f"{kind}_{blake2b(name.encode(), digest_size=10).hexdigest()}"


def add_act(account: AccountRef, action: SenderAction) -> Receipt:
    """Record the act for good."""
    done = Receipt(ref(account, "act", action.token), account.at)
    row = {
        "workspace_id": account.workspace_id,
        "account_id": account.id,
        "kind": action.kind,
        "person": action.person.person,
        "token": action.token,
        "subject": action.subject,
        "text": action.text,
        "at": done.at,
        "ref": done.ref,
    }
    execute_many(NEW_ACT, [row])
    return done


def add_effects(account: AccountRef, seq: int, effects: Sequence[dict[str, Any]]) -> None:
    """Add effects for the account; `seq` is the number of its last effect so far."""
    if not effects:
        return
    common = {"account_id": account.id, "workspace_id": account.workspace_id}
    added = [common | effect | {"seq": seq + number} for number, effect in enumerate(effects, 1)]
    change(account, seq=seq + len(added))
    execute_many(NEW_EFFECTS, added)


def take_back(account: AccountRef, person: str) -> None:
    """Delete the acceptance that the person would have sent later."""
    session().execute(
        sa.delete(Effect).where(
            Effect.c.account_id == account.id,
            Effect.c.person == person,
            Effect.c.kind == "accepted",
            Effect.c.at > account.at,
            Effect.c.late.is_(False),
        )
    )
