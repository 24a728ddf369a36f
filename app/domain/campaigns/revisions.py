"""Revise the steps of a running campaign, so that no person gets a step twice or misses one.

The ledger names an action by person, step and part, so a step that was sent to any person keeps its place and kind for
good; its text, subject and wait may change. Later steps can be added, removed and moved freely, and the people who wait
for one of them are placed again after the last step they got.

Who gets the change: `new`: people who have not reached the step yet; those who wait for a step get its old version, so
those steps are locked as well. `all`: everyone active gets the new version of each step they have not had. In both
cases a text whose first part was sent ends with the old version.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import in_batches, session, transaction
from app.core.errors import Conflict
from app.domain.approvals import drafting, release
from app.domain.campaigns import campaigns, validation
from app.domain.campaigns.validation import Problems
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts
from app.domain.rules import message_templates, revision_effects
from app.domain.rules.branches import Flow
from app.domain.rules.revision_effects import ALL, HELD, NEW, Change, Effect, Revision, Steps, effect_on_lead
from app.domain.rules.variants import assignment
from app.domain.senders import wake
from app.models.accounts import Account
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import (
    CAMPAIGN,
    OPEN_STATES,
    Campaign,
    CampaignLead,
    CampaignStatus,
    LeadState,
)
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace

APPLY_TO = (NEW, ALL)
BRANCHED = (
    "The steps of a campaign with branches stay in their places after launch."
    " Change their texts and waits, or duplicate the campaign."
)
MOVES = {CampaignStatus.PAUSED: "revise_paused", CampaignStatus.SCHEDULED: "revise_scheduled"}
_P = CampaignLead
_SEEN = (
    "id state paused_from step part sender_id next_budget due_at reason kept account_id mailbox_id wait_for_profile"
    " person_id route connection invited_at accepted_at contacted last_action_at approval_id"
).split()


def preview(workspace: Workspace, campaign_id: int, sequence: Steps, apply_to: str) -> Effect:
    """Return the effect of the new steps on active people; nothing is changed."""
    campaign = campaigns.get(workspace, campaign_id)
    _check_allowed(campaign)
    revision = _checked(workspace, campaign, sequence, apply_to)[0]
    return revision_effects.preview_effect(
        revision, [(row, effect_on_lead(row, revision)) for row in _people(campaign)]
    )


def revise(workspace: Workspace, campaign_id: int, sequence: Steps, apply_to: str) -> Campaign:
    """Replace the campaign's steps, for new or for all people; sent steps stay unchanged."""
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, MOVES.get(CampaignStatus(campaign.status), "revise"))
        _wait_for_the_network(campaign)
        revision, mailboxes = _checked(workspace, campaign, sequence, apply_to)
        _assign(campaign, mailboxes)
        changes = [(row, effect_on_lead(row, revision)) for row in _people(campaign)]
        _write(campaign, changes)
        _forget_drafts(changes, revision)
        campaign.sequence = list(revision.after)
        campaign.revision += 1
        session().flush()
        drafting.reconcile(campaign.id, revision.at)
        wake.wake_senders([*campaign.account_ids, *campaign.mailbox_ids], workspace.now())
        return campaign


def _check_allowed(campaign: Campaign) -> None:
    move = MOVES.get(CampaignStatus(campaign.status), "revise")
    if not CAMPAIGN.allows(campaign, move):
        refused = CAMPAIGN.moves[move]
        raise Conflict(refused.refusal.format(state=campaign.status), recovery=refused.recovery)


def _wait_for_the_network(campaign: Campaign) -> None:
    """Raise Conflict while a call is under way: its outcome would place people by the old steps."""
    busy = (
        sa.select(Action.id)
        .join(Account, Account.id == Action.sender_id)
        .where(Action.campaign_id == campaign.id, Action.check_at.is_not(None), Action.state == ActionState.SENDING)
        .where(Account.claimed_until > clock.now())
    )
    if session().scalar(busy.limit(1)) is not None:
        raise Conflict("This campaign is sending something right now.", recovery="Try again in a few seconds.")


def _checked(
    workspace: Workspace, campaign: Campaign, sequence: Steps, apply_to: str
) -> tuple[Revision, Sequence[Account]]:
    """Return the revision and the senders of its emails, or raise every problem at once."""
    problems = Problems()
    if apply_to not in APPLY_TO:
        problems.add("applyTo", "Use new (people not at the step yet) or all (everyone not finished).")
    accounts = validation.check_accounts(workspace, campaign.account_ids, Problems())
    mailboxes = campaigns.mailboxes_for(workspace, accounts, sequence)
    everyone = [*accounts, *(mailbox for mailbox in mailboxes if mailbox not in accounts)]
    branches = (campaign.branches or []) if len(sequence) == len(campaign.sequence) else []
    after = validation.check_sequence(sequence, everyone, problems, branches=branches)
    before, in_flight = campaign.sequence, _unsettled(campaign)
    if campaign.branches and [step["type"] for step in before] != [step.get("type") for step in sequence]:
        problems.add("sequence", BRANCHED)
    fixed = locked_steps(campaign, apply_to)
    if len(after) == len(sequence):
        _check_fixed(before, after, fixed, apply_to, problems)
        for index in sorted({step for step, _ in in_flight}):
            if index < min(fixed, len(after)) and _parts(before[index]) != _parts(after[index]):
                problems.add(
                    f"sequence[{index}].message",
                    "A message of this step is being checked, so its number of messages can't change yet.",
                )
    problems.done()
    people, at = frozenset(person_id for _, person_id in in_flight), workspace.now()
    facts = condition_facts.of_many(Flow(after, branches), _people(campaign), at)
    return Revision(before, after, fixed, apply_to, at, people, branches, facts), mailboxes


def _parts(step: Mapping[str, Any]) -> list[int]:
    return [len(message_templates.split(message)) for message, _ in assignment.texts(step)]


def _check_fixed(before: Steps, after: Steps, fixed: int, apply_to: str, problems: Problems) -> None:
    which = "had this step" if apply_to == ALL else "had this step or is waiting for it"
    if len(after) < fixed:
        problems.add(
            "sequence",
            f"The first {fixed} steps can't move: people have had "
            f"them{'' if apply_to == ALL else ' or are waiting for them'}.",
        )
    for index in range(min(fixed, len(after))):
        if after[index]["type"] != before[index]["type"]:
            problems.add(
                f"sequence[{index}].type",
                f"A person has {which}, so it can't move. Change its text or wait, or add steps after step {fixed}.",
            )


def locked_steps(campaign: Campaign, apply_to: str) -> int:
    """Return how many of the first steps keep their place and kind: those sent, for `new` also those waited for.

    A step that was approved or skipped for a person counts as sent.
    """
    last = sa.select(sa.func.max(Action.step)).where(
        Action.campaign_id == campaign.id, Action.campaign_lead_id.is_not(None), Action.step >= 0
    )
    decided = sa.select(sa.func.max(Approval.step)).where(
        Approval.campaign_id == campaign.id, Approval.status != ApprovalStatus.PENDING, Approval.reason != "overtaken"
    )
    furthest = [session().scalar(last), session().scalar(decided)]
    if apply_to == NEW:
        waited_for = sa.select(sa.func.max(_P.step)).where(
            _P.campaign_id == campaign.id, _P.step < len(campaign.sequence), _is_there()
        )
        furthest.append(session().scalar(waited_for))
    fixed = max((int(step) for step in furthest if step is not None), default=-1) + 1
    return min(fixed, len(campaign.sequence))


def _is_there() -> sa.ColumnElement[bool]:
    """Return the condition: past an earlier step and waiting for this one, but not for an acceptance."""
    active = sa.or_(_P.state == LeadState.ACTIVE, _P.paused_from == LeadState.ACTIVE)
    return sa.and_(_P.state.in_([LeadState.ACTIVE, LeadState.PAUSED]), active, _P.reason.not_in(HELD))


def _people(campaign: Campaign) -> Sequence[Any]:
    """Return active people, and whether they have an email address."""
    columns = [getattr(_P, name) for name in _SEEN]
    query = (
        sa.select(*columns, (Person.email != "").label("has_email"))
        .join(Person, Person.id == _P.person_id)
        .where(_P.campaign_id == campaign.id, _P.state.in_([*OPEN_STATES, LeadState.PAUSED]))
        .order_by(_P.id)
    )
    return session().execute(query).all()


def _unsettled(campaign: Campaign) -> set[tuple[int, int]]:
    """Return (step, person) of the actions with an unknown outcome."""
    query = sa.select(Action.step, Action.campaign_lead_id).where(
        Action.campaign_id == campaign.id, Action.check_at.is_not(None), Action.step >= 0
    )
    return {(int(step), int(person)) for step, person in session().execute(query) if person is not None}


def _assign(campaign: Campaign, mailboxes: Sequence[Account]) -> None:
    """Assign mailboxes to people who reach new email steps, evenly."""
    if not mailboxes or campaign.mailbox_ids:
        return
    campaign.mailbox_ids = [mailbox.id for mailbox in mailboxes]
    campaigns.open_lanes(campaign)
    for number, mailbox in enumerate(mailboxes):
        session().execute(
            sa.update(_P)
            .where(_P.campaign_id == campaign.id, _P.mailbox_id.is_(None), _P.id % len(mailboxes) == number)
            .values(mailbox_id=mailbox.id)
            .execution_options(synchronize_session=False)
        )


def _forget_drafts(changes: Sequence[tuple[Any, Change]], revision: Revision) -> None:
    """Discard drafts and approvals of steps that were replaced; other approvals stay valid."""
    gone = [row for row, change in changes if change.placed and row.approval_id and row.step >= revision.fixed]
    for batch in in_batches(gone):
        release.discard([row.approval_id for row in batch], "overtaken", revision.at)
        session().execute(
            sa.update(_P)
            .where(_P.id.in_([row.id for row in batch]))
            .values(approval_id=None)
            .execution_options(synchronize_session=False)
        )


def _write(campaign: Campaign, changes: Sequence[tuple[Any, Change]]) -> None:
    """Write the changed rows and counters."""
    session().flush()
    tally = Tally()
    grouped: defaultdict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row, change in changes:
        if change.columns:
            names = tuple(sorted(change.columns))
            grouped[names].append({"of": row.id, **{f"new_{name}": change.columns[name] for name in names}})
            tally.move(campaign.id, row.state, change.columns.get("state", row.state))
    table: Any = CampaignLead.__table__
    for names, rows in grouped.items():
        values = {name: sa.bindparam(f"new_{name}", type_=table.c[name].type) for name in names}
        statement = sa.update(table).where(table.c.id == sa.bindparam("of")).values(values)
        for batch in in_batches(rows):
            session().connection().execute(statement, batch)
    tally.write()
    session().expire_all()
