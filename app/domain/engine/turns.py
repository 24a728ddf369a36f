"""Turns: each due sender does one thing. The only place that contacts people."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock, parallel
from app.core.claims import Claim
from app.core.db import end_read, execute_many, fetch, fetch_by_id, transaction
from app.domain.engine.inbound import effects, poll
from app.domain.engine.outbound import begin as outbound_begin
from app.domain.engine.outbound import doubt, email_recheck, selection, settle
from app.domain.engine.outbound.begin import Intent
from app.domain.engine.outbound.selection import Candidate, NextStep
from app.domain.engine.outbound.settle import NotStarted, Outcome
from app.domain.ledger import invite_health, usage
from app.domain.platform import locks
from app.domain.rules import limits, planner
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import account_events, provider_credentials
from app.models.accounts import STUCK, Account, AccountStatus, Budget
from app.models.workspaces import Workspace, moved
from app.ports import ProviderError, Receipt, RecipientRefused, Unknown

BATCH = 200
LEASE = timedelta(seconds=10)  # without an action; an intent extends it by the provider's patience
_ACCOUNTS: Any = Account.__table__
_WORKSPACES: Any = Workspace.__table__


@dataclass
class Batch:
    """One turn of each of some senders: their chosen steps, and the intents recorded in the ledger."""

    at: datetime
    marker: datetime
    accounts: dict[int, Any] = field(default_factory=dict)
    choices: dict[int, NextStep] = field(default_factory=dict)
    intended: list[Intent] = field(default_factory=list)

    @property
    def chosen(self) -> list[tuple[Any, Candidate]]:
        """Return the senders with a selected person."""
        return [(self.accounts[i], choice.candidate) for i, choice in self.choices.items() if choice.candidate]


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return senders whose turn has come, each by the clock of its workspace."""
    real = clock.now()
    found = claims.due_units(_DUE, most, busy, real=real)
    ahead = fetch(_DUE_AHEAD, real=real, **busy.parameters)
    found += [claims.Due(row.id, row.workspace_id) for row in ahead if row.turn_at <= moved(real, row.clock_offset)]
    return found[:most]


def run(sender_id: int) -> int:
    """Run one sender's turn: choose, poll, record the intent, act, record the outcome; return 1 if it was due.

    It waits for no other sender. A sender that another worker has is left to that worker.
    """
    door = next(iter(fetch(_DOOR, sender=sender_id)), None)
    if door is None or door.turn_at > (at := moved(clock.now(), door.clock_offset)):
        return 0
    found = _choose(at, 1, _OF_SENDER, looked=True, sender=sender_id)
    if not found.accounts:
        return 0
    unread = poll.poll_safely([account for account, candidate in found.chosen if _listens_first(candidate)], found.at)
    for account_id in unread:
        found.choices[account_id] = NextStep(None, found.at + settle.TRY_AGAIN)
    poll.read_other_inboxes([candidate for _, candidate in found.chosen if _listens_first(candidate)], found.at)
    if mailed := [candidate for _, candidate in found.chosen if candidate.budget == Budget.EMAIL]:
        email_recheck.before_mail(mailed, found.at)
    with transaction(many_small=True):
        locks.lock_workspaces(account.workspace_id for account in found.accounts.values())
        _keep_ours(found)
        _intend(found)
    return finish_round(found)


def _keep_ours(found: Batch) -> None:
    """Drop senders whose lease another worker took during a slow poll; let inactive ones do nothing."""
    now = fetch_by_id(_STANDING, found.accounts)
    for account_id in list(found.accounts):
        row = now.get(account_id)
        if row is None or row.claimed_until != found.accounts[account_id].claimed_until:
            del found.accounts[account_id], found.choices[account_id]
        elif not row.active or row.status not in (AccountStatus.CONNECTED, AccountStatus.UNKNOWN):
            found.choices[account_id] = NextStep(None, None)


def run_due(limit: int = BATCH) -> int:
    """Run the turns of due senders one after the other; return how many."""
    return sum(run(found.key) for found in due(limit))


_STANDING = (
    sa.select(_ACCOUNTS.c.id, _ACCOUNTS.c.claimed_until, _ACCOUNTS.c.active, _ACCOUNTS.c.status)
    .where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(_ACCOUNTS.c.id)
    .with_for_update()
)


def begin_round(workspace_id: int, at: datetime, limit: int = BATCH) -> Batch:
    """Claim the due senders of one workspace, choose their steps and record the intents. In a transaction.

    For a caller that has read their inboxes up to `at` and calls `finish_round` after its transaction.
    """
    locks.lock_workspaces([workspace_id])
    found = _choose(at, limit, _OF_ONE, workspace=workspace_id)
    _intend(found)
    return found


def finish_round(found: Batch) -> int:
    """Call the networks for the intents and record the outcomes; return the number of turns."""
    if found.intended:
        _record(_act(found.intended), found.at)
    return len(found.accounts)


def _record(done: Sequence[Outcome], at: datetime) -> None:
    """Record outcomes and end the turns; one outcome that cannot be recorded does not affect the others."""
    try:
        with transaction(many_small=True):
            found = [(outcome.intent, outcome.receipt) for outcome in done if outcome.found and outcome.receipt]
            for intent, receipt in found:
                doubt.enter_found(intent.action_id, intent.action, receipt, intent.at)
            settle.record_results(done)
            for intent, _, failure, _ in done:
                if isinstance(failure, RecipientRefused):
                    effects.apply_refusal(intent.account.id, intent.action, failure, intent.at)
            if found:
                effects.accept_found([intent.campaign_lead_id for intent, _ in found])
            _end_turns(done, at)
    except Exception:
        if len(done) == 1:
            raise
        poll.LOG.exception("A round could not be recorded as a whole")
        for outcome in done:
            try:
                _record([outcome], at)
            except Exception:  # noqa: BLE001  the action is reconciled once the lease has ended
                about = {"account": outcome.intent.account.id}
                poll.LOG.exception("A turn could not be recorded", extra={"fields": about})


_MARKER = sa.bindparam("marker", type_=_ACCOUNTS.c.turn_at.type)
# A sender that is woken during its turn gets an earlier turn than the marker; after a crash the turn comes back at the
# marker. The workspace's columns that a turn needs are selected with its sender, so that they are not queried again.
_OF_WORKSPACE = [
    sa.select(column).where(_WORKSPACES.c.id == _ACCOUNTS.c.workspace_id).correlate(_ACCOUNTS).label(column.name)
    for column in (_WORKSPACES.c.sandbox_seed, _WORKSPACES.c.clock_offset)
]
_OF_ONE, _OF_SENDER = (
    Claim(Account, Account.turn_at, [condition], {"turn_at": _MARKER}, _OF_WORKSPACE)
    for condition in (
        _ACCOUNTS.c.workspace_id == sa.bindparam("workspace"),
        _ACCOUNTS.c.id == sa.bindparam("sender"),
    )
)
_REAL = sa.bindparam("real", type_=_ACCOUNTS.c.turn_at.type)
_FREE = claims.is_free(_ACCOUNTS.c.claimed_until, _REAL)
_DUE = claims.share_fairly(
    _ACCOUNTS.c.id, _ACCOUNTS.c.workspace_id, _ACCOUNTS.c.turn_at, _ACCOUNTS.c.turn_at <= _REAL, _FREE
)
# Sandbox clocks only run ahead: this finds senders that are due by their sandbox's clock, but not yet in real time.
_DUE_AHEAD = claims.leave_out_busy(
    sa.select(_ACCOUNTS.c.id, _ACCOUNTS.c.workspace_id, _ACCOUNTS.c.turn_at, _WORKSPACES.c.clock_offset)
    .join(_WORKSPACES, _WORKSPACES.c.id == _ACCOUNTS.c.workspace_id)
    .where(_WORKSPACES.c.clock_offset != sa.literal_column("0"), _ACCOUNTS.c.turn_at > _REAL, _FREE)
    .order_by(_ACCOUNTS.c.turn_at),
    _ACCOUNTS.c.id,
    _ACCOUNTS.c.workspace_id,
)
_DOOR = (
    sa.select(_WORKSPACES.c.clock_offset, _ACCOUNTS.c.turn_at)
    .join(_ACCOUNTS, _ACCOUNTS.c.workspace_id == _WORKSPACES.c.id)
    .where(_ACCOUNTS.c.id == sa.bindparam("sender"), _ACCOUNTS.c.turn_at.is_not(None))
)


def _choose(at: datetime, limit: int, whose: Claim, *, looked: bool = False, **parameters: Any) -> Batch:
    """Claim the due senders for a lease and choose their next steps."""
    found = Batch(at, at + LEASE)
    claimed = whose.take(at, limit, LEASE, looked=looked, marker=found.marker, **parameters)
    if claimed:
        found.accounts = {row.id: row for row in claimed}
        found.choices = selection.pick_next(_views(claimed, at), at)
    return found


def _views(claimed: Sequence[Any], at: datetime) -> dict[int, planner.SenderView]:
    """Return the senders as the planner sees them; an invitation stop is measured again first."""
    views = usage.views(claimed, at)
    closed = [row for row in claimed if limits.blocks_invites(row.health)]
    if closed:
        with transaction():
            locks.lock_workspaces(row.workspace_id for row in closed)
            for sender_id, health in invite_health.refresh_invite_health([row.id for row in closed], at).items():
                views[sender_id] = replace(views[sender_id], health=health)
    return views


def _intend(found: Batch) -> None:
    """Record intents for the chosen steps that are still allowed; end the turns of the other senders."""
    if chosen := found.chosen:
        served = {account.provider: ports.sender(account.provider) for account, _ in chosen}
        quarantine = {provider: sender.quarantine for provider, sender in served.items()}
        patience = {provider: sender.patience for provider, sender in served.items()}
        found.intended = outbound_begin.record_intents(chosen, found.at, quarantine, patience)
    _end_quiet_turns(found)


def _listens_first(candidate: Candidate) -> bool:
    """Return whether to poll before the step: a message or withdrawal must not overtake a reply."""
    step = selection.step_kind(candidate)
    return step is None or (step.reaches and not step.by_hand)


def _act(intended: Sequence[Intent]) -> list[Outcome]:
    """Call the network for each intent, outside of any transaction."""
    end_read()
    by_provider: defaultdict[str, list[Intent]] = defaultdict(list)
    for intent in intended:
        by_provider[intent.account.provider].append(intent)
    done: list[Outcome] = []
    for provider, mine in by_provider.items():
        sender = ports.sender(provider)
        asked = [(intent, provider_credentials.to_account_ref(intent.account, intent.at)) for intent in mine]
        end_read()
        done.extend(parallel.run_parallel(sender.parallel, partial(_perform, sender), asked))
    return done


def _perform(sender: ports.Sender, asked: tuple[Intent, ports.AccountRef]) -> Outcome:
    intent, account = _backdated(asked[0]), asked[1]
    if intent.latest and clock.now() > intent.latest:  # the lease might end during the call
        return Outcome(intent, failure=NotStarted("The sender's server was too slow. Nothing was sent."))
    try:
        return _already_done(sender, account, intent) or Outcome(intent, receipt=sender.act(account, intent.action))
    except RecipientRefused as refusal:
        return Outcome(intent, receipt=Receipt("", intent.at), failure=refusal)
    except ProviderError as failure:
        return Outcome(intent, failure=failure)
    except Exception as fault:  # noqa: BLE001  an adapter's own mistake: no one knows whether it took effect
        poll.LOG.exception("An adapter failed", extra={"fields": {"provider": intent.account.provider}})
        return Outcome(intent, failure=Unknown(f"Unexpected response ({type(fault).__name__})."))


def _already_done(sender: ports.Sender, account: ports.AccountRef, intent: Intent) -> Outcome | None:
    """Return the outcome of a step that was already done, by a former attempt or another server; None to do it now."""
    since = intent.doubt.since if intent.doubt else intent.first_at if sender.lateness else None
    if since is None:
        return None
    if receipt := doubt.look_first(sender, account, intent.action, since):
        return Outcome(intent._replace(at=min(receipt.at, intent.at)), receipt=receipt, found=True)
    if intent.latest and clock.now() > intent.latest:
        return Outcome(intent, failure=NotStarted("The sender's server was too slow. Nothing was sent."))
    return None


def _backdated(intent: Intent) -> Intent:
    """Date a harmless step of a restored copy from when it was due: the original may have done the steps after it."""
    step = STEPS.get(intent.action.kind)
    due_at = intent.doubt.due_at if intent.doubt and step and step.repeatable else None
    return intent._replace(at=due_at) if due_at else intent


def _end_turns(done: Sequence[Outcome], at: datetime) -> None:
    """Set each acting sender's next turn and release its lease."""
    rows = []
    for outcome in done:
        intent, account = outcome.intent, outcome.intent.account
        more = intent.part + 1 < intent.parts and outcome.failure is None
        pause = partial(planner.gap_after, account.id, account.channel, _budget(intent), at=at)
        free_at = pause(part_follows=False)
        columns: dict[str, Any] = {"turn_at": pause(part_follows=True) if more else free_at, "free_at": free_at}
        if outcome.found:
            columns = {"turn_at": at}
        if outcome.failure:
            columns |= settle.sender_changes_after(account, outcome.failure, _budget(intent), at)
        rows.append((account.id, intent.until, columns))
        if columns.get("status") in STUCK:
            poll.LOG.warning("A sender was logged out", extra={"fields": {"account": account.id}})
    _update_grouped(rows)
    if signed_out := [sender_id for sender_id, _, columns in rows if columns.get("status") in STUCK]:
        account_events.disconnected(signed_out, at)
    _serve(done, at)


def _budget(intent: Intent) -> str:
    return "withdraw" if intent.action.kind == "withdraw" else STEPS[intent.action.kind].budget


def _end_quiet_turns(found: Batch) -> None:
    """End the turns of idle senders: due now if their person dropped out, else when the planner says."""
    acting = {intent.account.id for intent in found.intended}
    rows = []
    for sender_id, choice in found.choices.items():
        if sender_id not in acting:
            again = found.at if choice.candidate else choice.again_at
            lease = found.accounts[sender_id].claimed_until
            rows.append({"of": sender_id, "lease": lease, "marker": found.marker, "again": again})
    if rows:
        execute_many(_END_QUIETLY, rows)


_AGAIN = sa.bindparam("again", type_=_ACCOUNTS.c.turn_at.type)
# A worker that lost the lease leaves the turn to the one that has it.
_OURS = (
    _ACCOUNTS.c.id == sa.bindparam("of"),
    _ACCOUNTS.c.claimed_until == sa.bindparam("lease", type_=_ACCOUNTS.c.claimed_until.type),
)
_END_QUIETLY = (
    sa.update(_ACCOUNTS)
    .where(*_OURS)
    .values(turn_at=sa.case((_ACCOUNTS.c.turn_at < _MARKER, _ACCOUNTS.c.turn_at), else_=_AGAIN), claimed_until=None)
)


def _update_grouped(rows: Sequence[tuple[int, datetime | None, dict[str, Any]]]) -> None:
    grouped: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for sender_id, lease, columns in rows:
        new = {f"new_{name}": columns[name] for name in columns}
        grouped[tuple(sorted(columns))].append({"of": sender_id, "lease": lease, **new})
    for names, several in grouped.items():
        execute_many(_end_with(names), several)


@lru_cache(maxsize=32)
def _end_with(names: tuple[str, ...]) -> sa.Update:
    values = {name: sa.bindparam(f"new_{name}", type_=_ACCOUNTS.c[name].type) for name in names}
    return sa.update(_ACCOUNTS).where(*_OURS).values(**values, claimed_until=None)


def _serve(done: Sequence[Outcome], at: datetime) -> None:
    """Mark the sender and campaign pairs that acted as served now, so that pairs served longer ago go first."""
    rows = [{"c": outcome.intent.campaign.id, "a": outcome.intent.account.id, "at": at} for outcome in done]
    if rows:
        execute_many(_SERVED, rows)


_LANES: Any = selection.LANES
_SERVED = (
    sa.update(_LANES)
    .where(_LANES.c.campaign_id == sa.bindparam("c"), _LANES.c.account_id == sa.bindparam("a"))
    .values(served_at=sa.bindparam("at", type_=_LANES.c.served_at.type))
)
