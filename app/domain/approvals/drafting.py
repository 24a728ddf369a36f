"""Drafting: create the drafts of campaigns that need approval.

A lead whose next step is a message, an InMail, an email or an invitation with a note gets a draft in the same
transaction, and waits (`awaiting_approval`, no `due_at`) until a human decides. An invitation without a note says
nothing, so it needs no approval. The draft's sources are stored with it, and the failed checks as warnings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_batches, in_list, session, update_each
from app.domain.approvals import approval_events, checks, release
from app.domain.approvals import opener as openers
from app.domain.approvals.checks import Check, Draft
from app.domain.approvals.checks import Fact as Fact
from app.domain.conversations import meeting_links
from app.domain.ledger import variants
from app.domain.people.exclusions import gate
from app.domain.people.exclusions.facts import OPEN_CAMPAIGNS
from app.domain.platform import jobs
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import grammar
from app.domain.rules.message_syntax.grammar import Variable
from app.domain.rules.message_templates import SUBJECT, Draw
from app.domain.rules.sequences.branches import Flow, Route
from app.domain.rules.sequences.step_keys import key_of, place_of
from app.domain.rules.step_kinds import STEPS, longest_text
from app.domain.rules.variants import assignment
from app.domain.senders import wake
from app.models.accounts import Account, Budget
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play
from app.models.campaigns import OPEN_STATES, UNENDED_STATES, Campaign, CampaignLead, LeadState
from app.models.leads import Lead
from app.models.workspaces import Workspace

FRESH_FOR = timedelta(days=14)  # a draft's reason is out of date after that
WAITING = "awaiting_approval"
OPENERS = "draft_openers"  # kind of the job that writes the openers of a play's drafts
_PEOPLE: Any = CampaignLead.__table__
_P = CampaignLead
Condition = sa.ColumnElement[bool]


@dataclass(frozen=True)
class Written:
    """The text of a step as one person would get it; a variable without a value stays as it is."""

    kind: str
    text: str
    subject: str
    variant: str
    facts: list[Fact]
    warnings: list[dict[str, Any]]

    @property
    def says_nothing(self) -> bool:
        """Return whether the step is an invitation without a note, which needs no approval."""
        return STEPS[self.kind].text == "optional" and not message_templates.split(self.text)

    def columns(self) -> dict[str, Any]:
        """Return the columns of the approval that hold this text."""
        return {
            "kind": self.kind,
            "variant": self.variant,
            "text": self.text,
            "subject": self.subject,
            "written_text": self.text,
            "written_subject": self.subject,
            "facts": self.facts,
            "warnings": self.warnings,
            "warned": bool(self.warnings),
        }


def render(
    campaign: Any,
    place: int,
    lead: Any,
    sender: Account | None,
    kept: Mapping[str, Any] | None = None,
    route: Route | None = None,
    had: Mapping[int, str] = assignment.NONE,
    opener: Mapping[str, Any] | None = None,
) -> Written:
    """Render the draft of the step at that place for this lead, with the opener that was written for them.

    `kept` is the step before a revision; `had` holds the variants of the texts they got or have, by the step's key.
    """
    sequence, key = campaign.sequence, key_of(campaign.sequence, place)
    given = assignment.with_kept(sequence[place], key, kept)
    given, variant = assignment.text_for(given, lead.person_id, key, had)
    kind, known = given["type"], message_templates.values(lead, *((sender.name, sender.address) if sender else ("",)))
    if message_templates.asks_for_meeting(given.get("message", "")):
        medium = STEPS[kind].channel
        link = meeting_links.of_campaign(campaign, place, variant, lead.person_id, medium)
        known[message_templates.MEETING] = link
    facts: dict[str, Fact] = {}
    text = "\n---\n".join(
        _filled(part, number, known, facts, Draw(lead.person_id, key))
        for number, part in enumerate(message_templates.split(given.get("message", "")))
    )
    if opener:
        text = openers.put(text, " ".join(one["text"] for one in opener["sentences"]))
    earlier = ((number, sequence[number]) for number in Flow.of(campaign).before(route, place))
    named = [number for number, one in earlier if one["type"] == "email" and one.get("subject")]
    title, reply, titled = given.get("subject", ""), "", key
    if kind == "email" and not title and named:
        titled = key_of(sequence, named[-1])
        former, _ = assignment.text_for(sequence[named[-1]], lead.person_id, titled, had)
        title, reply = former["subject"], "Re: "
    line = _filled(title.replace("\n", " "), SUBJECT, known, facts, Draw(lead.person_id, titled))
    subject = reply + " ".join(line.split())
    found = [*facts.values(), {"kind": "template", "label": "Template", "text": given.get("message", "")}]
    if opener:
        by = f"written by {opener['by']}" if opener["sentences"] else ""
        found.append({"kind": "opener", "label": "Opener", "text": ". ".join(filter(None, (by, opener["note"])))})
    if lead.headline and "headline" not in facts:
        found.append({"kind": "profile", "label": "Headline", "text": lead.headline})
    found.extend(checks.plays().facts(campaign, place, lead))
    draft = Draft(kind, text, subject, lead, longest(kind, sender), bool(named), campaign.id, _values(found), opener)
    warnings = [check.shown() for check in checks.verdicts(draft) if not check.passed]
    return Written(kind, text, subject, variant, found, warnings)


def check(approval: Approval, campaign: Campaign, lead: Any, sender: Account | None) -> list[Check]:
    """Run the checks on the draft."""
    earlier = not approval.subject and _has_subject(campaign.sequence, approval.step)
    most, values = longest(approval.kind, sender), _values(approval.facts)
    said = (approval.kind, approval.text, approval.subject)
    return checks.verdicts(Draft(*said, lead, most, earlier, campaign.id, values, approval.opener))


def _has_subject(sequence: Sequence[Mapping[str, Any]], key: int) -> bool:
    """Return whether an email before the step of this key gives it a subject."""
    before = sequence[: place_of(sequence, key) or 0]
    return any(one["type"] == "email" and one.get("subject") for one in before)


def longest(kind: str, sender: Account | None) -> int:
    """Return how many characters one message of that kind may have from this sender."""
    return longest_text(kind, bool(sender and sender.has_sales_navigator))


def _values(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the values that were filled in, as they appear in the text."""
    return tuple(_on_one_line(fact["text"]) for fact in facts if fact["kind"] == "field")


def _filled(text: str, part: object, known: Mapping[str, str], facts: dict[str, Fact], draw: Draw) -> str:
    """Write one part; a variable without a value stays as it is. A text that can't be read stays whole."""

    def say(variable: Variable) -> str:
        name, fallback = variable.name, variable.fallback
        label = message_templates.VARIABLES.get(
            name, name.removeprefix(message_templates.CUSTOM).replace("_", " ").capitalize()
        )
        if name == message_templates.WAY_OUT:
            return known[name]
        if value := known.get(name, "").strip():
            facts[name] = {"kind": "field", "label": label, "text": value}
            return _on_one_line(value)
        kind = "fallback" if fallback else "missing"
        facts[name] = {"kind": kind, "label": label, "text": fallback}
        return fallback or variable.source

    parsed = grammar.parse(text)
    return text if parsed.faults else message_templates.write(parsed, part, known, draw, say)


def _on_one_line(value: str) -> str:
    """Return a value on one line, so that it cannot start another message."""
    return value if len(message_templates.split(f"a\n{value}\nb")) == 1 else " ".join(value.replace("---", "–").split())


def write(campaign_id: int, at: datetime, *where: Condition) -> int:
    """Draft the next text of each of these people; return how many wait for approval.

    Do nothing if the campaign needs no approval. Nothing is written for people whom the gate leaves out or holds: they
    stay due, and their turn says so. Inside a transaction.
    """
    current = session()
    campaign = current.get(Campaign, campaign_id)
    if campaign is None or not campaign.approval:
        return 0
    query = (
        sa.select(
            *(_P.id, _P.workspace_id, _P.sender_id, _P.step, _P.due_at, _P.kept, _P.route),
            *(_P.person_id, _P.contacted, _P.let_in),
            Lead,
        )
        .join(Lead, Lead.id == _P.lead_id)
        .where(_P.campaign_id == campaign_id, _P.state.in_([LeadState.PENDING, LeadState.ACTIVE]))
        .where(_P.approval_id.is_(None), _P.due_at.is_not(None), _P.part == 0, _may_say_something(campaign))
        .where(*where)
        .order_by(_P.id)
    )
    rows = current.execute(query).all()
    kept_from = _kept_from(campaign, rows, at)
    people = [row for row in rows if row.id not in kept_from]
    senders = _senders(campaign.workspace_id)
    drafted = 0
    for batch in in_batches(people):
        had = _had(campaign, [row.id for row in batch])
        made = [row for one in batch if (row := _row(campaign, one, senders.get(one.sender_id), had, at))]
        if not made:
            continue
        drafted += len(made)
        new = sa.insert(Approval).returning(Approval.id, Approval.campaign_lead_id)
        ids = current.execute(new, made).all()
        waits = {"due_at": None, "reason": WAITING, "error": ""}
        update_each(CampaignLead, ({"id": row.campaign_lead_id, "approval_id": row.id, **waits} for row in ids))
        approval_events.tell("approval_waiting", [row.id for row in ids], at)
    if drafted:
        queue_openers(campaign)
    return drafted


def queue_openers(campaign: Campaign) -> None:
    """Queue the job that writes the openers of a play's new drafts. Inside the transaction that writes the drafts."""
    query = sa.select(Play.id).where(Play.workspace_id == campaign.workspace_id, Play.campaign_id == campaign.id)
    if session().scalar(query.limit(1)) is not None:
        workspace = session().get_one(Workspace, campaign.workspace_id)
        jobs.add(workspace, OPENERS, str(campaign.id), {"campaign": campaign.id})


def _may_say_something(campaign: Campaign) -> Condition:
    """Return the condition that the next step may have a text: most invitations have none."""
    if not all(release.goes_unread(step) for step in campaign.sequence if step["type"] == "connection_request"):
        return _P.next_budget.in_(release.BUDGETS)
    sure = sa.or_(_P.next_budget != Budget.INVITE, _P.kept.is_not(None))
    return sa.and_(_P.next_budget.in_(release.BUDGETS), sure)


def _kept_from(campaign: Campaign, rows: Sequence[Any], at: datetime) -> set[int]:
    """Return which of these campaign leads the suppression check excludes or holds."""
    if not rows:
        return set()
    asked = gate.ask(
        campaign,
        [row.person_id for row in rows],
        at,
        reached={row.person_id: row.contacted for row in rows},
        let_in={row.person_id: row.let_in for row in rows},
    )
    verdicts = {row.id: asked[row.person_id].verdict for row in rows}
    return {place for place, found in verdicts.items() if found and found.effect != "wait"}


def recheck(campaign: Campaign, at: datetime, *where: Condition) -> None:
    """Discard waiting drafts for people whom the gate leaves out or holds by now. Inside a transaction.

    Those people become due, so that their turn says why they get nothing.
    """
    if not campaign.approval:
        return
    waiting = (_P.campaign_id == campaign.id, _P.approval_id.is_not(None), _P.state.in_(OPEN_STATES))
    people = session().scalars(sa.select(_P).where(*waiting, *where).order_by(_P.id).with_for_update()).all()
    kept_from = _kept_from(campaign, people, at)
    for person in people:
        if person.id in kept_from and person.approval_id:
            release.discard([person.approval_id], "overtaken", at)
            person.approval_id, person.due_at, person.reason = None, at, ""
    if kept_from:
        session().flush()
        wake.wake_senders([person.sender_id for person in people if person.id in kept_from], at)


def recheck_all(workspace: Workspace, at: datetime) -> None:
    """Recheck the waiting drafts of every campaign of the workspace. Inside a transaction."""
    query = sa.select(Campaign).where(Campaign.workspace_id == workspace.id, Campaign.approval.is_(True))
    for campaign in session().scalars(query.where(Campaign.status.in_(OPEN_CAMPAIGNS)).order_by(Campaign.id)).all():
        recheck(campaign, at)


def _senders(workspace_id: int) -> dict[int | None, Account]:
    return {one.id: one for one in session().scalars(sa.select(Account).where(Account.workspace_id == workspace_id))}


def _had(campaign: Campaign, campaign_lead_ids: Sequence[int]) -> Mapping[int, Mapping[int, str]]:
    """Return the variants that these people had, by step."""
    return variants.had(campaign_lead_ids) if assignment.any_in(campaign.sequence) else {}


def _row(
    campaign: Campaign, row: Any, sender: Account | None, had: Mapping[int, Mapping[int, str]], at: datetime
) -> dict[str, Any] | None:
    """Return the insert row of one person's draft; None when there is nothing to approve."""
    written = render(campaign, row.step, row.Lead, sender, row.kept, row.route, had.get(row.id, {}))
    if written.says_nothing:
        return None
    return {
        "workspace_id": row.workspace_id,
        "campaign_id": campaign.id,
        "campaign_lead_id": row.id,
        "lead_id": row.Lead.id,
        "sender_id": row.sender_id,
        "step": key_of(campaign.sequence, row.step),
        "status": ApprovalStatus.PENDING,
        "edited": False,
        "revision": 1,
        "due_at": row.due_at,
        "expires_at": max(row.due_at, at) + FRESH_FOR,
        "created_at": at,
        "reason": "",
        **written.columns(),
    }


def reconcile(campaign_id: int, at: datetime, *where: Condition) -> None:
    """Reconcile drafts with the places of these people. Inside a transaction.

    Discard a draft of another step, render an unedited one again, write a missing one, and let people with an approved
    one continue.
    """
    current = session()
    current.flush()
    campaign = current.get_one(Campaign, campaign_id)
    query = (
        sa.select(_P, Approval)
        .join(Approval, Approval.id == _P.approval_id)
        .where(_P.campaign_id == campaign_id, _P.approval_id.is_not(None), *where)
        .order_by(_P.id)
        .execution_options(populate_existing=True)
    )
    for person, approval in current.execute(query).all():
        here = key_of(campaign.sequence, person.step) if person.step < len(campaign.sequence) else None
        fits = approval.step == here and person.next_budget in release.BUDGETS
        if person.state not in UNENDED_STATES or (person.state in OPEN_STATES and not fits):
            release.discard([approval.id], "overtaken", at)
            person.approval_id = None
        elif person.state in OPEN_STATES:
            _place(person, approval, at)
    current.flush()
    write(campaign_id, at, *where)


def _place(person: CampaignLead, approval: Approval, at: datetime) -> None:
    """Make the person wait for the decision, or for the release time."""
    if approval.status == ApprovalStatus.APPROVED:
        person.due_at, person.reason = max(approval.release_at or at, at), ""
        return
    person.due_at, person.reason, person.error = None, WAITING, ""
    if not approval.edited:
        _write_anew(person, approval, at)


def _write_anew(person: CampaignLead, approval: Approval, at: datetime) -> None:
    """Update an unedited draft to its step and lead; an invitation that lost its note needs no approval."""
    current = session()
    campaign, lead = current.get_one(Campaign, approval.campaign_id), current.get_one(Lead, approval.lead_id)
    place = place_of(campaign.sequence, approval.step)
    if place is None:
        return
    sender = current.get(Account, person.sender_id or 0)
    approval.sender_id = person.sender_id
    had = {**_had(campaign, [person.id]).get(person.id, {}), approval.step: approval.variant}
    draft = render(campaign, place, lead, sender, person.kept, person.route, had, approval.opener)
    if draft.says_nothing:
        release.discard([approval.id], "overtaken", at)
        person.approval_id = None
        if person.state in OPEN_STATES:
            person.due_at, person.reason = approval.due_at, ""
            wake.wake_senders([person.sender_id], approval.due_at)
        return
    written = draft.columns()
    if any(getattr(approval, name) != value for name, value in written.items()):
        approval.revision += 1
        for name, value in written.items():
            setattr(approval, name, value)


def refresh(workspace: Workspace, person_ids: Sequence[int]) -> None:
    """Rewrite unedited pending drafts after a change to their people."""
    _rewrite(workspace, in_list(_P.person_id, person_ids))


def write_again(workspace: Workspace, approval_ids: Sequence[int]) -> None:
    """Write these waiting drafts again, unless they were edited. Inside a transaction."""
    _rewrite(workspace, in_list(Approval.id, approval_ids))


def _rewrite(workspace: Workspace, which: Condition) -> None:
    query = (
        sa.select(_P, Approval)
        .join(Approval, Approval.id == _P.approval_id)
        .where(Approval.workspace_id == workspace.id, which)
        .where(Approval.status == ApprovalStatus.PENDING, Approval.edited.is_(False))
        .order_by(_P.id)
    )
    for person, approval in session().execute(query).all():
        _write_anew(person, approval, workspace.now())


def extend_expiry(campaign_id: int, at: datetime) -> None:
    """Restart the expiry of the drafts of a resumed campaign. Inside a transaction."""
    change_rows(
        sa.update(Approval)
        .where(Approval.campaign_id == campaign_id, Approval.status == ApprovalStatus.PENDING)
        .where(Approval.expires_at < at + FRESH_FOR)
        .values(expires_at=at + FRESH_FOR)
    )
