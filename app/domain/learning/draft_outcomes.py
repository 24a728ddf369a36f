"""Draft outcomes: what was offered, what was sent, who changed and decided it, and what came of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.paging import Page, Window, page
from app.domain.campaign_leads import filters
from app.domain.rules.next_step import REPLY_WAIT
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import CampaignLead
from app.models.conversations import Sentiment
from app.models.leads import NeverContact, NeverContactKind
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import User, Workspace

UNCHANGED, EDITED, REWRITTEN, SKIPPED = "approved", "edited", "rewritten", "skipped"
DECISIONS = (UNCHANGED, EDITED, REWRITTEN, SKIPPED)
NOT_SENT, WAITING, REPLIED, OPTED_OUT, NO_ANSWER = "not_sent", "waiting", "replied", "opted_out", "no_answer"
_LATER: Any = sa.orm.aliased(Action)
_EDITOR: Any = sa.orm.aliased(User)
_DECIDER: Any = sa.orm.aliased(User)


@dataclass(frozen=True)
class DraftOutcome:
    """A draft that was decided, and what came of it. `tone` is that of the reply."""

    approval: Approval
    edited_by: str
    decided_by: str
    decision: str
    outcome: str
    tone: str


@dataclass(frozen=True)
class DraftOutcomes:
    """The decided drafts of a workspace, page by page."""

    workspace: Workspace

    def page(self, window: Window) -> Page:
        """Return the requested page."""
        found = page(_query(self.workspace), None, window)
        return Page([_told(row, self.workspace.now()) for row in found.rows], found.next_cursor)


def _query(workspace: Workspace) -> sa.Select[Any]:
    """Select the decided drafts with their people, and whether a later text went out before a reply."""
    later = sa.exists().where(
        _LATER.campaign_lead_id == Approval.campaign_lead_id,
        _LATER.step != Approval.step,
        _LATER.at > Approval.done_at,
        _LATER.state == ActionState.SENT,
        _LATER.kind.in_(filters.REACHING),
        sa.or_(CampaignLead.replied_at.is_(None), _LATER.at <= CampaignLead.replied_at),
    )
    opted_out = sa.exists().where(
        NeverContact.workspace_id == Approval.workspace_id,
        NeverContact.created_at > Approval.done_at,
        sa.or_(
            sa.and_(NeverContact.kind == NeverContactKind.EMAIL, NeverContact.value == sa.func.lower(Person.email)),
            sa.and_(NeverContact.kind == NeverContactKind.PERSON, NeverContact.value == Person.public_id),
        ),
    )
    return (
        sa.select(
            *(Approval.id, Approval, CampaignLead.replied, CampaignLead.replied_at, CampaignLead.sentiment),
            *(later.label("later"), opted_out.label("opted_out")),
            sa.func.coalesce(_EDITOR.name, "").label("editor"),
            sa.func.coalesce(_DECIDER.name, "").label("decider"),
        )
        .join(CampaignLead, CampaignLead.id == Approval.campaign_lead_id)
        .join(Person, Person.id == CampaignLead.person_id)
        .outerjoin(_EDITOR, _EDITOR.id == Approval.edited_by)
        .outerjoin(_DECIDER, _DECIDER.id == Approval.decided_by)
        .where(Approval.workspace_id == workspace.id, Approval.status != ApprovalStatus.PENDING)
    )


def _told(row: Any, at: datetime) -> DraftOutcome:
    approval = row.Approval
    outcome = _outcome(row, at)
    tone = (row.sentiment or Sentiment.GENERIC) if outcome == REPLIED else ""
    return DraftOutcome(approval, row.editor, row.decider, decision_of(approval), outcome, tone)


def decision_of(approval: Approval) -> str:
    """Return what was decided: approved as it was, edited, rewritten for a wish, or skipped."""
    return _decision(approval.status, edited=approval.edited, rewritten=bool(approval.wishes))


def _decision(status: str, *, edited: bool, rewritten: bool) -> str:
    if status == ApprovalStatus.SKIPPED:
        return SKIPPED
    return REWRITTEN if rewritten else EDITED if edited else UNCHANGED


def _outcome(row: Any, at: datetime) -> str:
    """Return what came of the text; a reply counts for the last text before it."""
    done = row.Approval.done_at
    if row.Approval.status != ApprovalStatus.DONE or done is None:
        return NOT_SENT
    replied = row.replied and row.replied_at is not None and row.replied_at >= done and not row.later
    if row.opted_out and not row.later:
        return OPTED_OUT
    if replied:
        return REPLIED
    return NO_ANSWER if row.later or row.replied or done <= at - REPLY_WAIT else WAITING


def counts(workspace: Workspace) -> dict[str, int]:
    """Return how many drafts were decided in each way."""
    wished = sa.case((Approval.wishes.is_not(None), True), else_=False)
    query = (
        sa.select(Approval.status, Approval.edited, wished, sa.func.count())
        .where(Approval.workspace_id == workspace.id, Approval.status != ApprovalStatus.PENDING)
        .group_by(Approval.status, Approval.edited, wished)
    )
    found = dict.fromkeys(DECISIONS, 0)
    for status, edited, rewritten, number in session().execute(query):
        found[_decision(status, edited=edited, rewritten=bool(rewritten))] += int(number)
    return found
