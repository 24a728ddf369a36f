"""Settle an action: update the ledger, the lead, the counters, the messages and the events together."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import execute_many, fetch_by_id, in_list, session, update_each
from app.domain.approvals import drafting, release
from app.domain.conversations import messages as conversation_messages
from app.domain.engine.outbound import begin
from app.domain.engine.outbound.begin import Intent
from app.domain.engine.outbound.doubt import Unproven
from app.domain.ledger import invite_health
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts
from app.domain.platform import locks
from app.domain.rules import next_step
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.sequences import step_keys
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import wake
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import AccountStatus
from app.models.campaigns import OPEN_STATES, CampaignLead, Connection, LeadState
from app.models.ledger import REMOVED_STEP, WITHDRAWAL_STEP, Action, ActionState
from app.ports import AlreadyConnected, LoggedOut, ProviderError, Receipt, Refused, Throttled, Unknown, Unreachable

LOG = logging.getLogger(__name__)
TRY_AGAIN, LONGEST_REST = timedelta(minutes=5), timedelta(days=1)
MOST_ATTEMPTS = 15  # some eight days
SOON_AGAIN = 2  # so many attempts that did not reach the provider are repeated at once
BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)  # puts a person with a half-sent text first in every lane
_PEOPLE: Any = CampaignLead.__table__
_ACTIONS: Any = Action.__table__
_SEEN = (
    "id workspace_id campaign_id account_id mailbox_id wait_for_profile sender_id state step part connection contacted"
    " replied messages_sent invited_at accepted_at last_action_at due_at reason error next_budget approval_id person_id"
    " route skip_steps hand_over_to step_due_at"
).split()
_UNSEEN = object()
_THE_PEOPLE = (
    sa.select(*(_PEOPLE.c[name] for name in _SEEN))
    .where(_PEOPLE.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(_PEOPLE.c.id)
    .with_for_update()
)
_THE_ACTIONS = (
    sa.select(_ACTIONS.c.id, _ACTIONS.c.state, _ACTIONS.c.attempts, _ACTIONS.c.check_at)
    .where(_ACTIONS.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(_ACTIONS.c.id)
    .with_for_update()
)
_INVITES = ("connection_request", "withdraw")
_WITHDRAW = (
    sa.update(_ACTIONS)
    .where(_ACTIONS.c.campaign_lead_id == sa.bindparam("of"), _ACTIONS.c.kind == "connection_request")
    .where(_ACTIONS.c.part >= 0)
    .values(withdrawn_at=sa.bindparam("moment"))
)


class NotStarted(Unreachable):
    """No call was made: earlier calls took so long that the lease might have ended during this one."""


class SkippedByHand(Refused):
    """The step's task was closed undone, by a member or because it expired."""


class Outcome(NamedTuple):
    """The result of an intent: a receipt or a failure; an email that bounced as soon as it was sent has both."""

    intent: Intent
    receipt: Receipt | None = None
    failure: ProviderError | None = None
    found: bool = False  # already done by `intent.at`, by another server (of a restored copy) or an earlier attempt


class Batch:
    """Everything that the outcomes of one round change, collected so that it is written in a few statements."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.happenings: defaultdict[int, list[NewEvent]] = defaultdict(list)
        self.actions: list[dict[str, Any]] = []
        self.people: list[tuple[Any, dict[str, Any]]] = []  # (the row as it is, the columns to change)
        self.withdrawn: list[dict[str, Any]] = []
        self.handed: list[int] = []  # campaign leads whom another sender invites from here on
        self.measured: defaultdict[datetime, set[int]] = defaultdict(set)
        self.said: defaultdict[tuple[datetime, str], list[int]] = defaultdict(list)  # approvals that were sent
        self.unsaid: defaultdict[tuple[datetime, str], list[int]] = defaultdict(list)
        self.held: defaultdict[tuple[int, datetime], list[int]] = defaultdict(list)  # who may need a draft next
        self.facts: dict[int, PersonFacts] = {}  # the facts that conditions need, by campaign lead

    def know(self, intents: Iterable[Intent], rows: Mapping[int, Any]) -> None:
        """Look up the facts that the campaigns' conditions need, for all people of a campaign at once."""
        theirs: defaultdict[int, list[Intent]] = defaultdict(list)
        for intent in intents:
            if intent.campaign_lead_id in rows:
                theirs[intent.campaign.id].append(intent)
        for mine in theirs.values():
            of = [rows[intent.campaign_lead_id] for intent in mine]
            facts = condition_facts.of_many(Flow.of(mine[0].campaign), of, mine[0].at)
            self.facts.update((row.id, facts[row.person_id]) for row in of if row.person_id in facts)

    def status(self, intent: Intent, row: Any, **known: Any) -> LeadStatus:
        """Return the facts about the person that decide on their next step."""
        return LeadStatus.of(row, bool(intent.lead.email), self.facts.get(row.id, NOTHING_KNOWN), **known)

    def write(self) -> None:
        """Write all collected changes. Inside a transaction."""
        update_each(Action, self.actions)
        if self.withdrawn:
            execute_many(_WITHDRAW, self.withdrawn)
            for at, sender_ids in self.measured.items():
                invite_health.refresh_invite_health(sender_ids, at)
        _put_aside(self.handed)
        update_each(CampaignLead, (_only_new(row, changes) for row, changes in self.people))
        self._approve()
        self._wake()
        self.tally.write()
        events.record_all(self.happenings)

    def _approve(self) -> None:
        """Mark drafts as sent or discarded, and write the drafts of the next steps."""
        for (at, reason), approval_ids in self.said.items():
            release.mark_sent(approval_ids, at, reason)
        for (at, reason), approval_ids in self.unsaid.items():
            release.discard(approval_ids, reason, at)
        for (campaign_id, at), campaign_lead_ids in self.held.items():
            drafting.write(campaign_id, at, in_list(CampaignLead.id, campaign_lead_ids))

    def _wake(self) -> None:
        """Wake the sender of each person's next step at its due time."""
        earliest: dict[int, datetime] = {}
        for _, changes in self.people:
            sender_id, due_at = changes.get("sender_id"), changes.get("due_at")
            if sender_id and due_at and (sender_id not in earliest or due_at < earliest[sender_id]):
                earliest[sender_id] = due_at
        moments: defaultdict[datetime, list[int]] = defaultdict(list)
        for sender_id, due_at in earliest.items():
            moments[due_at].append(sender_id)
        for due_at, sender_ids in moments.items():
            wake.wake_senders(sender_ids, due_at)


def _put_aside(campaign_lead_ids: Sequence[int]) -> None:
    """Free the (step, part) keys of former senders' invitations: a negative part lets the next sender invite again."""
    if campaign_lead_ids:
        query = sa.select(_ACTIONS.c.id, _ACTIONS.c.workspace_id, _ACTIONS.c.campaign_lead_id, _ACTIONS.c.step)
        query = query.where(in_list(_ACTIONS.c.campaign_lead_id, campaign_lead_ids), _ACTIONS.c.kind.in_(_INVITES))
        update_each(Action, map(_aside, session().execute(query.where(_ACTIONS.c.part >= 0)).all()))


def _aside(row: Any) -> dict[str, Any]:
    token = begin.idempotency_token(row.workspace_id, row.campaign_lead_id, row.step, -row.id)
    return {"id": row.id, "part": -row.id, "token": token}


def _only_new(row: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row's id and the columns that differ."""
    new = {name: value for name, value in changes.items() if getattr(row, name, _UNSEEN) != value}
    return {"id": row.id, **new}


def record_results(outcomes: Sequence[Outcome]) -> None:
    """Record outcomes in the ledger and move each person on. Inside a transaction.

    An outcome that another worker already recorded changes nothing.
    """
    if not outcomes:
        return
    locks.lock_workspaces(outcome.intent.account.workspace_id for outcome in outcomes)
    outcomes = _unsettled(outcomes)
    batch = Batch()
    rows = reload([outcome.intent.campaign_lead_id for outcome in outcomes])
    batch.know((outcome.intent for outcome in outcomes), rows)
    messages = conversation_messages.outgoing(
        [(one.intent, one.receipt) for one in outcomes if one.receipt and one.intent.campaign_lead_id in rows]
    )
    for outcome in outcomes:
        row = rows.get(outcome.intent.campaign_lead_id)
        if row is None:
            _settle_without_lead(batch, outcome)
        elif outcome.receipt:
            _sent(batch, outcome.intent, outcome.receipt, row, messages.get(outcome.intent.action_id))
        elif outcome.failure:
            _failed(batch, outcome.intent, outcome.failure, row)
        if row is not None and getattr(outcome.intent.campaign, "approval", False):
            batch.held[row.campaign_id, outcome.intent.at].append(row.id)
    batch.write()


def _unsettled(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the outcomes not yet recorded, and those of actions that were wrongly taken for lost."""
    states = fetch_by_id(_THE_ACTIONS, [outcome.intent.action_id for outcome in outcomes])
    found = []
    for outcome in outcomes:
        row = states.get(outcome.intent.action_id)
        same = row is not None and row.attempts == outcome.intent.attempts
        if row and same and (row.check_at or (row.state == ActionState.AGAIN and outcome.receipt)):
            found.append(outcome)
        else:
            LOG.warning("An outcome came too late", extra={"fields": {"action": outcome.intent.action_id}})
    return found


def _settle_without_lead(batch: Batch, outcome: Outcome) -> None:
    """Record the action of a campaign deleted during the call: it counts against the sender's limits."""
    if outcome.receipt:
        _settle(batch, outcome.intent, ActionState.SENT, ref=outcome.receipt.ref)
    elif isinstance(outcome.failure, Unknown):
        _settle(batch, outcome.intent, ActionState.UNKNOWN, sentence=outcome.failure.sentence)
    elif outcome.failure:
        _settle(batch, outcome.intent, ActionState.FAILED, sentence=outcome.failure.sentence)


def mark_unknown(intent: Intent) -> None:
    """Record an unknown outcome: it counts as sent, and a human decides how to continue."""
    batch, rows = Batch(), reload([intent.campaign_lead_id])
    batch.know([intent], rows)
    _sent(batch, intent, Receipt("", intent.at), rows[intent.campaign_lead_id], None, unknown=True)
    batch.write()


def mark_not_sent(intent: Intent) -> None:
    """Record that the network did nothing: the person is due again, later after each attempt."""
    batch, rows = Batch(), reload([intent.campaign_lead_id])
    row = rows[intent.campaign_lead_id]
    batch.know([intent], rows)
    if intent.attempts >= MOST_ATTEMPTS:
        _refused(batch, intent, Refused("Failed after several attempts."), row)
    else:
        again = intent.attempts - SOON_AGAIN
        _again(batch, intent, "", row, intent.at + _rest(again) if again > 0 else intent.at)
    batch.write()


def reload(campaign_lead_ids: list[int]) -> dict[int, Any]:
    """Return the rows as they are now: they may have been paused or stopped during the call."""
    return fetch_by_id(_THE_PEOPLE, campaign_lead_ids)


def _settle(batch: Batch, intent: Intent, state: str, *, ref: str = "", sentence: str = "", check: Any = None) -> None:
    moment = None if check else intent.at
    row = {"id": intent.action_id, "state": state, "settled_at": moment, "check_at": check}
    batch.actions.append({**row, "provider_ref": ref, "error": sentence})


def _sent(batch: Batch, intent: Intent, receipt: Receipt, row: Any, message: Any, unknown: bool = False) -> None:
    """Record a sent action, or with `unknown` one that counts as sent."""
    at = intent.at
    _settle(batch, intent, ActionState.UNKNOWN if unknown else ActionState.SENT, ref=receipt.ref)
    if intent.step == WITHDRAWAL_STEP:
        _withdrawn(batch, intent, row, unknown)
        return
    changes = _count_sent(batch, intent, row, at)
    known = {name: changes[name] for name in changes if name != "messages_sent"}
    standing = batch.status(intent, row, **known)
    if intent.approval_id and intent.part + 1 >= intent.parts:
        without = "" if intent.action.text else release.WITHOUT_NOTE
        batch.said[at, "unknown_outcome" if unknown else without].append(intent.approval_id)
        if row.approval_id == intent.approval_id:
            changes["approval_id"] = None
    _move(batch, row, _place_after(intent, row, standing, at), changes, unknown)
    kind = STEPS[intent.action.kind]
    if not unknown and not kind.by_hand:  # the event of a task is recorded with what came of it
        channel = str(kind.channel) if kind.event == "message_sent" else None
        about = {"campaign": intent.campaign, "lead": intent.lead, "account": intent.account}
        about |= {"progress": _After(row, changes), "message": message, "channel": channel}
        batch.happenings[row.workspace_id].append(events.new(kind.event, at, about))


def _withdrawn(batch: Batch, intent: Intent, row: Any, unknown: bool) -> None:
    """Record a withdrawn invitation; later steps that need a connection are skipped.

    Do nothing if it was accepted meanwhile: the network is slower than its own interface.
    """
    batch.withdrawn.append({"of": row.id, "moment": intent.at})
    batch.measured[intent.at].add(intent.account.id)
    if row.connection == Connection.ACCEPTED:
        return
    if row.hand_over_to and not unknown:
        _handed_over(batch, intent, row)
        return
    standing = batch.status(intent, row, connection=Connection.NONE)
    flow = Flow.of(intent.campaign)
    place = next_step.next_place(flow, row.step, standing, intent.at, step_due_at=row.step_due_at)
    _move(batch, row, place, {"connection": Connection.NONE, "hand_over_to": None}, unknown)


def _handed_over(batch: Batch, intent: Intent, row: Any) -> None:
    """Let the next sender invite the person; steps that were already done are not repeated."""
    flow = Flow.of(intent.campaign)
    invitations = (n for n in flow.before(row.route, row.step) if flow.sequence[n]["type"] == "connection_request")
    invited = next(invitations, row.step)
    had = [*step_keys.keys(flow.sequence)[invited + 1 : row.step], *(row.skip_steps or ())]
    changes = {
        "account_id": row.hand_over_to,
        "hand_over_to": None,
        "connection": Connection.NONE,
        "skip_steps": sorted(set(had)) or None,
    }
    standing = batch.status(
        intent, row, account_id=row.hand_over_to, connection=Connection.NONE, skips=changes["skip_steps"] or ()
    )
    batch.handed.append(row.id)
    _move(batch, row, next_step.next_place(flow, invited, standing, intent.at), changes)


class _After:
    """A campaign lead row as it is after the changes, for events."""

    def __init__(self, row: Any, changes: dict[str, Any]) -> None:
        self.state = changes.get("state", row.state)
        self.connection = changes.get("connection", row.connection)
        self.replied = row.replied
        self.messages_sent = changes.get("messages_sent", row.messages_sent)


def _count_sent(batch: Batch, intent: Intent, row: Any, at: datetime) -> dict[str, Any]:
    """Return the columns that count the action."""
    kind = STEPS[intent.action.kind]
    changes: dict[str, Any] = {"last_action_at": at}
    if kind.name == "connection_request":
        changes |= {"invited_at": at, "connection": Connection.SENT}
        if row.connection == Connection.ACCEPTED:
            del changes["connection"]
        if row.invited_at is None:  # a person counts once, also when the next sender invites them again
            batch.tally.add(row.campaign_id, invites_sent=1)
    if kind.is_message:
        changes["messages_sent"] = row.messages_sent + 1
        batch.tally.add(row.campaign_id, messages_sent=1)
    if kind.reaches and not row.contacted:
        changes["contacted"] = True
        batch.tally.add(row.campaign_id, contacted=1)
    return changes


def _next_step(intent: Intent, row: Any) -> int:
    """Return the step after the action's; if that step was removed, the person is already at the one after it."""
    step: int = row.step if intent.step == REMOVED_STEP else intent.step + 1
    return step


def _place_after(intent: Intent, row: Any, standing: LeadStatus, at: datetime) -> Position:
    if intent.step != REMOVED_STEP and intent.part + 1 < intent.parts:
        budget = STEPS[intent.action.kind].budget
        return Position(LeadState.ACTIVE, intent.step, intent.account.id, budget, BEFORE_ALL, "", intent.part + 1)
    return next_step.next_place(Flow.of(intent.campaign), _next_step(intent, row), standing, at)


def _move(batch: Batch, row: Any, place: Position, changes: dict[str, Any], unknown: bool = False) -> None:
    """Move the person to the new place, unless they left the sequence or were paused during the call."""
    columns = place.columns()
    if row.state in OPEN_STATES:
        changes |= columns
        if unknown:
            changes |= {"state": LeadState.PAUSED, "paused_from": place.state, "reason": "unknown_outcome"}
        batch.tally.move(row.campaign_id, row.state, changes["state"])
    elif row.state == LeadState.PAUSED:
        away = row.reason == "out_of_office"  # then next_budget and due_at say when they are back
        kept = ("step", "part", "sender_id", "route", "step_due_at", *(() if away else ("next_budget", "due_at")))
        changes |= {name: columns[name] for name in kept if name in columns} | {"paused_from": place.state}
    batch.people.append((row, changes))


def _failed(batch: Batch, intent: Intent, failure: ProviderError, row: Any) -> None:
    if isinstance(failure, Unproven):
        _sent(batch, intent, Receipt("", intent.at), row, None, unknown=True)
    elif isinstance(failure, Unknown):
        quarantine = ports.sender(intent.account.provider).quarantine
        check = clock.now() + timedelta(seconds=quarantine)
        _settle(batch, intent, ActionState.UNKNOWN, sentence=failure.sentence, check=check)
    elif isinstance(failure, Refused):
        _refused(batch, intent, failure, row)
    elif isinstance(failure, NotStarted):
        _again(batch, intent, failure.sentence, row, intent.at)
    elif isinstance(failure, Unreachable) and intent.attempts >= MOST_ATTEMPTS:
        _refused(batch, intent, Refused(failure.sentence), row)
    elif isinstance(failure, Unreachable):
        _again(batch, intent, failure.sentence, row, intent.at + _rest(intent.attempts))
    else:
        _again(batch, intent, failure.sentence, row, intent.at)


def _rest(attempts: int) -> timedelta:
    """Return how long to postpone an unreachable person; it doubles with each attempt."""
    return min(TRY_AGAIN * float(2 ** min(attempts - 1, 10)), LONGEST_REST)


def _again(batch: Batch, intent: Intent, sentence: str, row: Any, due_at: datetime) -> None:
    """Make the person due again under the same token, unless they moved on meanwhile."""
    _settle(batch, intent, ActionState.AGAIN, sentence=sentence)
    if row.due_at is not None:
        return
    if row.state in OPEN_STATES:
        due = {"due_at": due_at, "sender_id": row.sender_id, "reason": "", "error": sentence}
        batch.people.append((row, due))
    elif row.state == LeadState.PAUSED:
        batch.people.append((row, {"due_at": due_at, "error": sentence}))


def _refused(batch: Batch, intent: Intent, failure: Refused, row: Any) -> None:
    """Record a final refusal: skip a soft step or an invitation to a connection; at any other step end the sequence."""
    at = intent.at
    needless, by_hand = isinstance(failure, AlreadyConnected), isinstance(failure, SkippedByHand)
    state = ActionState.SKIPPED if needless or by_hand else ActionState.FAILED
    _settle(batch, intent, state, sentence=failure.sentence)
    changes: dict[str, Any] = {} if by_hand else {"error": failure.sentence}
    if intent.approval_id and row.approval_id == intent.approval_id:
        needed = "overtaken" if needless else "refused"
        batch.unsaid[at, needed].append(intent.approval_id)
        changes["approval_id"] = None
    withdrawal = intent.step == WITHDRAWAL_STEP
    if withdrawal and row.connection == Connection.ACCEPTED:
        return
    if row.state not in OPEN_STATES and row.state != LeadState.PAUSED:
        batch.people.append((row, changes))
    elif withdrawal or STEPS[intent.action.kind].soft or needless or by_hand:
        step = row.step if withdrawal else _next_step(intent, row)
        if withdrawal:
            changes["connection"] = Connection.NONE
        elif needless:  # steps that need a connection follow; no acceptance is counted
            changes |= {"connection": Connection.ACCEPTED, "error": ""}
        standing = batch.status(intent, row, connection=changes.get("connection", row.connection))
        due = row.step_due_at if withdrawal else None
        place = next_step.next_place(Flow.of(intent.campaign), step, standing, at, step_due_at=due)
        _move(batch, row, place, changes)
    else:
        changes |= {"state": LeadState.FAILED, "reason": "refused", "due_at": None, "next_budget": ""}
        batch.tally.move(row.campaign_id, row.state, LeadState.FAILED)
        batch.people.append((row, changes | {"finished_at": at}))


def sender_changes_after(account: Any, failure: ProviderError, budget: str, at: datetime) -> dict[str, Any]:
    """Return the sender's columns to change after a failure; {} when the failure is not about the sender."""
    if isinstance(failure, LoggedOut):
        status = AccountStatus.CHALLENGED if failure.challenged else AccountStatus.DISCONNECTED
        return {"status": status, "status_reason": failure.sentence, "status_at": at, "turn_at": None}
    if isinstance(failure, Throttled):
        until = at + timedelta(seconds=failure.retry_after)
        return {"rests": {**account.rests, budget: until.isoformat()}}
    if isinstance(failure, Unreachable):
        return {"turn_at": at + TRY_AGAIN, "free_at": at + TRY_AGAIN}
    return {}
