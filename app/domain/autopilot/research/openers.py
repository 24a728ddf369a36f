"""Openers: the model writes the first sentences to one person, for the first draft of a play that waits for approval.

Messages that are sent without approval get no opener. A draft that was edited or decided is not changed.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session, transaction
from app.domain.approvals import drafting
from app.domain.autopilot import serialization, setup_state
from app.domain.autopilot.research import company_pages, person_evidence
from app.domain.people.exclusions import gate
from app.domain.platform import jobs, locks
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import BUILT_IN, Brief, Opener, PlayIdea

KIND = drafting.OPENERS
KINDS = ("message", "inmail", "email")  # the note of an invitation has no room
LONGEST_TURN = 10.0  # seconds before other jobs have a turn
LATER = timedelta(minutes=15)  # before a model is tried again that is paused or has no budget left
_EXCLUDED = "No opener was written: this person must not be contacted."


def write(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Write the openers of the campaign's waiting drafts, one after the other; nothing without a model."""
    if ports.models().current() is None:
        return None
    begun, after = time.monotonic(), 0
    while found := _next(workspace, payload["campaign"], after):
        if time.monotonic() - begun > LONGEST_TURN:
            return jobs.RESCHEDULE
        jobs.renew_lease(job, company_pages.LONGEST + ports.models().longest())
        opener = _write_one(workspace, found)
        if opener is not None and opener.later:
            return LATER
        after = found
    return None


def _next(workspace: Workspace, campaign_id: int, after: int) -> int | None:
    """Return the next draft that needs an opener: only a person's first message gets one."""
    earlier: Any = sa.orm.aliased(Approval)
    has_one = sa.exists().where(
        earlier.campaign_lead_id == Approval.campaign_lead_id,
        earlier.id != Approval.id,
        earlier.opener.is_not(None),
    )
    query = sa.select(Approval.id).where(
        Approval.workspace_id == workspace.id,
        Approval.campaign_id == campaign_id,
        Approval.status == ApprovalStatus.PENDING,
        Approval.kind.in_(KINDS),
        Approval.edited.is_(False),
        Approval.opener.is_(None),
        Approval.id > after,
        ~has_one,
    )
    return session().scalar(query.order_by(Approval.id).limit(1))


@dataclass(frozen=True)
class Subject:
    """One draft with what is known of its person."""

    brief: Brief
    idea: PlayIdea
    body: str
    fingerprint: int  # revision of the draft


def _write_one(workspace: Workspace, approval_id: int) -> Opener | None:
    """Research the person, and write their opener; None when the draft is gone. Calls out."""
    pages = _pages(workspace, approval_id)
    if pages is None:
        _keep(workspace, approval_id, Opener(note=_EXCLUDED), None)
        return None
    subject = _subject(workspace, approval_id, pages)
    if subject is None:
        return None
    end_read()
    writer = ports.writer()
    try:
        opener = writer.opener(subject.brief, subject.idea, subject.body, ports.models().longest() or math.inf)
    except ProviderError as failure:
        opener = Opener(note=failure.sentence)
    if not opener.later:
        _keep(workspace, approval_id, opener, subject, writer.last().by)
    return opener


def _pages(workspace: Workspace, approval_id: int) -> Sequence[dict[str, Any]] | None:
    """Return what the website of the person's company says; None when the person may not be contacted."""
    row = _row(approval_id)
    if row is None:
        return []
    asked = gate.ask(row.Campaign, [row.CampaignLead.person_id], workspace.now())
    verdict = asked[row.CampaignLead.person_id].verdict
    if verdict is not None and verdict.effect != "wait":
        return None
    domain = row.Lead.person.company_domain
    end_read()
    return company_pages.read(workspace, domain)


def _row(approval_id: int) -> Any:
    query = (
        sa.select(Approval, Campaign, CampaignLead, Lead, Play)
        .join(Campaign, Campaign.id == Approval.campaign_id)
        .join(CampaignLead, CampaignLead.id == Approval.campaign_lead_id)
        .join(Lead, Lead.id == Approval.lead_id)
        .join(Play, Play.campaign_id == Approval.campaign_id)
        .where(Approval.id == approval_id, Approval.status == ApprovalStatus.PENDING, Approval.edited.is_(False))
    )
    return session().execute(query.limit(1).execution_options(populate_existing=True)).first()


def _subject(workspace: Workspace, approval_id: int, pages: Sequence[dict[str, Any]]) -> Subject | None:
    """Return what the writer gets."""
    row, setup = _row(approval_id), setup_state.find(workspace)
    if row is None or setup is None or setup.profile is None:
        return None
    brief = setup_state.brief(workspace, setup, channel=row.Play.channel)
    evidence = person_evidence.gather(workspace, row.Lead, row.Play.angle, pages, brief.profile)
    brief = replace(brief, evidence=evidence, recipient=person_evidence.recipient(row.Lead))
    return Subject(brief, serialization.idea_of(row.Play), row.Approval.text, row.Approval.revision)


def _keep(workspace: Workspace, approval_id: int, opener: Opener, subject: Subject | None, by: str = BUILT_IN) -> None:
    """Put the opener into the draft, with its evidence, unless the draft was changed meanwhile."""
    with transaction():
        locks.lock_workspaces([workspace.id])
        draft = session().get(Approval, approval_id, with_for_update=True, populate_existing=True)
        if draft is None or draft.status != ApprovalStatus.PENDING or draft.edited:
            return
        if subject and draft.revision != subject.fingerprint:
            return
        known = [one for one in subject.brief.evidence if one.about != person_evidence.BUSINESS] if subject else []
        ours = [one for one in subject.brief.evidence if one not in known] if subject else []
        used = {number for one in opener.sentences for number in one.facts}
        draft.opener = {
            "by": by,
            "note": opener.note,
            "recipient": subject.brief.recipient if subject else "",
            "sentences": [{"text": one.text, "facts": list(one.facts)} for one in opener.sentences],
            "facts": [asdict(one) for one in [*known, *(one for one in ours if one.id in used)]],
        }
        session().flush()
        drafting.write_again(workspace, [approval_id])
