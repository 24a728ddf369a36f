"""Variants of a campaign's steps: their numbers from the ledger, the winner (suggested or applied), and undo.

A reply counts for the last text the person got before it, as in the statistics by step. What a person brings about
counts for the rule once their time to answer is over: they replied, got a later text, or `ANSWER_TIME` has passed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns, winner
from app.domain.campaigns.winner import Outcome, Verdict
from app.domain.leads.campaign_leads import filters
from app.domain.ledger.acceptance import DECIDED_AFTER
from app.domain.platform import audit_log, locks
from app.domain.rules.next_step import REPLY_WAIT
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.variants import assignment
from app.domain.senders import wake
from app.models.campaigns import LIVE, Campaign, CampaignLead, CampaignStatus, VariantChoice
from app.models.conversations import Sentiment
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace

ACCEPTED, REPLIES = "accepted", "replies"
INVITATION = "connection_request"
ANSWER_TIME = {ACCEPTED: DECIDED_AFTER, REPLIES: REPLY_WAIT}
ASKED_EVERY = timedelta(days=1)
OPEN = (*LIVE, CampaignStatus.PAUSED, CampaignStatus.LOCKED)
_P = CampaignLead
_NO_NUMBERS = "You can only choose a variant after the campaign starts and before it ends."


@dataclass(frozen=True)
class Rate:
    """A share of people with its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class VariantNumbers:
    """One variant: who got it, who of them has had time to answer, and what they answered."""

    key: str
    share: int
    message: str
    subject: str
    sent: int
    people: int
    accepted: int
    replies: int
    positive: int
    chance: float | None  # probability of being best; None when not compared

    def outcome(self, goal: str) -> Outcome:
        """Return the numbers of one outcome (accepted, replies or positive) among people who had time to answer."""
        return Outcome(self.people, min(self.people, int(getattr(self, goal))))

    def rate(self, goal: str) -> "Rate | None":
        """Return the rate of that outcome; None while no one has had time to answer."""
        found = self.outcome(goal)
        return Rate(found.rate, *winner.interval(found)) if found.people else None


@dataclass(frozen=True)
class Comparison:
    """The variants of one step. `verdict` is None when only one gets people; `choice` says who chose it, if so."""

    step: int
    type: str
    goal: str
    variants: Sequence[VariantNumbers]
    verdict: Verdict | None
    choice: VariantChoice | None

    @property
    def winner(self) -> VariantNumbers | None:
        """Return the variant that the rule names."""
        place = self.verdict.winner if self.verdict else None
        return None if place is None else self.compared[place]

    @property
    def compared(self) -> Sequence[VariantNumbers]:
        """Return the variants that people are still given."""
        return [one for one in self.variants if one.share]


def compare(workspace: Workspace, campaign: Campaign) -> dict[int, Comparison]:
    """Return the comparison of each step that has variants, by its place."""
    wanted = [index for index, step in enumerate(campaign.sequence) if step.get("variants")]
    if not wanted:
        return {}
    counted, choices = _counted(campaign, workspace.now()), _choices(campaign)
    return {index: _compared(campaign.sequence, index, counted, choices) for index in wanted}


def _compared(
    sequence: Sequence[Mapping[str, Any]],
    index: int,
    counted: Mapping[tuple[int, str], Mapping[str, int]],
    choices: Mapping[int, Sequence[VariantChoice]],
) -> Comparison:
    step, key = sequence[index], key_of(sequence, index)
    goal, rows = ACCEPTED if step["type"] == INVITATION else REPLIES, []
    for one in assignment.variants_of(step):
        found = counted.get((key, one["key"]), {})
        numbers = {name: found.get(name, 0) for name in ("sent", ACCEPTED, REPLIES, "positive")}
        rows.append(
            VariantNumbers(
                one["key"],
                one["share"],
                one["message"],
                one["subject"],
                people=numbers["sent"] - found.get("waiting", 0),
                chance=None,
                **numbers,
            )
        )
    verdict = None
    alive = [row for row in rows if row.share]
    if len(alive) > 1:
        liked = [row.outcome("positive") for row in alive]
        verdict = winner.judge([row.outcome(goal) for row in alive], liked if goal == REPLIES else ())
        chances = dict(zip((row.key for row in alive), verdict.chances, strict=True))
        rows = [replace(row, chance=chances.get(row.key)) for row in rows]
    last = choices[key][-1] if key in choices else None
    chosen = last if last and not last.undone_at and [row.key for row in alive] == [last.variant] else None
    return Comparison(index, step["type"], goal, rows, verdict, chosen)


def _choices(campaign: Campaign) -> Mapping[int, list[VariantChoice]]:
    """Return the choices of the campaign by the key of their step, oldest first."""
    query = sa.select(VariantChoice).where(VariantChoice.campaign_id == campaign.id).order_by(VariantChoice.id)
    found: defaultdict[int, list[VariantChoice]] = defaultdict(list)
    for choice in session().scalars(query):
        found[choice.step].append(choice)
    return found


_LATER: Any = sa.orm.aliased(Action)
_HAS_ONE = Action.variant != sa.literal_column("''")  # written as in the index, so that the database uses it
_REACHED_LATER = sa.or_(
    _LATER.state == ActionState.SENT, sa.and_(_LATER.state == ActionState.UNKNOWN, _LATER.check_at.is_(None))
)


def _counted(campaign: Campaign, at: datetime) -> Mapping[tuple[int, str], Mapping[str, int]]:
    """Return, by key of the step and variant, what was sent, what came of it, and how many have time to answer."""
    found: defaultdict[tuple[int, str], dict[str, int]] = defaultdict(dict)
    variant, number = (Action.step, Action.variant), sa.func.count()
    ours = (Action.campaign_id == campaign.id, _HAS_ONE, filters.DONE, Action.part == 0)
    first = sa.select(*variant, number).where(*ours, Action.campaign_lead_id.is_not(None)).group_by(*variant)
    for step, key, people in session().execute(first):
        found[step, key]["sent"] = int(people)
    if any(step["type"] == INVITATION and assignment.variants_of(step) for step in campaign.sequence):
        for step, key, people in session().execute(first.where(Action.accepted_at.is_not(None))):
            found[step, key][ACCEPTED] = int(people)
    last = (
        sa.select(_LATER.step)
        .where(
            _LATER.campaign_lead_id == _P.id,
            _REACHED_LATER,
            _LATER.kind.in_(filters.REACHING),
            _LATER.at <= _P.replied_at,
        )
        .order_by(_LATER.id.desc())
        .limit(1)
    )
    positive = sa.func.sum(sa.case((_P.sentiment == Sentiment.POSITIVE, 1), else_=0))
    replied = (
        sa.select(*variant, number, positive)
        .join(_P, _P.id == Action.campaign_lead_id)
        .where(_P.campaign_id == campaign.id, _P.replied_at.is_not(None), _P.replied.is_(True))
        .where(*ours, Action.step == last.correlate(_P).scalar_subquery())
    )
    for step, key, people, liked in session().execute(replied.group_by(*variant)):
        found[step, key] |= {REPLIES: int(people), "positive": int(liked or 0)}
    for step, key, people in session().execute(_still_waiting(campaign, at, ours).group_by(*variant)):
        found[step, key]["waiting"] = int(people)
    return found


def _still_waiting(campaign: Campaign, at: datetime, ours: Sequence[Any]) -> sa.Select[int, str, int]:
    """Select the texts whose people still have time to answer: a small part of a long campaign."""
    after = sa.exists().where(
        _LATER.campaign_lead_id == Action.campaign_lead_id,
        _LATER.id > Action.id,
        _LATER.step != Action.step,
        _REACHED_LATER,
        _LATER.kind.in_(filters.REACHING),
    )
    asked = sa.and_(
        Action.kind == INVITATION,
        Action.accepted_at.is_(None),
        Action.withdrawn_at.is_(None),
    )
    answered = sa.and_(_P.replied.is_(True), _P.replied_at >= Action.at)
    written = sa.and_(
        Action.kind != INVITATION, Action.at > at - ANSWER_TIME[REPLIES], sa.not_(answered), sa.not_(after)
    )
    return (
        sa.select(Action.step, Action.variant, sa.func.count())
        .join(_P, _P.id == Action.campaign_lead_id)
        .where(*ours, Action.at > at - max(ANSWER_TIME.values()), sa.or_(asked, written))
    )


def choose(workspace: Workspace, campaign_id: int, step: int, key: str) -> Campaign:
    """Give this variant to everyone who has no text of the step yet; the others keep theirs."""
    with transaction():
        campaign = _open(workspace, campaign_id)
        found = compare(workspace, campaign).get(step)
        if found is None:
            raise InvalidRequest.of(("step", "This step has no variants."))
        chosen = next((row for row in found.variants if row.key == key), None)
        if chosen is None:
            raise InvalidRequest.of(("variant", f"Use one of {', '.join(row.key for row in found.variants)}."))
        if [row.key for row in found.compared] == [key]:
            raise Conflict(f"Everyone already gets variant {key}.", recovery="Undo that choice, or change the shares.")
        _take(workspace, campaign, found, chosen, automatic=False)
        return campaign


def _open(workspace: Workspace, campaign_id: int) -> Campaign:
    campaign = campaigns.locked(workspace, campaign_id)
    if campaign.status not in OPEN:
        raise Conflict(_NO_NUMBERS, recovery="Change a draft's shares, or duplicate a campaign that has ended.")
    return campaign


def _take(
    workspace: Workspace, campaign: Campaign, found: Comparison, chosen: VariantNumbers, *, automatic: bool
) -> None:
    """Give the variant to everyone without a text, and record the choice. Inside a transaction."""
    step = campaign.sequence[found.step]
    before, after = assignment.shares_of(step), {chosen.key: 100}
    session().add(
        VariantChoice(
            workspace_id=workspace.id,
            campaign_id=campaign.id,
            step=key_of(campaign.sequence, found.step),
            variant=chosen.key,
            shares=before,
            automatic=automatic,
            actor="" if automatic else actor.get().name,
            chance=chosen.chance or 0.0,
            at=workspace.now(),
        )
    )
    _share_out(workspace, campaign, found.step, after)
    kind = "campaign.winner_taken" if automatic else "campaign.variant_chosen"
    audit_log.record(
        workspace,
        kind,
        campaign.name,
        before=_shares_for_audit_log(found.step, before),
        after=_shares_for_audit_log(found.step, after),
    )


def _share_out(workspace: Workspace, campaign: Campaign, step: int, shares: Mapping[str, int]) -> None:
    """Change the shares, and increase the revision so that no turn sends by the former ones."""
    steps = list(campaign.sequence)
    steps[step] = assignment.with_shares(steps[step], shares)
    campaign.sequence = steps
    campaign.revision += 1
    session().flush()
    wake.wake_senders(campaign.sender_ids, workspace.now())


def _shares_for_audit_log(step: int, shares: Mapping[str, int]) -> dict[str, str]:
    return {f"step {step + 1}": ", ".join(f"{key} {share}" for key, share in shares.items() if share)}


def undo(workspace: Workspace, campaign_id: int, step: int) -> Campaign:
    """Undo the last choice: everyone who has no text yet gets the shares from before it."""
    with transaction():
        campaign = _open(workspace, campaign_id)
        found = compare(workspace, campaign).get(step)
        choice = found.choice if found else None
        if choice is None:
            raise Conflict("No variant was chosen for this step.", recovery="Choose one first.")
        shares = {key: choice.shares.get(key, 0) for key in assignment.shares_of(campaign.sequence[step])}
        if not any(shares.values()):
            raise Conflict("The variants you had before no longer exist.", recovery="Change the step's shares.")
        choice.undone_at = workspace.now()
        _share_out(workspace, campaign, step, shares)
        before = _shares_for_audit_log(step, {choice.variant: 100})
        audit_log.record(
            workspace,
            "campaign.variant_undone",
            campaign.name,
            before=before,
            after=_shares_for_audit_log(step, shares),
        )
        return campaign


def switch(workspace: Workspace, campaign_id: int, *, on: bool) -> Campaign:
    """Set whether winners are applied automatically in this campaign, or only suggested."""
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        was = campaign.pick_winner_at is not None
        if was != on:
            campaign.pick_winner_at = workspace.now() if on else None
            audit_log.record(
                workspace, "campaign.pick_winner", campaign.name, before={"taken": was}, after={"taken": on}
            )
        return campaign


def pick(workspace: Workspace, at: datetime) -> int:
    """Apply the winners of the campaigns that are due for a check; return how many were checked."""
    query = sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id, is_due(at)).order_by(Campaign.id)
    ids = session().scalars(query).all()
    for campaign_id in ids:
        with locks.changing(workspace.id) as current:
            due = sa.select(Campaign).where(Campaign.id == campaign_id, is_due(at)).with_for_update()
            campaign = current.scalars(due.execution_options(populate_existing=True)).one_or_none()
            if campaign is not None:
                _pick(workspace, campaign, at)
    return len(ids)


def is_due(at: Any) -> sa.ColumnElement[bool]:
    """Return the condition that a campaign is due for the check for winners."""
    return sa.and_(Campaign.status == CampaignStatus.RUNNING, Campaign.pick_winner_at <= at)


def _pick(workspace: Workspace, campaign: Campaign, at: datetime) -> None:
    """Choose the variant that the winner rule names, unless a member undid that choice."""
    choices = _choices(campaign)
    for found in compare(workspace, campaign).values():
        theirs = choices.get(key_of(campaign.sequence, found.step), [])
        refused = any(choice.automatic and choice.undone_at for choice in theirs)
        if found.winner and not refused:
            _take(workspace, campaign, found, found.winner, automatic=True)
    campaign.pick_winner_at = at + ASKED_EVERY
