"""Revise the steps of a campaign on its way, so that no person gets a step twice or misses one.

Every step has a key by which the ledger knows it, so any step can be added, reworded, moved and removed: people go on
behind the last step they had, and what they had is skipped for them where it stands now.

Who gets the change: `new`: people who have not reached the step yet; those who wait for a step get its old version.
`all`: everyone active gets the new version of each step they have not had. `chosen`: as `all` for the chosen people, as
`new` for the others. A removed step is sent to no one. In all cases a text whose first part was sent ends with the old
version.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, in_list, session, update_each
from app.core.errors import Conflict
from app.domain.approvals import drafting, release
from app.domain.campaigns import branch_validation, campaigns, validation
from app.domain.campaigns.changes import revision_effects, revision_log
from app.domain.campaigns.changes.revision_effects import (
    ALL,
    CHOSEN,
    HELD,
    NEW,
    Change,
    Effect,
    Revision,
    Steps,
    effect_on_lead,
)
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.validation import Problems
from app.domain.leads.campaign_leads import open_tasks
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts
from app.domain.rules import message_templates
from app.domain.rules.sequences import step_keys
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.variants import assignment
from app.domain.senders import wake
from app.models.accounts import Account
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import (
    CAMPAIGN,
    ENDED_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignRevision,
    CampaignStatus,
    LeadState,
    RevisionKind,
)
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace

APPLY_TO = (NEW, ALL, CHOSEN)
MOST_CHOSEN = 1000
BRANCHED = (
    "In a campaign with branches, steps can't be moved after launch."
    " Change the steps' messages and waits, or duplicate the campaign."
)
SAME_BRANCHES = "Branches can't change after launch. Send the branches unchanged, or leave them out."
MOVES = {CampaignStatus.PAUSED: "revise_paused", CampaignStatus.SCHEDULED: "revise_scheduled"}
_P = CampaignLead
_SEEN = (
    "id state paused_from step part sender_id next_budget due_at reason kept account_id mailbox_id wait_for_profile"
    " person_id route connection invited_at accepted_at contacted last_action_at approval_id skip_steps step_due_at"
).split()


def preview(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, int], Sequence[str], Effect]:
    """Return the effect of the new steps on active people."""
    revision = _checked(workspace, campaign, wanted)[0]
    changes = [(row, effect_on_lead(row, revision)) for row in _people(campaign)]
    effect = revision_effects.preview_effect(revision, changes)
    return _counts(effect), (), effect


def _counts(effect: Effect) -> dict[str, int]:
    return {name: getattr(effect, name) for name in ("affected", "placed", "kept", "untouched")}


def change(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    """Replace the campaign's steps, for new, for all or for chosen people, and note the change."""
    wait_for_the_network(campaign)
    revision, mailboxes = _checked(workspace, campaign, wanted)
    _assign(campaign, mailboxes)
    changes = [(row, effect_on_lead(row, revision)) for row in _people(campaign)]
    _write(campaign, changes)
    _place_ended(campaign, revision)
    _forget_drafts(changes, revision)
    effect = revision_effects.preview_effect(revision, changes)
    if effect.steps:
        revision_log.note(
            workspace,
            campaign,
            RevisionKind.STEPS,
            {"sequence": campaign.sequence},
            {"sequence": list(revision.after)},
            _counts(effect),
            apply_to=wanted.apply_to,
            undoes=undoes,
        )
    campaign.next_key = max(
        step_keys.next_key(campaign.sequence, campaign.next_key), step_keys.next_key(revision.after)
    )
    campaign.sequence = list(revision.after)
    campaign.revision += 1
    session().flush()
    drafting.reconcile(campaign.id, revision.at)
    wake.wake_senders(campaign.sender_ids, workspace.now())


def back(campaign: Campaign, revision: CampaignRevision) -> Wanted:
    """Return the former steps with their keys, so that a restored step is recognized."""
    return Wanted(sequence=revision.before["sequence"], keyed=True)


def move_of(campaign: Campaign) -> str:
    """Return the state machine's move for changing the campaign's steps in its present state."""
    return MOVES.get(CampaignStatus(campaign.status), "revise")


def check_allowed(campaign: Campaign) -> None:
    move = move_of(campaign)
    if not CAMPAIGN.allows(campaign, move):
        refused = CAMPAIGN.moves[move]
        raise Conflict(refused.refusal.format(state=campaign.status), recovery=refused.recovery)


def wait_for_the_network(campaign: Campaign) -> None:
    """Raise Conflict while a call is under way: its outcome would place people by the old steps."""
    busy = (
        sa.select(Action.id)
        .join(Account, Account.id == Action.sender_id)
        .where(Action.campaign_id == campaign.id, Action.check_at.is_not(None), Action.state == ActionState.SENDING)
        .where(Account.claimed_until > clock.now(), Action.kind != open_tasks.KIND)
    )
    if session().scalar(busy.limit(1)) is not None:
        raise Conflict("This campaign is sending something right now.", recovery="Try again in a few seconds.")


def _checked(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[Revision, Sequence[Account]]:
    """Return the revision and the senders of its emails, or raise every problem at once."""
    problems, sequence, apply_to = Problems(), wanted.sequence or (), wanted.apply_to
    if apply_to not in APPLY_TO:
        problems.add("applyTo", "Use new (not at the step yet), all (everyone still in it) or chosen (those you name).")
    people = _chosen(campaign, apply_to, wanted.chosen, problems)
    accounts = validation.check_accounts(workspace, campaign.account_ids, Problems())
    mailboxes = campaigns.mailboxes_for(workspace, accounts, sequence)
    everyone = [*accounts, *(mailbox for mailbox in mailboxes if mailbox not in accounts)]
    branches = (campaign.branches or []) if len(sequence) == len(campaign.sequence) else []
    after = validation.check_sequence(sequence, everyone, problems, branches=branches)
    before, in_flight = campaign.sequence, _unsettled(campaign)
    if campaign.branches and [step["type"] for step in before] != [step.get("type") for step in sequence]:
        problems.add("sequence", BRANCHED)
    if wanted.branches is not None:
        given = branch_validation.check_branches(wanted.branches, len(sequence), problems.add)
        if given != (campaign.branches or []):
            problems.add("branches", SAME_BRANCHES)
    fixed = steps_had(campaign, apply_to)
    if len(after) == len(sequence):
        if campaign.branches:
            after = step_keys.plain(after)  # steps of branches never move: the index is the key
        elif wanted.keyed:
            named = [{**step, step_keys.KEY: key} for step, key in zip(after, step_keys.keys(sequence), strict=True)]
            after = step_keys.shortened(named)
        else:
            after = step_keys.with_keys(before, after, campaign.next_key)
        for key in sorted({step for step, _ in in_flight}):
            was, now = step_keys.place_of(before, key), step_keys.place_of(after, key)
            if was is not None and now is not None and _parts(before[was]) != _parts(after[now]):
                problems.add(
                    f"sequence[{now}].message",
                    "A send from this step is being checked, so the step's number of messages can't change yet.",
                )
    problems.done()
    busy, at = frozenset(person for _, person in in_flight), workspace.now()
    flow = Flow(after, branches)
    facts = condition_facts.of_many(flow, _people(campaign) if flow.looked_up() else (), at)
    had = _had_before(campaign, after)
    return Revision(before, after, fixed, apply_to, at, busy, people, had, branches, facts), mailboxes


def _had_before(campaign: Campaign, after: Steps) -> dict[int, set[int]]:
    """Return, by person, the steps they had that were removed and are now restored."""
    back = set(step_keys.keys(after)) - set(step_keys.keys(campaign.sequence))
    found: defaultdict[int, set[int]] = defaultdict(set)
    acted = sa.select(Action.campaign_lead_id, Action.step).where(
        Action.campaign_id == campaign.id, Action.step.in_(back), Action.campaign_lead_id.is_not(None)
    )
    decided = sa.select(Approval.campaign_lead_id, Approval.step).where(
        Approval.campaign_id == campaign.id, Approval.step.in_(back), Approval.decided_by.is_not(None)
    )
    for query in (acted, decided) if back else ():
        for lead_id, key in session().execute(query.distinct()):
            found[lead_id or 0].add(key)
    return found


def _chosen(campaign: Campaign, apply_to: str, chosen: Sequence[int], problems: Problems) -> frozenset[int]:
    """Return the chosen campaign leads; they matter only for `chosen`."""
    if apply_to == CHOSEN and not 1 <= len(chosen) <= MOST_CHOSEN:
        problems.add("campaignLeadIds", f"Choose 1 to {MOST_CHOSEN:,} people in the campaign.")
        return frozenset()
    for path, sentence in unknown_people(campaign, chosen):
        problems.add(path, sentence)
    return frozenset(chosen) if apply_to == CHOSEN else frozenset()


def unknown_people(campaign: Campaign, chosen: Sequence[int]) -> list[tuple[str, str]]:
    """Return a problem, by path, for each id that is no person of the campaign."""
    known = set(session().scalars(sa.select(_P.id).where(_P.campaign_id == campaign.id, in_list(_P.id, chosen))))
    wrong = [index for index, lead_id in enumerate(chosen) if lead_id not in known]
    return [(f"campaignLeadIds[{index}]", "Person not found in this campaign.") for index in wrong]


def _parts(step: Mapping[str, Any]) -> list[int]:
    return [len(message_templates.split(message)) for message, _ in assignment.texts(step)]


def keys_had(campaign: Campaign) -> set[int]:
    """Return the keys of the steps that people have had; one that was approved or skipped counts as sent."""
    acted = sa.select(Action.step).where(
        Action.campaign_id == campaign.id, Action.campaign_lead_id.is_not(None), Action.step >= 0
    )
    decided = sa.select(Approval.step).where(
        Approval.campaign_id == campaign.id, Approval.status != ApprovalStatus.PENDING, Approval.reason != "overtaken"
    )
    return {*session().scalars(acted.distinct()), *session().scalars(decided.distinct())}


def steps_had(campaign: Campaign, apply_to: str) -> int:
    """Return how many of the first steps people have had; unless the change is for all, also those waited for."""
    furthest = [step_keys.place_of(campaign.sequence, key) for key in keys_had(campaign)]
    if apply_to != ALL:
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
        .where(_P.campaign_id == campaign.id, _P.state.in_(UNENDED_STATES))
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
        change_rows(
            sa.update(_P)
            .where(_P.campaign_id == campaign.id, _P.mailbox_id.is_(None), _P.id % len(mailboxes) == number)
            .values(mailbox_id=mailbox.id)
        )


def _forget_drafts(changes: Sequence[tuple[Any, Change]], revision: Revision) -> None:
    """Discard drafts and approvals of steps that were replaced; other approvals stay valid."""
    gone = [row for row, change in changes if row.approval_id and _is_elsewhere(row, change, revision)]
    release.discard([row.approval_id for row in gone], "overtaken", revision.at)
    update_each(CampaignLead, ({"id": row.id, "approval_id": None} for row in gone))


def _place_ended(campaign: Campaign, revision: Revision) -> None:
    """Move people whose sequence ended to the step where an undo would resume them. Inside a transaction."""
    if step_keys.keys(revision.before) == step_keys.keys(revision.after):
        return
    ended = (_P.campaign_id == campaign.id, _P.state.in_(ENDED_STATES))
    single = sa.or_(_P.skip_steps.is_not(None), in_list(_P.id, list(revision.had)))
    columns = (_P.id, _P.step, _P.skip_steps, _P.state, _P.paused_from, _P.reason)
    own = session().execute(sa.select(*columns).where(*ended, single)).all()
    # One row for each place stands for all rows there; when places move, the others are found by their former place.
    groups = session().execute(sa.select(_P.step, sa.func.min(_P.id)).where(*ended, ~single).group_by(_P.step)).all()
    first = sa.select(*columns).where(in_list(_P.id, [lead_id for _, lead_id in groups]))
    moved = {row.step: revision_effects.place_of_ended(row, revision) for row in session().execute(first)}
    kind = CampaignLead.__table__.c.skip_steps.type
    if moved:
        change_rows(
            sa.update(_P)
            .where(*ended, ~single)
            .values(
                step=sa.case({step: place["step"] for step, place in moved.items()}, value=_P.step, else_=_P.step),
                skip_steps=sa.case(
                    {step: sa.literal(place["skip_steps"], kind) for step, place in moved.items()},
                    value=_P.step,
                    else_=_P.skip_steps,
                ),
            )
        )
    places = ((row.id, revision_effects.place_of_ended(row, revision)) for row in own)
    update_each(CampaignLead, ({"id": of, "step": at["step"], "skip_steps": at["skip_steps"]} for of, at in places))
    session().expire_all()


def _is_elsewhere(row: Any, change: Change, revision: Revision) -> bool:
    """Return whether the person waits for another step than before."""
    place = change.columns.get("step", row.step)
    if row.step >= len(revision.before) or place >= len(revision.after):
        return True
    return step_keys.key_of(revision.before, row.step) != step_keys.key_of(revision.after, place)


def _write(campaign: Campaign, changes: Sequence[tuple[Any, Change]]) -> None:
    """Write the changed rows and counters."""
    session().flush()
    tally = Tally()
    for row, change in changes:
        tally.move(campaign.id, row.state, change.columns.get("state", row.state))
    update_each(CampaignLead, ({"id": row.id, **change.columns} for row, change in changes))
    tally.write()
    session().expire_all()
