"""Turns: every sender whose moment has come does one thing. The only place from which people are contacted."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import leave_database, session, transaction
from app.core.queue import claim_rows
from app.domain import choosing, inbox, intents, parallel, planner, settling, usage
from app.domain.choosing import Candidate, Choice
from app.domain.intents import Intent
from app.domain.settling import Outcome
from app.domain.steps import STEPS
from app.models.accounts import Account, AccountStatus
from app.models.workspaces import Workspace
from app.ports import ProviderError, Unknown

BATCH = 200
LEASE = timedelta(seconds=10)  # without an action; an intent extends it by the provider's patience
_ACCOUNTS: Any = Account.__table__


def run_due(limit: int = BATCH) -> int:
    """Every sender whose turn has come took it, at most `limit` of them per clock; the number of turns."""
    moved = session().scalars(sa.select(Workspace).where(Workspace.clock_offset != 0)).all()
    now = clock.now()
    turns = _round(now, limit, [Account.workspace_id.not_in([workspace.id for workspace in moved])] if moved else [])
    return turns + sum(run_workspace(workspace.id, workspace.now(), limit) for workspace in moved)


def run_workspace(workspace_id: int, at: datetime, limit: int = BATCH) -> int:
    """The senders of one workspace whose turn has come by `at` on its own clock took it; the number of turns."""
    return _round(at, limit, [Account.workspace_id == workspace_id])


def _round(at: datetime, limit: int, where: Sequence[sa.ColumnElement[bool]]) -> int:
    """One turn of each due sender on that clock: look, intend, act, record."""
    marker = at + LEASE
    # A sender that is woken meanwhile has an earlier turn than the marker; one that dies comes back at it.
    claimed = claim_rows(
        Account, Account.turn_at, at, limit=limit, lease=LEASE, where=where, values={"turn_at": marker}
    )
    if not claimed:
        return 0
    accounts = {row.id: row for row in claimed}
    choices = choosing.choose(usage.views(accounts.values(), at), at)
    chosen = [(accounts[sender_id], choice.candidate) for sender_id, choice in choices.items() if choice.candidate]
    inbox.read([account for account, candidate in chosen if _speaks(candidate)], at)
    intended: list[Intent] = []
    if chosen:
        served = {provider: ports.sender(provider) for provider in {account.provider for account, _ in chosen}}
        quarantine = {provider: sender.quarantine for provider, sender in served.items()}
        patience = {provider: sender.patience for provider, sender in served.items()}
        with transaction():
            intended = intents.write(chosen, at, quarantine, patience)
    done = _act(intended)
    with transaction():
        settling.record(done)
        _end_turns(accounts, choices, done, at, marker)
    return len(accounts)


def _speaks(candidate: Candidate | None) -> bool:
    step = choosing.step_of(candidate) if candidate else None
    return bool(step and step.reaches)


def _act(intended: Sequence[Intent]) -> list[Outcome]:
    """The world has been asked for each intent; outside of any transaction."""
    leave_database()
    by_provider: defaultdict[str, list[Intent]] = defaultdict(list)
    for intent in intended:
        by_provider[intent.account.provider].append(intent)
    done: list[Outcome] = []
    for provider, mine in by_provider.items():
        sender = ports.sender(provider)
        done.extend(parallel.each(sender.parallel, partial(_perform, sender), mine))
    return done


def _perform(sender: ports.Sender, intent: Intent) -> Outcome:
    try:
        return Outcome(intent, receipt=sender.act(inbox.reference(intent.account, intent.at), intent.deed))
    except ProviderError as failure:
        return Outcome(intent, failure=failure)
    except Exception as fault:  # noqa: BLE001  an adapter's own mistake: nobody knows whether it took effect
        inbox.LOG.exception("An adapter failed", extra={"fields": {"provider": intent.account.provider}})
        return Outcome(intent, failure=Unknown(f"Unexpected answer ({type(fault).__name__})."))


def _end_turns(
    accounts: dict[int, Any], choices: dict[int, Choice], done: Sequence[Outcome], at: datetime, marker: datetime
) -> None:
    """Each sender knows when its next turn is, and is free for others to claim."""
    acted = {outcome.intent.account.id: outcome for outcome in done}
    _end_quiet_turns(accounts, choices, acted, at, marker)
    rows = []
    for sender_id, outcome in acted.items():
        intent, account = outcome.intent, accounts[sender_id]
        more = intent.part + 1 < intent.parts and outcome.failure is None
        free_at = planner.pause_after(sender_id, account.channel, _budget(intent), more, at)
        columns: dict[str, Any] = {"turn_at": free_at, "free_at": free_at}
        if outcome.failure:
            columns |= settling.account_after(account, outcome.failure, _budget(intent), at)
        rows.append((sender_id, columns))
        if columns.get("status") in (AccountStatus.CHALLENGED, AccountStatus.DISCONNECTED):
            inbox.LOG.warning("A sender was logged out", extra={"fields": {"account": sender_id}})
    _update_grouped(rows)
    _serve(done, at)


def _budget(intent: Intent) -> str:
    return "withdraw" if intent.deed.kind == "withdraw" else STEPS[intent.deed.kind].budget


def _end_quiet_turns(
    accounts: dict[int, Any], choices: dict[int, Choice], acted: dict[int, Outcome], at: datetime, marker: datetime
) -> None:
    """Senders that did nothing: at once again when their person fell away, else when the planner says."""
    rows = []
    for sender_id in accounts:
        if sender_id not in acted:
            choice = choices[sender_id]
            rows.append({"of": sender_id, "marker": marker, "again": at if choice.candidate else choice.again_at})
    if rows:
        session().connection().execute(_END_QUIETLY, rows)


_MARKER = sa.bindparam("marker", type_=_ACCOUNTS.c.turn_at.type)
_AGAIN = sa.bindparam("again", type_=_ACCOUNTS.c.turn_at.type)
_END_QUIETLY = (
    sa.update(_ACCOUNTS)
    .where(_ACCOUNTS.c.id == sa.bindparam("of"))
    .values(turn_at=sa.case((_ACCOUNTS.c.turn_at < _MARKER, _ACCOUNTS.c.turn_at), else_=_AGAIN), claimed_until=None)
)


def _update_grouped(rows: Sequence[tuple[int, dict[str, Any]]]) -> None:
    grouped: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for sender_id, columns in rows:
        grouped[tuple(sorted(columns))].append({"of": sender_id, **{f"new_{name}": columns[name] for name in columns}})
    for names, several in grouped.items():
        session().connection().execute(_end_with(names), several)


@lru_cache(maxsize=32)
def _end_with(names: tuple[str, ...]) -> sa.Update:
    values = {name: sa.bindparam(f"new_{name}", type_=_ACCOUNTS.c[name].type) for name in names}
    return sa.update(_ACCOUNTS).where(_ACCOUNTS.c.id == sa.bindparam("of")).values(**values, claimed_until=None)


def _serve(done: Sequence[Outcome], at: datetime) -> None:
    """The lanes that were served go to the back of the line."""
    rows = [{"c": outcome.intent.campaign.id, "a": outcome.intent.account.id, "at": at} for outcome in done]
    if rows:
        session().connection().execute(_SERVED, rows)


_LANES: Any = choosing.LANES
_SERVED = (
    sa.update(_LANES)
    .where(_LANES.c.campaign_id == sa.bindparam("c"), _LANES.c.account_id == sa.bindparam("a"))
    .values(served_at=sa.bindparam("at", type_=_LANES.c.served_at.type))
)
