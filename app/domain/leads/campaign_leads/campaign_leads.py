"""Campaign leads: pause, resume, stop and exclude one person."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import change_rows, get_owned, in_list, session
from app.core.errors import Conflict, NotFound
from app.core.paging import few_or_each
from app.domain.approvals import drafting, release
from app.domain.leads.campaign_leads import open_tasks
from app.domain.ledger.campaign_counters import SENTIMENTS, Tally, count_move
from app.domain.people import condition_facts, duplicates, tag_index
from app.domain.people.exclusions.company_holds import HELD
from app.domain.platform import locks
from app.domain.rules import next_step
from app.domain.rules.reasons import OF_TEXTS
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.sequences.step_keys import key_of
from app.domain.senders import wake
from app.domain.webhooks import events
from app.models.accounts import Account, Budget, Channel
from app.models.campaigns import (
    CAMPAIGN_LEAD,
    ENDED_STATES,
    OPEN_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    Connection,
    LeadState,
)
from app.models.conversations import Conversation, Direction, Message, Sentiment
from app.models.leads import Lead
from app.models.ledger import WITHDRAWAL_STEP, Action
from app.models.people import Person
from app.models.workspaces import Workspace

# after these pauses, a wait that was not over continues
KEEPS_PLACE = ("paused_by_you", "wrote_by_hand", "unknown_outcome", "never_contact", HELD, "not_handed_over")


def page(
    workspace: Workspace,
    campaign_id: int,
    state: str = "",
    replied_since: datetime | None = None,
    tag: str = "",
) -> sa.Select[CampaignLead, Lead]:
    """Select the campaign's leads with their people, in the order of enrolment."""
    get_owned(Campaign, workspace, campaign_id)
    query = (
        sa.select(CampaignLead, Lead)
        .join(Lead, Lead.id == CampaignLead.lead_id)
        .join(Person, Person.id == CampaignLead.person_id)
        .where(CampaignLead.campaign_id == campaign_id, CampaignLead.workspace_id == workspace.id)
    )
    if state:
        query = query.where(CampaignLead.state == state)
    if replied_since is not None:
        wrote = (Message.direction == Direction.IN, Message.automatic.is_(False), Message.at >= replied_since)
        again = sa.exists().where(Message.campaign_lead_id == CampaignLead.id, *wrote)
        first = CampaignLead.replied_at >= replied_since  # includes replies that a member marked, without a message
        later = sa.and_(CampaignLead.replied.is_(True), sa.or_(first, again))
        those = sa.select(CampaignLead.id).where(CampaignLead.campaign_id == campaign_id, later)
        query = query.where(few_or_each(those, CampaignLead.id, later))
    if tag:
        query = query.where(tag_index.has(workspace.id, tag, CampaignLead.person_id))
    return query


def get(workspace: Workspace, campaign_id: int, person_id: int, *, lock: bool = False) -> CampaignLead:
    """Return the campaign lead, or raise NotFound. `lock` reads it for update."""
    person = get_owned(CampaignLead, workspace, person_id, lock=lock)
    if person.campaign_id != campaign_id:
        raise NotFound("Person not found in this campaign.")
    return person


def still_there(workspace_id: int, person_id: int | None, *where: sa.ColumnElement[bool]) -> Sequence[CampaignLead]:
    """Return the person's campaign leads that have not ended, locked and as they are now. Inside a transaction."""
    theirs = (CampaignLead.workspace_id == workspace_id, CampaignLead.person_id == (person_id or 0))
    query = sa.select(CampaignLead).where(*theirs, CampaignLead.state.in_(UNENDED_STATES), *where)
    locked = query.order_by(CampaignLead.id).with_for_update().execution_options(populate_existing=True)
    return session().scalars(locked).all()


def in_campaign(workspace: Workspace, campaign_id: int, person_id: int) -> CampaignLead:
    """Return the campaign lead of a person of the workspace, from whichever list, or raise NotFound."""
    found = [one for one, campaign in campaigns_of(workspace, person_id) if campaign.id == campaign_id]
    if not found:
        raise NotFound("Person not found in this campaign.")
    return cast(CampaignLead, found[0])


def of_thread(thread: Conversation) -> sa.Select[CampaignLead]:
    """Select the newest campaign lead of the conversation's person in its campaign."""
    theirs = (CampaignLead.campaign_id == (thread.campaign_id or 0), CampaignLead.person_id == thread.person_id)
    return sa.select(CampaignLead).where(*theirs).order_by(CampaignLead.id.desc()).limit(1)


def pause(workspace: Workspace, campaign_id: int, person_id: int) -> CampaignLead:
    """Pause a lead until a person resumes them."""
    with locks.changing(workspace.id):
        person = get(workspace, campaign_id, person_id, lock=True)
        pause_for(person, "paused_by_you")
        return person


def pause_for(person: CampaignLead, reason: str) -> None:
    """Pause the campaign lead with that reason. Inside a transaction."""
    before = person.state
    CAMPAIGN_LEAD.move(person, "pause")
    person.paused_from, person.reason = before, reason
    count_move(person, before)
    if reason == HELD:
        tell_held([person])


def tell_held(people: Sequence[CampaignLead]) -> None:
    """Record that these people wait, because someone else at their company replied. Inside a transaction."""
    current = session()
    for person in people:
        campaign, lead = current.get_one(Campaign, person.campaign_id), current.get_one(Lead, person.lead_id)
        account = current.get(Account, person.account_id or person.mailbox_id or 0)
        at = current.get_one(Workspace, person.workspace_id).now()
        about = {"campaign": campaign, "lead": lead, "account": account, "progress": person}
        events.record(person.workspace_id, [events.new("person_held", at, about)])


def resume(workspace: Workspace, campaign_id: int, person_id: int) -> CampaignLead:
    """Resume the campaign lead at the step it was paused at."""
    with locks.changing(workspace.id):
        person = get(workspace, campaign_id, person_id, lock=True)
        if person.reason == "same_person":
            raise Conflict(
                "After a merge, this person is in the campaign twice.",
                recovery="Undo the merge, or resume the other entry of this person.",
            )
        campaign = get_owned(Campaign, workspace, campaign_id)
        lead = get_owned(Lead, workspace, person.lead_id)
        if person.reason == HELD:  # else the check before sending would hold them again
            codes = [*(person.let_in or {}).get("codes", ()), person.reason]
            person.let_in = {"codes": codes, "by": actor.get().name, "at": workspace.now().isoformat()}
        resume_one(campaign, person, bool(lead.email), workspace.now())
        return person


def tell_apart(workspace: Workspace, *both: int) -> None:
    """Remember that these two people are not the same; a possible duplicate that waited for this continues."""
    duplicates.tell_apart(workspace, *both)
    ours = (CampaignLead.workspace_id == workspace.id, CampaignLead.person_id.in_(both))
    held = (CampaignLead.state == LeadState.PAUSED, CampaignLead.reason == "possible_duplicate")
    for one in session().scalars(sa.select(CampaignLead).where(*ours, *held)).all():
        resume(workspace, one.campaign_id, one.id)


def resume_one(campaign: Campaign, person: CampaignLead, has_email: bool, at: datetime) -> None:
    """Resume a paused campaign lead. Inside a transaction."""
    before, paused_from = person.state, person.paused_from
    stood = (person.step, person.next_budget)
    kept_due = person.due_at if person.reason in KEEPS_PLACE else None
    CAMPAIGN_LEAD.move(person, "resume")
    accepted = person.accepted_at if paused_from == LeadState.AWAITING_ACCEPT else None
    flow = Flow.of(campaign)
    standing = condition_facts.standing_of(flow, person, has_email, at)
    step_due_at = person.step_due_at if accepted or kept_due else None
    waited = accepted is None and step_due_at is None
    place = next_step.next_place(flow, person.step, standing, accepted or at, waited=waited, step_due_at=step_due_at)
    part = person.part if place.step == person.step else 0
    place.give(person)
    person.part, person.paused_from, person.error = part, "", ""
    if paused_from == LeadState.PENDING:
        person.state = LeadState.PENDING
    if kept_due and kept_due > at and stood == (place.step, place.next_budget):
        person.due_at = kept_due
    if _in_flight(campaign, person):
        person.due_at = None
        person.reason = "task_open" if person.next_budget == Budget.TASK else "in_flight"
    count_move(person, before)
    if campaign.approval or person.approval_id:
        drafting.reconcile(campaign.id, at, CampaignLead.id == person.id)
        session().refresh(person)
    wake.wake_senders([person.sender_id], person.due_at or at)


def go_on(campaign: Campaign, person: CampaignLead, has_email: bool, at: datetime) -> None:
    """Continue a campaign lead after the wait for a reply, or for a step. Inside a transaction."""
    before = person.state
    condition_facts.place_of(campaign, person, has_email, at, step_due_at=person.step_due_at).give(person)
    count_move(person, before)
    if campaign.approval:
        drafting.write(campaign.id, at, CampaignLead.id == person.id)
        session().refresh(person)
    wake.wake_senders([person.sender_id], person.due_at or at)


def let_in(campaign: Campaign, person: CampaignLead, came_from: str, at: datetime, *, held: bool) -> None:
    """Let an excluded person go on from a state, or wait there when their company is held. Inside a transaction."""
    before = person.state
    CAMPAIGN_LEAD.move(person, "let_in")
    person.paused_from, person.reason, person.error, person.finished_at = came_from, "company_held", "", None
    count_move(person, before)
    if not held:
        resume_one(campaign, person, bool(person.person.email), at)


def _in_flight(campaign: Campaign, person: CampaignLead) -> bool:
    """Return whether the action of the lead's step has an unknown outcome, so that it must not start again."""
    step, part = WITHDRAWAL_STEP, 0
    if person.next_budget != "withdraw":
        if person.step >= len(campaign.sequence):
            return False
        step, part = key_of(campaign.sequence, person.step), person.part
    query = sa.select(Action.id).where(
        Action.campaign_lead_id == person.id,
        Action.step == step,
        Action.part == part,
        Action.check_at.is_not(None),
    )
    return session().scalar(query) is not None


def last_state(person: CampaignLead) -> LeadState:
    """Return in which state the person was before they were left out, or their campaign failed."""
    if person.connection == Connection.SENT:
        return LeadState.AWAITING_ACCEPT
    return LeadState.ACTIVE if person.last_action_at else LeadState.PENDING


def stop(workspace: Workspace, campaign_id: int, person_id: int) -> CampaignLead:
    """Stop the campaign for this lead."""
    with locks.changing(workspace.id):
        person = get(workspace, campaign_id, person_id, lock=True)
        finish(person, "stop", "stopped_by_you", workspace.now())
        return person


def remove(workspace: Workspace, campaign_id: int, person_id: int) -> CampaignLead:
    """Remove the person from the campaign; nothing more is sent to them in it."""
    with locks.changing(workspace.id):
        person = get(workspace, campaign_id, person_id, lock=True)
        finish(person, "exclude", "excluded_by_you", workspace.now())
        return person


def finish(person: CampaignLead, move: str, reason: str, at: datetime, error: str = "") -> None:
    """End the sequence for the campaign lead with that move, and count it. Inside a transaction."""
    before = person.state
    CAMPAIGN_LEAD.move(person, move)
    person.reason, person.error = reason, error
    if person.next_budget in (Budget.TASK, "back"):
        session().flush()
        open_tasks.drop(CampaignLead.id == person.id)
    person.due_at, person.next_budget, person.finished_at = None, "", at
    if person.approval_id:
        release.discard([person.approval_id], reason, at)
        person.approval_id = None
    count_move(person, before)


def count_reply(person: CampaignLead, at: datetime | None, tone: str = Sentiment.POSITIVE) -> None:
    """Count the first reply of the campaign lead, or with None take it back. Inside a transaction."""
    tone, change = (tone, 1) if at else (person.sentiment, -1)
    person.replied, person.replied_at, person.sentiment = at is not None, at, tone if at else ""
    session().flush()
    tally = Tally()
    tally.add(person.campaign_id, **{"replies": change, SENTIMENTS[tone]: change})
    tally.write()


def count_tone(person: CampaignLead, tone: str) -> None:
    """Change the counted sentiment of a campaign lead who has replied. Inside a transaction."""
    if person.sentiment in ("", tone):
        return
    tally = Tally()
    tally.add(person.campaign_id, **{SENTIMENTS[person.sentiment]: -1, SENTIMENTS[tone]: 1})
    person.sentiment = tone
    session().flush()
    tally.write()


def reopen(person: CampaignLead, before: Mapping[str, Any], at: datetime) -> None:
    """Restore an ended campaign lead to the state before the end. Inside a transaction."""
    ended = person.state
    CAMPAIGN_LEAD.move(person, "reopen")
    paused = before["state"] == LeadState.PAUSED
    person.paused_from = before["paused_from"] if paused else before["state"]
    person.reason = before["reason"] if paused else "paused_by_you"
    person.due_at, person.next_budget, person.finished_at = before["due_at"], before["next_budget"], None
    count_move(person, ended)
    if not paused:
        campaign = session().get_one(Campaign, person.campaign_id)
        resume_one(campaign, person, bool(person.person.email), at)


def exclude_many(workspace: Workspace, person_ids: Sequence[int], reason: str) -> None:
    """Exclude those of the campaign leads that are still active."""
    with locks.changing(workspace.id) as current:
        query = (
            sa.select(CampaignLead)
            .where(CampaignLead.workspace_id == workspace.id, CampaignLead.id.in_(person_ids))
            .where(CampaignLead.state.not_in(ENDED_STATES))
            .order_by(CampaignLead.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        people = current.scalars(query).all()
        for person in people:
            finish(person, "exclude", reason, workspace.now())


def refresh_changed(workspace: Workspace, person_ids: Sequence[int]) -> None:
    """Check people again after their values changed: some waited for a value, a shorter text or a profile."""
    at = workspace.now()
    waiting: set[int | None] = _go_on_with_profile(workspace, person_ids, at)
    woken = (
        sa.update(CampaignLead)
        .where(CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person_id, person_ids))
        .where(CampaignLead.reason.in_(OF_TEXTS), CampaignLead.state.in_(OPEN_STATES))
        .values(due_at=at)
        .returning(CampaignLead.sender_id)
    )
    waiting.update(change_rows(woken).scalars())
    drafting.refresh(workspace, person_ids)
    wake.wake_senders(waiting, at)


def _go_on_with_profile(workspace: Workspace, person_ids: Sequence[int], at: datetime) -> set[int | None]:
    """Give people whose profile is known now a social sender, and go on where they waited; return their senders."""
    query = (
        sa.select(CampaignLead, Campaign, Person.email)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .join(Person, Person.id == CampaignLead.person_id)
        .where(CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person_id, person_ids))
        .where(CampaignLead.wait_for_profile, CampaignLead.state.not_in(ENDED_STATES), Person.public_id != "")
        .order_by(CampaignLead.id)
    )
    found: set[int | None] = set()
    for person, campaign, email in session().execute(query).all() if person_ids else ():
        social = sa.select(Account.id).where(
            Account.workspace_id == workspace.id,
            Account.channel == Channel.SOCIAL,
            Account.id.in_(campaign.account_ids),
        )
        accounts = session().scalars(social.order_by(Account.id)).all()
        person.wait_for_profile, person.account_id = False, accounts[person.id % len(accounts)] if accounts else None
        if person.reason == "no_profile" and person.state in OPEN_STATES:
            place, before = condition_facts.place_of(campaign, person, bool(email), at), person.state
            place.give(person)
            if before == LeadState.PENDING and place.state == LeadState.ACTIVE:
                person.state = before
            count_move(person, before)
            found.add(person.sender_id)
            if campaign.approval:
                drafting.reconcile(campaign.id, at, CampaignLead.id == person.id)
    session().flush()
    return found


def campaigns_of(workspace: Workspace, person_id: int) -> Sequence[Any]:
    """Return every campaign of the person, newest first, as (campaign lead, campaign)."""
    query = (
        sa.select(CampaignLead, Campaign)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(CampaignLead.workspace_id == workspace.id, CampaignLead.person_id == person_id)
        .order_by(CampaignLead.id.desc())
    )
    return session().execute(query).all()


def latest(workspace: Workspace, person_ids: Sequence[int]) -> dict[int, tuple[CampaignLead, str]]:
    """Return the newest campaign lead of each person, with the campaign's name; one that left them out comes last."""
    query = (
        sa.select(CampaignLead, Campaign.name)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person_id, person_ids))
        .order_by(CampaignLead.state != LeadState.EXCLUDED, CampaignLead.id)
    )
    return {one.person_id: (one, name) for one, name in session().execute(query)}
