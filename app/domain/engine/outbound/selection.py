"""Select each sender's next person or, if there is none, the time to check again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import execute_many, fetch, fetch_by_id, in_batches, insert, session, transaction
from app.domain.approvals import release
from app.domain.ledger import usage
from app.domain.platform import locks
from app.domain.rules import message_templates, planner
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules import places
from app.domain.rules.schedules.places import Place
from app.domain.rules.schedules.working_hours import HandOver
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants import assignment
from app.domain.senders import wake
from app.models.accounts import Account, Budget, Channel
from app.models.campaigns import Campaign, CampaignAccount, CampaignLead, CampaignStatus, LeadState
from app.models.people import Person
from app.models.workspaces import Workspace

_PEOPLE: Any = CampaignLead.__table__
_PERSONS: Any = Person.__table__
MOST_MOVED = 500
LOOK_AGAIN = timedelta(days=1)  # when a person's hours and the sender's never overlap
_ACCOUNTS: Any = Account.__table__


class Queue(NamedTuple):
    """The people of one sender and campaign who wait for the same kind of action."""

    sender: SenderView
    campaign: CampaignView
    state: str
    budget: str


_OUR_DUE = sa.bindparam("at", type_=_PEOPLE.c.due_at.type)
_DUE = (
    sa.select(_PEOPLE.c.id, _PEOPLE.c.due_at, _PERSONS.c.location)
    .join(_PERSONS, _PERSONS.c.id == _PEOPLE.c.person_id)
    .where(
        _PEOPLE.c.sender_id == sa.bindparam("sender"),
        _PEOPLE.c.campaign_id == sa.bindparam("campaign"),
        _PEOPLE.c.state == sa.bindparam("state"),
        _PEOPLE.c.next_budget == sa.bindparam("budget"),
        _PEOPLE.c.due_at <= _OUR_DUE,
    )
    .order_by(_PEOPLE.c.due_at, _PEOPLE.c.id)
    .limit(MOST_MOVED)
)
_MOVE = (
    sa.update(_PEOPLE)
    .where(_PEOPLE.c.id == sa.bindparam("of"), _PEOPLE.c.due_at == sa.bindparam("was", type_=_PEOPLE.c.due_at.type))
    .values(
        due_at=sa.bindparam("until", type_=_PEOPLE.c.due_at.type),
        reason=sa.bindparam("code"),
        error=sa.bindparam("sentence"),
    )
)
_OF_WORKSPACE = sa.select(_ACCOUNTS.c.workspace_id).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def workspaces_of(sender_ids: Iterable[int]) -> set[int]:
    """Return the workspaces of these senders."""
    return {row.workspace_id for row in fetch(_OF_WORKSPACE, ids=sorted(set(sender_ids)))}


def move_on(queues: Sequence[Queue], at: datetime) -> int:
    """Postpone the first people of each queue who may not be contacted at this hour; return how many.

    It is outside of their own hours, or a holiday where they live. They are due, so at the head of the queue they
    would hold up the people behind them.
    """
    with transaction(many_small=True):
        locks.lock_workspaces(workspaces_of(one.sender.id for one in queues))
        rows = [row for queue in queues for row in _moves(queue, at)]
        if rows:
            execute_many(_MOVE, rows)
    return len(rows)


def _moves(queue: Queue, at: datetime) -> list[dict[str, Any]]:
    place = {"sender": queue.sender.id, "campaign": queue.campaign.id, "state": queue.state, "budget": queue.budget}
    found = []
    for row in fetch(_DUE, **place, at=at):
        why = planner.recipient_wait(queue.sender, queue.campaign, places.place_of(row.location), at)
        if why:
            until = why.until or at + LOOK_AGAIN
            found.append({"of": row.id, "was": row.due_at, "until": until, "code": why.code, "sentence": why.detail})
    return found


LANES: Any = CampaignAccount.__table__
_CAMPAIGNS: Any = Campaign.__table__
_WORKSPACES: Any = Workspace.__table__
MOST_ROUNDS = 20  # of postponing people at their wrong hours, before other senders get their turn


class Candidate(NamedTuple):
    """The first person due in one lane (a sender and a campaign), state and budget."""

    campaign_lead_id: int
    sender_id: int
    campaign: Any
    state: str
    budget: str
    due_at: datetime
    step: int
    part: int
    served_at: datetime | None
    parts: int | None = None  # of an approved text
    begins: bool = False  # no step has been done for the person yet
    place: Place = places.NOWHERE


class NextStep(NamedTuple):
    """What a sender does now: a candidate, or nothing until `again_at` (None: until it is woken)."""

    candidate: Candidate | None
    again_at: datetime | None


def _first(state: str, budget: Any) -> Any:
    """Return a subquery for the person due first in a lane (sender and campaign) with that state and budget."""
    return (
        sa.select(_PEOPLE.c.id)
        .where(
            _PEOPLE.c.sender_id == LANES.c.account_id,
            _PEOPLE.c.campaign_id == LANES.c.campaign_id,
            _PEOPLE.c.state == state,
            _PEOPLE.c.next_budget == budget,
            _PEOPLE.c.due_at.is_not(None),
        )
        .order_by(_PEOPLE.c.due_at, _PEOPLE.c.id)
        .limit(1)
        .correlate(LANES)
        .scalar_subquery()
    )


_PLACES = [
    *((LeadState.PENDING, budget) for budget in Budget),
    *((LeadState.ACTIVE, budget) for budget in Budget),
    (LeadState.AWAITING_ACCEPT, "withdraw"),
]
# One index lookup per lane, state and budget, however many people wait.
_FIRSTS = (
    sa.select(
        LANES.c.campaign_id,
        LANES.c.served_at,
        *(_first(state, str(budget)).label(f"p{number}") for number, (state, budget) in enumerate(_PLACES)),
    )
    .join(_CAMPAIGNS, _CAMPAIGNS.c.id == LANES.c.campaign_id)
    .where(
        LANES.c.account_id.in_(sa.bindparam("accounts", expanding=True)),
        _CAMPAIGNS.c.status == CampaignStatus.RUNNING,
    )
)
_COLUMNS = (
    sa.select(
        _PEOPLE.c.id,
        _PEOPLE.c.sender_id,
        _PEOPLE.c.campaign_id,
        _PEOPLE.c.state,
        _PEOPLE.c.next_budget,
        _PEOPLE.c.due_at,
        _PEOPLE.c.step,
        _PEOPLE.c.part,
        _PEOPLE.c.approval_id,
        _PEOPLE.c.begun_at,
        _PEOPLE.c.last_action_at,
        _PERSONS.c.location,
    )
    .join(_PERSONS, _PERSONS.c.id == _PEOPLE.c.person_id)
    .where(
        _PEOPLE.c.id.in_(sa.bindparam("people", expanding=True)),
        _PEOPLE.c.due_at.is_not(None),  # on Postgres they may have been stopped since they were found
    )
)


def pick_next(senders: dict[int, SenderView], at: datetime) -> dict[int, NextStep]:
    """Return the next step of each sender at `at`.

    People whose own hours or holidays forbid it are postponed first, so that they do not hold up the others.
    """
    _hand_over(senders, at)
    found: dict[int, NextStep] = {}
    asked = dict(senders)
    for _ in range(MOST_ROUNDS):
        held = []
        for sender_id, (choice, kept) in _choices(asked, at).items():
            found[sender_id] = choice
            held += kept
        if not held:
            return found
        move_on(held, at)
        asked = {sender_id: senders[sender_id] for sender_id in {one.sender.id for one in held}}
    return found | dict.fromkeys(asked, NextStep(None, at))


def _choices(senders: dict[int, SenderView], at: datetime) -> dict[int, tuple[NextStep, list[Queue]]]:
    """Return each sender's choice, and the queues whose first person may not be contacted at this hour."""
    waiting: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in _candidates(sorted(senders)):
        waiting[candidate.sender_id].append(candidate)
    rows = {one.campaign.id: one.campaign for candidates in waiting.values() for one in candidates}
    begun = usage.begun_today(rows.values(), at)
    views = {
        campaign.id: CampaignView.of(campaign, campaign.workspace_blackouts, begun.get(campaign.id))
        for campaign in rows.values()
    }
    return {sender_id: _choice(sender, waiting[sender_id], views, at) for sender_id, sender in senders.items()}


def _candidates(sender_ids: list[int]) -> list[Candidate]:
    lanes: list[Any] = []
    for batch in in_batches(sender_ids):
        lanes.extend(fetch(_FIRSTS, accounts=batch))
    served = {}
    for lane in lanes:
        for campaign_lead_id in lane[2:]:
            if campaign_lead_id is not None:
                served[campaign_lead_id] = lane.served_at
    campaigns = fetch_by_id(THE_CAMPAIGNS, {lane.campaign_id for lane in lanes})
    found = []
    for batch in in_batches(list(served)):
        people = fetch(_COLUMNS, people=batch)
        drafts = release.load(row.approval_id for row in people)
        for row in people:
            found.append(
                Candidate(
                    row.id,
                    row.sender_id,
                    campaigns[row.campaign_id],
                    row.state,
                    row.next_budget,
                    row.due_at,
                    row.step,
                    row.part,
                    served[row.id],
                    len(drafts[row.approval_id].parts) if row.approval_id in drafts else None,
                    usage.is_new(row),
                    places.place_of(row.location),
                )
            )
    return found


THE_CAMPAIGNS = (
    sa.select(_CAMPAIGNS, _WORKSPACES.c.blackouts.label("workspace_blackouts"))
    .join(_WORKSPACES, _WORKSPACES.c.id == _CAMPAIGNS.c.workspace_id)
    .where(_CAMPAIGNS.c.id.in_(sa.bindparam("ids", expanding=True)))
)


def _choice(
    sender: SenderView, candidates: Sequence[Candidate], views: Mapping[int, CampaignView], at: datetime
) -> tuple[NextStep, list[Queue]]:
    openers = {
        candidate.budget
        for candidate in candidates
        if candidate.state == LeadState.PENDING and not (candidate.begins and views[candidate.campaign.id].is_full(at))
    }
    ready, again, held = [], [], []
    for candidate in candidates:
        view = views[candidate.campaign.id]
        why = planner.decide(
            sender,
            view,
            candidate.budget,
            candidate.due_at,
            at,
            parts=_parts_left(candidate),
            keep_for_openers=candidate.state == LeadState.ACTIVE and candidate.budget in openers,
            continues=candidate.part > 0,
            begins=candidate.begins,
        )
        if why is None:
            if planner.recipient_wait(sender, view, candidate.place, at):
                held.append(Queue(sender, view, candidate.state, candidate.budget))
            else:
                ready.append(candidate)
        elif why.until is not None:
            again.append(why.until)
    if hands_over := _next_hand_over(sender, at):
        again.append(hands_over)
    if ready:
        return NextStep(min(ready, key=_rank), None), held
    return NextStep(None, min(again, default=None)), held


def _parts_left(candidate: Candidate) -> int:
    """Return how many messages the text still has: all must fit into today's limit, so that no one gets half of it."""
    if candidate.budget != Budget.MESSAGE or candidate.part:
        return 1
    if candidate.parts is not None:
        return max(1, candidate.parts)
    sequence = candidate.campaign.sequence
    if candidate.step >= len(sequence):
        return 1
    return max(_parts(text) for text, _ in assignment.texts(sequence[candidate.step]))


@lru_cache(maxsize=1024)  # all people of a campaign share the text before it is filled in
def _parts(text: str) -> int:
    return max(1, len(message_templates.split(text)))


def _rank(candidate: Candidate) -> tuple[Any, ...]:
    """Return the sort key: half-sent texts, then follow-ups by age, then openers of the lane served longest ago."""
    opener = candidate.state == LeadState.PENDING
    served = candidate.served_at.timestamp() if candidate.served_at else 0.0
    return (candidate.part == 0, opener, served if opener else 0.0, candidate.due_at, candidate.campaign_lead_id)


def step_kind(candidate: Candidate) -> Any:
    """Return the kind of step a candidate is at; None for a withdrawal."""
    if candidate.budget in planner.FREE_BUDGETS:
        return None
    return STEPS[candidate.campaign.sequence[candidate.step]["type"]]


_STANDS_IN = sa.select(Account.id, Account.channel, Account.workspace_id).where(
    Account.id == sa.bindparam("to"), Account.active.is_(True)
)


def _hand_over(senders: Mapping[int, SenderView], at: datetime) -> None:
    """Move the new people of senders that are away to their stand-ins. Called before turns are chosen."""
    away = [(sender_id, one.to) for sender_id, view in senders.items() for one in view.hand_overs if _is_away(one, at)]
    if away:
        with transaction(many_small=True):
            locks.lock_workspaces(workspaces_of(sender_id for sender_id, _ in away))
            for sender_id, to in away:
                _move_people(sender_id, to, at)


def _next_hand_over(view: SenderView, at: datetime) -> datetime | None:
    """Return when the sender's next absence with a stand-in begins, at which its people must be moved."""
    return min((one.begins for one in view.hand_overs if one.begins > at), default=None)


def _is_away(one: HandOver, at: datetime) -> bool:
    return one.begins <= at < one.ends


def _move_people(sender_id: int, to: int, at: datetime) -> None:
    """Move the sender's new people without a waiting draft to the stand-in, and create its lanes for them."""
    found = fetch(_STANDS_IN, to=to)
    if not found:  # the stand-in was removed or switched off: the people wait
        return
    column = _PEOPLE.c.mailbox_id if found[0].channel == Channel.EMAIL else _PEOPLE.c.account_id
    moved = fetch(
        sa.update(_PEOPLE)
        .where(
            _PEOPLE.c.sender_id == sender_id,
            _PEOPLE.c.workspace_id == found[0].workspace_id,
            column == sender_id,
            _PEOPLE.c.state == LeadState.PENDING,
            _PEOPLE.c.begun_at.is_(None),
            _PEOPLE.c.last_action_at.is_(None),
            _PEOPLE.c.approval_id.is_(None),
            _PEOPLE.c.due_at.is_not(None),
        )
        .values({"sender_id": to, column.name: to})
        .returning(_PEOPLE.c.campaign_id)
    )
    if moved:
        _open_lanes({row.campaign_id for row in moved}, to, found[0].workspace_id)
        wake.wake_senders([to], at)


def _open_lanes(campaign_ids: Iterable[int], to: int, workspace_id: int) -> None:
    lanes = [
        {"campaign_id": campaign_id, "account_id": to, "workspace_id": workspace_id}
        for campaign_id in sorted(campaign_ids)
    ]
    session().execute(insert(CampaignAccount).on_conflict_do_nothing(), lanes)
