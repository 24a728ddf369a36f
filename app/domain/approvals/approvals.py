"""Approvals: decide about a campaign's drafts. `drafting` creates them."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa

from app.core.actor import refuse_unapproved
from app.core.db import MAX_ID, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.approvals import checks as approval_checks
from app.domain.approvals import drafting, release
from app.domain.billing import subscriptions
from app.domain.ledger import usage
from app.domain.ledger.campaign_counters import count_move
from app.domain.people import condition_facts
from app.domain.platform import audit_log, locks
from app.domain.rules import message_templates
from app.domain.rules.next_step import Position
from app.domain.rules.sequences.step_keys import keys, place_of
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import wake
from app.models.accounts import Account
from app.models.approvals import APPROVAL, Approval, ApprovalStatus
from app.models.campaigns import OPEN_STATES, UNENDED_STATES, Campaign, CampaignLead, LeadState
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.workspaces import User, Workspace

UNDO = timedelta(seconds=10)  # how long a decision can be undone before it takes effect
STATUSES = tuple(str(status) for status in ApprovalStatus)
KINDS = tuple(release.TEXTS)
BY_YOU = "skipped_by_you"
TAKEN_ON = "taken_on"  # kind of the fact that names the member who vouches for a sentence
UNCLAIMED = "Edit the claim, or name the member who confirms it."


@dataclass(frozen=True)
class Case:
    """A draft with everything that a decision about it needs, loaded once."""

    approval: Approval
    campaign: Campaign
    lead: Lead
    sender: Account | None


@dataclass(frozen=True)
class Filters:
    """Which drafts to select; filters that are None or '' are ignored."""

    status: str = ""
    campaign_id: int | None = None
    kind: str = ""
    sender_id: int | None = None
    warned: bool | None = None


def page(workspace: Workspace, filters: Filters = Filters()) -> sa.Select[Any]:
    """Select the matching drafts, each with its campaign, its lead and the sender's name."""
    query = (
        sa.select(Approval.id, Approval, Campaign, Lead, Account.name, Account.signature)
        .join(Campaign, Campaign.id == Approval.campaign_id)
        .join(Lead, Lead.id == Approval.lead_id)
        .outerjoin(Account, Account.id == Approval.sender_id)
        .where(*meant(workspace, filters))
    )
    return cast(sa.Select[Any], query)


def meant(workspace: Workspace, filters: Filters) -> list[sa.ColumnElement[bool]]:
    """Return the SQL conditions of the filters."""
    wanted: list[sa.ColumnElement[bool]] = [Approval.workspace_id == workspace.id]
    if filters.status:
        wanted.append(Approval.status == filters.status)
    if filters.campaign_id is not None:
        wanted.append(Approval.campaign_id == min(filters.campaign_id, MAX_ID))
    if filters.kind:
        wanted.append(Approval.kind == filters.kind)
    if filters.sender_id is not None:
        wanted.append(Approval.sender_id == min(filters.sender_id, MAX_ID))
    if filters.warned is not None:
        wanted.append(Approval.warned.is_(filters.warned))
    return wanted


def count(workspace: Workspace, filters: Filters = Filters(status=ApprovalStatus.PENDING)) -> int:
    """Return how many drafts match; by default the pending ones."""
    return session().scalar(sa.select(counted(workspace, filters))) or 0


def counted(workspace: Workspace, filters: Filters = Filters(status=ApprovalStatus.PENDING)) -> sa.ScalarSelect[int]:
    """Return the column that counts the drafts that match, for a query that asks for more."""
    return sa.select(sa.func.count()).select_from(Approval).where(*meant(workspace, filters)).scalar_subquery()


def by_campaign(workspace: Workspace, campaign_ids: Collection[int]) -> dict[int, int]:
    """Return how many drafts wait in each of the campaigns that has any."""
    waiting = meant(workspace, Filters(status=ApprovalStatus.PENDING))
    query = sa.select(Approval.campaign_id, sa.func.count()).where(*waiting, Approval.campaign_id.in_(campaign_ids))
    return dict(session().execute(query.group_by(Approval.campaign_id)).all())


def get(workspace: Workspace, approval_id: int) -> Any:
    """Return the draft with its campaign, its lead and the sender's name, or raise NotFound."""
    found = session().execute(page(workspace).where(Approval.id == min(approval_id, MAX_ID))).one_or_none()
    if found is None:
        raise NotFound("Approval not found.")
    return found


def latest(workspace: Workspace) -> Any | None:
    """Return the draft that stands first in the list of the waiting ones, as `get` does; None without one."""
    waiting = page(workspace, Filters(status=ApprovalStatus.PENDING))
    return session().execute(waiting.order_by(Approval.id.desc()).limit(1)).first()


def longest(approval: Approval) -> int:
    """Return how many characters one message of the draft may have."""
    return drafting.longest(approval.kind, session().get(Account, approval.sender_id or 0))


def notes_left(workspace: Workspace, row: Any) -> int | None:
    """Return how many personal notes the draft's sender has left this month; None when they are not counted.

    Approved notes that wait to be sent are taken off.
    """
    approval = row.Approval
    sender = session().get(Account, approval.sender_id or 0) if approval.kind == "connection_request" else None
    left = usage.notes_left(sender, workspace.now()) if sender else None
    if left is None:
        return None
    promised = sa.select(sa.func.count()).where(
        Approval.workspace_id == workspace.id,
        Approval.status == ApprovalStatus.APPROVED,
        Approval.sender_id == approval.sender_id,
        Approval.kind == approval.kind,
        Approval.text != "",
        Approval.id != approval.id,
    )
    return max(0, left - (session().scalar(promised) or 0))


def checks(row: Any) -> list[approval_checks.Check]:
    """Return the results of the automatic checks of the draft."""
    sender = session().get(Account, row.Approval.sender_id or 0)
    return drafting.check(row.Approval, row.Campaign, row.Lead, sender)


def edit(
    workspace: Workspace,
    approval_id: int,
    *,
    text: str,
    subject: str | None = None,
    approve: bool = False,
    by: User | None = None,
    match: str | None = None,
    seen: Collection[str] | None = None,
) -> Approval:
    """Edit a draft and, with `approve`, approve it. The same request again changes nothing.

    `match` is the fingerprint of the text the writer has read. `seen` are the codes of the warnings the reviewer has
    read: a draft with another warning is not approved, and InvalidRequest names it at `confirm`. None confirms them
    all, apart from claims without a source: only a person takes these on, so without `by` such a draft is not
    approved. Raise InvalidRequest when the draft no longer waits, or when its text cannot be sent.
    """
    with transaction():
        case = _locked(workspace, approval_id)
        approval = case.approval
        text, title = text.replace("\r\n", "\n"), approval.subject if subject is None else subject.strip()
        if not APPROVAL.allows(approval, "edit"):
            same = (approval.text, approval.subject) == (text, title)
            if approve and same and approval.status in (ApprovalStatus.APPROVED, ApprovalStatus.DONE):
                return approval
            raise InvalidRequest.of(("id", APPROVAL.moves["edit"].refusal.format(state=approval.status)))
        if match is not None and match != fingerprint(approval):
            raise InvalidRequest.of(("If-Match", "This draft has changed. Reload and read the new version."))
        _check_bounds(case, text, title)
        if (text, title) != (approval.text, approval.subject):
            approval.text, approval.subject = text, title
            approval.before_text = approval.before_subject = None
            approval.edited = (text, title) != (approval.written_text, approval.written_subject)
            approval.revision += 1
            _keep_warnings(case)
        if approve:
            subscriptions.require(workspace)
            _check_seen(approval, seen)
            _take_on(workspace, approval, by)
            release_draft(approval, workspace.now(), by)
        return approval


def _check_seen(approval: Approval, seen: Collection[str] | None) -> None:
    """Refuse a draft with a warning that was not read; what blocks it anyway is said instead."""
    if seen is None or any(warning["blocking"] for warning in approval.warnings):
        return
    unread = [warning["sentence"] for warning in approval.warnings if warning["code"] not in seen]
    if unread:
        raise InvalidRequest.of(*(("confirm", sentence) for sentence in unread))


def claims(approval: Approval) -> list[str]:
    """Return the sentences about claims that a named person must take on, or take out."""
    return [warning["sentence"] for warning in approval.warnings if warning.get("claim")]


def _take_on(workspace: Workspace, approval: Approval, by: User | None) -> None:
    """Record the person who stands by the claims of a draft, for all drafts; refuse them when there is none."""
    if not (found := claims(approval)) or any(warning["blocking"] for warning in approval.warnings):
        return
    if by is None:
        raise InvalidRequest.of(*(("text", f"{sentence} {UNCLAIMED}") for sentence in found))
    label = f"Confirmed by {by.name or by.email}"
    words = [one for warning in approval.warnings if warning.get("claim") for one in warning.get("words", ())]
    approval.facts = [*approval.facts, *({"kind": TAKEN_ON, "label": label, "text": one} for one in words or found)]
    approval_checks.plays().stand_by(workspace, words, True)
    audit_log.record(workspace, "approval.taken_on", f"draft {approval.id}", after={"claims": found}, by=by)


def fingerprint(approval: Any) -> str:
    """Return the SHA-256 of subject, line feed and text, in hexadecimal digits; clients can compute it too."""
    return hashlib.sha256(f"{approval.subject}\n{approval.text}".encode()).hexdigest()


def _locked(workspace: Workspace, approval_id: int) -> Case:
    """Load the draft, locked, with its campaign, lead and sender, or raise NotFound."""
    locks.lock_workspaces([workspace.id])
    query = (
        sa.select(Approval, Campaign, Lead, Account)
        .join(Campaign, Campaign.id == Approval.campaign_id)
        .join(Lead, Lead.id == Approval.lead_id)
        .outerjoin(Account, Account.id == Approval.sender_id)
        .where(Approval.workspace_id == workspace.id, Approval.id == min(approval_id, MAX_ID))
        .with_for_update(of=Approval)
        .execution_options(populate_existing=True)
    )
    found = session().execute(query).one_or_none()
    if found is None:
        raise NotFound("Approval not found.")
    return Case(*found)


def _check_bounds(case: Case, text: str, subject: str) -> None:
    problems = []
    approval, most = case.approval, drafting.longest(case.approval.kind, case.sender)
    parts = message_templates.split(text)
    if any(len(part) > most for part in parts):
        problems.append(("text", f"Use at most {most} characters."))
    if "\0" in text:
        problems.append(("text", "Remove the NUL character."))
    if approval.kind != "message" and len(parts) > 1:
        sentence = "Only a message can have several parts. Remove the --- line."
        problems.append(("text", sentence))
    if len(subject) > approval_checks.SUBJECT:
        problems.append(("subject", f"Use at most {approval_checks.SUBJECT} characters."))
    if any(ord(character) < 32 for character in subject):
        problems.append(("subject", "Use one line without control characters."))
    InvalidRequest.raise_for(problems)


def look_again(approval: Approval) -> None:
    """Run the checks of the draft again. Inside a transaction."""
    campaign, lead = session().get_one(Campaign, approval.campaign_id), session().get_one(Lead, approval.lead_id)
    _keep_warnings(Case(approval, campaign, lead, session().get(Account, approval.sender_id or 0)))


def _keep_warnings(case: Case) -> None:
    found = drafting.check(case.approval, case.campaign, case.lead, case.sender)
    case.approval.warnings = [check.shown() for check in found if not check.passed]
    case.approval.warned = bool(case.approval.warnings)


def release_draft(approval: Approval, at: datetime, by: User | None) -> None:
    """Approve the draft: it is sent when its step is due, after the time to undo."""
    stops = [warning for warning in approval.warnings if warning["blocking"]]
    if stops:
        raise InvalidRequest.of(*(("text", warning["sentence"]) for warning in stops))
    APPROVAL.move(approval, "approve")
    _decided(approval, at, by)
    approval.release_at = max(approval.due_at, at + UNDO)
    person = _person(approval)
    if person.state in OPEN_STATES:
        person.due_at, person.reason = approval.release_at, ""
        session().flush()
        wake.wake_senders([person.sender_id], approval.release_at)
    _end_approval(approval)


def _end_approval(approval: Approval) -> None:
    """End the approval of a campaign once its first people were approved."""
    campaign = session().get_one(Campaign, approval.campaign_id)
    if campaign.approve_first is not None and release.first_are_approved(campaign, approval):
        campaign.approval, campaign.approve_first = False, None
        session().flush()
        send_without(session().get_one(Workspace, approval.workspace_id), campaign.id)


def send_without(workspace: Workspace, campaign_id: int, by: User | None = None) -> tuple[int, int]:
    """Approve the pending drafts of a campaign whose approval was switched off.

    Return how many were approved, and how many need a human, who fills something in or takes on a claim; these keep
    waiting.
    """
    subscriptions.require(workspace)
    with locks.changing(workspace.id) as current:
        campaign = get_owned(Campaign, workspace, campaign_id, lock=True)
        if campaign.approval:
            raise Conflict(
                "Messages in this campaign need approval.", recovery="Turn approval off first, or approve the drafts."
            )
        refuse_unapproved()
        mine = sa.and_(Approval.campaign_id == campaign.id, Approval.status == ApprovalStatus.PENDING)
        waiting = current.scalars(sa.select(Approval).where(mine).order_by(Approval.id).with_for_update()).all()
        free = [one for one in waiting if not claims(one) and not any(warning["blocking"] for warning in one.warnings)]
        at = workspace.now()
        for approval in free:
            release_draft(approval, at, by)
        audit_log.record(workspace, "approval.approve", f"{len(free)} drafts", by=by)
        return len(free), len(waiting) - len(free)


def _decided(approval: Approval, at: datetime, by: User | None, reason: str = "", note: str = "") -> None:
    approval.decided_at, approval.decided_by, approval.reason, approval.note = at, by.id if by else None, reason, note
    approval.revision += 1


def _person(approval: Approval) -> CampaignLead:
    query = sa.select(CampaignLead).where(CampaignLead.id == approval.campaign_lead_id).with_for_update()
    return session().scalars(query.execution_options(populate_existing=True)).one()


def skip(workspace: Workspace, approval_id: int, by: User | None = None) -> Approval:
    """Skip the draft: nothing of it is sent, and the person moves to the next step."""
    with transaction():
        case = _locked(workspace, approval_id)
        approval = case.approval
        APPROVAL.move(approval, "skip")
        pass_over(approval, BY_YOU, workspace.now(), by)
        return approval


def place_after(campaign: Campaign, person: CampaignLead, lead: Lead, step: int, at: datetime) -> Position:
    """Return where the person would be next if the step with that key were skipped now."""
    return condition_facts.place_of(campaign, person, bool(lead.email), at, _behind(campaign, person, step))


def _behind(campaign: Campaign, person: CampaignLead, step: int) -> int:
    """Return the place after the step with that key; after a removed step the person stands there already."""
    place = place_of(campaign.sequence, step)
    return person.step if place is None else place + 1


def pass_over(approval: Approval, reason: str, at: datetime, by: User | None = None, note: str = "") -> None:
    """Move a skipped draft's person to the next step, due only after the time to undo."""
    current = session()
    _decided(approval, at, by, reason, note)
    person = _person(approval)
    person.approval_id = None
    campaign, lead = current.get_one(Campaign, approval.campaign_id), current.get_one(Lead, approval.lead_id)
    if person.state == LeadState.PAUSED:
        person.step, person.part = _behind(campaign, person, approval.step), 0
        return
    before, place = person.state, place_after(campaign, person, lead, approval.step, at)
    place.give(person)
    if place.due_at is not None:
        person.due_at = max(place.due_at, at + UNDO)
    count_move(person, before)
    wake.wake_senders([person.sender_id], person.due_at or at)
    drafting.write(campaign.id, at, CampaignLead.id == person.id)


def undo(workspace: Workspace, approval_id: int) -> Approval:
    """Move a draft back to waiting; Conflict once anything was sent or the person is at the next step."""
    with transaction():
        case = _locked(workspace, approval_id)
        approval = case.approval
        skipped = approval.status == ApprovalStatus.SKIPPED
        APPROVAL.move(approval, "undo")
        person = _person(approval)
        if skipped:
            _check_came_back(approval, person)
        elif not _is_unsent(approval, person):
            raise Conflict("This message is already being sent.", recovery="Send another message in the conversation.")
        approval.decided_at, approval.decided_by, approval.release_at = None, None, None
        approval.reason = approval.note = ""
        taken = [fact["text"] for fact in approval.facts if fact["kind"] == TAKEN_ON]
        approval.facts = [fact for fact in approval.facts if fact["kind"] != TAKEN_ON]
        if taken:
            approval_checks.plays().stand_by(workspace, taken, False)
        approval.expires_at = max(approval.expires_at, workspace.now() + drafting.FRESH_FOR)
        approval.revision += 1
        _wait_again(approval, person)
        _end_approval(approval)
        return approval


def _is_unsent(approval: Approval, person: CampaignLead) -> bool:
    return person.approval_id == approval.id and not person.part and not _begun(person, approval.step)


def _check_came_back(approval: Approval, person: CampaignLead) -> None:
    """Return whether a skipped draft can be brought back: its person must not be at the next step."""
    if approval.reason != BY_YOU or person.state not in UNENDED_STATES:
        raise Conflict("This draft is outdated and can't be restored.", recovery="Send your own message instead.")
    follows = session().get(Approval, person.approval_id) if person.approval_id else None
    decided = follows is not None and follows.status != ApprovalStatus.PENDING
    if decided or person.part or _begun(person, approval.step) or _passed(person, approval):
        raise Conflict("This person is already at the next step.", recovery="Send your own message instead.")
    if follows is not None:
        session().delete(follows)


def _begun(person: CampaignLead, step: int) -> bool:
    """Return whether anything of that step or a later one was sent, or may have been."""
    query = sa.select(Action.id).where(
        Action.campaign_lead_id == person.id, Action.step.in_(_from(person, step)), Action.state != ActionState.AGAIN
    )
    return session().scalar(query.limit(1)) is not None


def _from(person: CampaignLead, step: int) -> list[int]:
    """Return the key of the step and those of the later steps."""
    sequence = session().get_one(Campaign, person.campaign_id).sequence
    place = place_of(sequence, step)
    return [step] if place is None else keys(sequence)[place:]


def _passed(person: CampaignLead, approval: Approval) -> bool:
    """Return whether a draft of a later step was decided since."""
    query = sa.select(Approval.id).where(
        Approval.campaign_lead_id == person.id,
        Approval.step.in_(_from(person, approval.step)[1:]),
        Approval.decided_at.is_not(None),
    )
    return session().scalar(query.limit(1)) is not None


def _wait_again(approval: Approval, person: CampaignLead) -> None:
    place = place_of(session().get_one(Campaign, approval.campaign_id).sequence, approval.step)
    if place is None:
        raise Conflict("This draft's step was removed.", recovery="Send your own message instead.")
    person.approval_id, person.step, person.part = approval.id, place, 0
    if person.state == LeadState.PAUSED:
        session().flush()
        return
    before = person.state
    person.state = LeadState.ACTIVE if person.contacted or place else LeadState.PENDING
    person.sender_id, person.next_budget = approval.sender_id, STEPS[approval.kind].budget
    person.due_at, person.step_due_at, person.reason, person.error = None, None, drafting.WAITING, ""
    count_move(person, before)


def moves(approval: Approval) -> set[str]:
    """Return the actions allowed on the draft now; only a draft that a person decided can be brought back."""
    stale = approval.status == ApprovalStatus.SKIPPED and approval.reason != BY_YOU
    return {name for name in ("edit", "undo") if APPROVAL.allows(approval, name) and not (stale and name == "undo")}
