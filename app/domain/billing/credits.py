"""Credits: every movement is a ledger entry, and the wallet is the sum of the entries.

Spending has two steps: `hold` reserves the credits before the work; then each part of the hold is settled once, as
`capture` when it was worth its price or as `release` when not. An unsettled hold expires after a day.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core import clock, text
from app.core.db import change_rows, insert, session, transaction
from app.core.errors import PlanLimitExceeded
from app.domain.ledger.charts import Bar, Chart
from app.models.billing import CreditEntry, CreditHold, EntryKind, Wallet
from app.models.workspaces import Workspace

HELD_FOR = timedelta(hours=24)
SIGNAL_PRICES = {"hiring": 2, "funding": 2, "techStack": 2, "news": 2, "headcount": 6, "jobChange": 3}
# A mobile number costs every provider several times what an address costs.
CONTACT_PRICES = {"email": 2, "phone": 8}
_WALLET, _HOLD, _ENTRY = Wallet.__table__.c, CreditHold.__table__.c, CreditEntry.__table__.c


@dataclass(frozen=True)
class Balance:
    """The credits owned, those of them that are held, and those that can be spent now."""

    posted: int
    held: int

    @property
    def free(self) -> int:
        """Return the credits that can be spent now."""
        return self.posted - self.held


def grant(workspace: Workspace, amount: int, *, ref: str, note: str = "") -> bool:
    """Grant `amount` credits, once per `ref`; return whether it was the first time."""
    return _give(workspace, EntryKind.GRANT, amount, ref, "plan", note)


def refund(workspace: Workspace, amount: int, *, ref: str, purpose: str, note: str) -> bool:
    """Refund `amount` captured credits, once per `ref`; return whether it was the first time."""
    return _give(workspace, EntryKind.REFUND, amount, ref, purpose, note)


def _give(workspace: Workspace, kind: EntryKind, amount: int, ref: str, purpose: str, note: str) -> bool:
    if amount <= 0:
        raise ValueError("Use an amount above 0.")
    with transaction() as current:
        current.execute(
            insert(Wallet).values(workspace_id=workspace.id, posted=0, held=0).on_conflict_do_nothing(),
        )
        if not _enter(workspace, kind, ref, amount=amount, purpose=purpose, note=note):
            return False
        return _move(workspace.id, amount, 0)


def hold(workspace: Workspace, amount: int, *, ref: str, purpose: str, note: str = "") -> None:
    """Hold `amount` credits under `ref`; raise PlanLimitExceeded that says how many are missing."""
    with transaction() as current:
        if not _move(workspace.id, 0, amount):
            free = balance(workspace).free
            raise PlanLimitExceeded(
                f"This needs {text.counted(amount, 'credit')}, and you have {free:,}. You need {amount - free:,} more.",
                recovery="Look up fewer people, or wait until your plan's credits renew.",
            )
        _enter(workspace, EntryKind.HOLD, ref, held=amount, purpose=purpose, note=note)
        held = CreditHold(
            workspace_id=workspace.id,
            ref=ref,
            amount=amount,
            remaining=amount,
            purpose=purpose,
            note=note,
            expires_at=clock.now() + HELD_FOR,
            created_at=workspace.now(),
        )
        current.add(held)
        current.flush()


def capture(workspace: Workspace, ref: str, amount: int, *, part: str = "", purpose: str = "", note: str = "") -> bool:
    """Capture a part of the hold; return False when it was settled before, or the hold has expired."""
    return _settle(workspace, EntryKind.CAPTURE, ref, amount, part, purpose, note)


def release(workspace: Workspace, ref: str, amount: int, *, part: str = "", purpose: str = "", note: str = "") -> bool:
    """Release a part of the hold; return False when it was settled before, or the hold has expired."""
    return _settle(workspace, EntryKind.RELEASE, ref, amount, part, purpose, note)


def release_rest(workspace: Workspace, ref: str, note: str = "") -> int:
    """Release the rest of the hold; return the number of credits released."""
    with transaction():
        found = _locked(workspace.id, ref)
        if found is None or found.remaining == 0:
            return 0
        freed = int(found.remaining)
        _close(workspace, EntryKind.RELEASE, found, freed, f"{ref}/rest", found.purpose, note)
        return freed


def _settle(workspace: Workspace, kind: EntryKind, ref: str, amount: int, part: str, purpose: str, note: str) -> bool:
    name = f"{ref}/{part}" if part else ref
    with transaction() as current:
        found = _locked(workspace.id, ref)
        if found is None or found.remaining < amount:
            return False
        before = sa.select(_ENTRY.id).where(_ENTRY.workspace_id == workspace.id, _ENTRY.resolves == name)
        if current.execute(before).first() is not None:
            return False
        _close(workspace, kind, found, amount, name, purpose or found.purpose, note)
        return True


def _locked(workspace_id: int, ref: str) -> Any:
    """Return the hold, locked until the transaction ends."""
    _lock(workspace_id)
    where = (_HOLD.workspace_id == workspace_id, _HOLD.ref == ref)
    return session().execute(sa.select(*_HOLD).where(*where).with_for_update()).one_or_none()


def _close(workspace: Workspace, kind: EntryKind, found: Any, amount: int, name: str, purpose: str, note: str) -> None:
    """Settle `amount` credits of the locked hold, by an entry of that kind and name."""
    paid = amount if kind == EntryKind.CAPTURE else 0
    entered = _enter(
        workspace, kind, name, amount=-paid, held=-amount, purpose=purpose, note=note or found.note, resolves=name
    )
    left = sa.update(CreditHold).where(_HOLD.id == found.id, _HOLD.remaining >= amount)
    changed = change_rows(left.values(remaining=_HOLD.remaining - amount))
    if not entered or changed.rowcount != 1 or not _move(workspace.id, -paid, -amount):
        raise RuntimeError(f"The hold {name} doesn't match its wallet.")


def _enter(workspace: Workspace, kind: EntryKind, ref: str, **columns: Any) -> bool:
    """Insert the ledger entry; return False when it exists already."""
    row = {"amount": 0, "held": 0, "resolves": None} | columns
    added = insert(CreditEntry).values(
        workspace_id=workspace.id, kind=str(kind), ref=ref, created_at=workspace.now(), **row
    )
    return session().execute(added.on_conflict_do_nothing().returning(_ENTRY.id)).first() is not None


def _move(workspace_id: int, posted: int, held: int) -> bool:
    """Update the wallet; return False if more would be held than is owned."""
    after, spoken_for = _WALLET.posted + posted, _WALLET.held + held
    fits = (_WALLET.workspace_id == workspace_id, spoken_for >= 0, spoken_for <= after)
    return bool(change_rows(sa.update(Wallet).where(*fits).values(posted=after, held=spoken_for)).rowcount)


def lock(workspace: Workspace) -> None:
    """Lock the workspace's credits until the transaction ends."""
    _lock(workspace.id)


def _lock(workspace_id: int) -> None:
    session().execute(sa.select(_WALLET.workspace_id).where(_WALLET.workspace_id == workspace_id).with_for_update())


def remaining(workspace: Workspace, ref: str) -> int:
    """Return how many credits of the hold are not settled yet."""
    where = (_HOLD.workspace_id == workspace.id, _HOLD.ref == ref)
    return session().scalar(sa.select(_HOLD.remaining).where(*where)) or 0


def keep(workspace: Workspace, ref: str) -> bool:
    """Extend the hold by a day while its work continues; return False when nothing of it is left."""
    with transaction():
        mine = (_HOLD.workspace_id == workspace.id, _HOLD.ref == ref, _HOLD.remaining > 0)
        until = clock.now() + HELD_FOR
        return bool(change_rows(sa.update(CreditHold).where(*mine).values(expires_at=until)).rowcount)


def expire_due(limit: int = 100) -> int:
    """Release up to `limit` expired holds; return how many."""
    due = (_HOLD.remaining > 0, _HOLD.expires_at <= clock.now())
    query = sa.select(_HOLD.workspace_id, _HOLD.ref).where(*due).order_by(_HOLD.expires_at).limit(limit)
    number = 0
    for workspace_id, ref in session().execute(query).all():
        with transaction() as current:
            found, workspace = _locked(workspace_id, ref), current.get(Workspace, workspace_id)
            if found is None or workspace is None or not found.remaining or found.expires_at > clock.now():
                continue
            _close(workspace, EntryKind.EXPIRE, found, found.remaining, f"{ref}/rest", found.purpose, "")
            number += 1
    return number


def balance(workspace: Workspace) -> Balance:
    """Return the credits the workspace owns and holds."""
    row = session().execute(sa.select(_WALLET.posted, _WALLET.held).where(_WALLET.workspace_id == workspace.id)).first()
    return Balance(*row) if row else Balance(0, 0)


def entries(workspace: Workspace, kind: str = "", *, paid: bool = False) -> sa.Select[Any]:
    """Select the movements, all or of one kind; with `paid` only those that changed the owned credits."""
    query = sa.select(CreditEntry).where(CreditEntry.workspace_id == workspace.id)
    if kind:
        query = query.where(CreditEntry.kind == kind)
    return query.where(CreditEntry.amount != 0) if paid else query


def spent(workspace: Workspace, since: datetime) -> list[tuple[datetime, str, int]]:
    """Return the credits spent since then and not refunded: time, purpose, credits."""
    query = sa.select(_ENTRY.created_at, _ENTRY.purpose, -_ENTRY.amount).where(
        _ENTRY.workspace_id == workspace.id,
        _ENTRY.created_at >= since,
        _ENTRY.kind.in_([EntryKind.CAPTURE, EntryKind.REFUND]),
    )
    return [(at, purpose, number) for at, purpose, number in session().execute(query)]


PURPOSES = {"signals": "Signals", "email": "Email addresses", "phone": "Phone numbers"}
DAYS = 30


def chart(workspace: Workspace, days: int = DAYS) -> Chart:
    """Return the credits spent less refunds on each of the last days, in the workspace's time zone."""
    zone = ZoneInfo(workspace.timezone)
    today = workspace.now().astimezone(zone).date()
    paid: Counter[tuple[str, date]] = Counter()
    for at, purpose, number in spent(workspace, workspace.now() - timedelta(days=days)):
        paid[purpose, at.astimezone(zone).date()] += number
    sums = {purpose: sum(number for (of, _), number in paid.items() if of == purpose) for purpose in PURPOSES}
    order = sorted(PURPOSES, key=lambda purpose: -sums[purpose])
    first = today - timedelta(days=days - 1)
    bars = [
        Bar(day, tuple(max(paid[purpose, day], 0) for purpose in order), day == today)
        for day in (first + timedelta(days=number) for number in range(days))
    ]
    return Chart([PURPOSES[purpose] for purpose in order], [""] * len(order), bars)
