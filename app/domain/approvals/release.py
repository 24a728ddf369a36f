"""Release drafts to the engine: which text may be sent, and what happens when a person moves to the next step.

An owner reads what the first people of a live workspace get; then a campaign without approval sends by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_list, session
from app.domain.rules import message_templates
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants import assignment
from app.domain.rules.variants.assignment import Step
from app.models.approvals import LIVE, Approval, ApprovalStatus
from app.models.campaigns import Campaign, CampaignLead
from app.models.workspaces import Workspace

_APPROVALS: Any = Approval.__table__
TEXTS = {name: step for name, step in STEPS.items() if step.text != "none" and not step.by_hand}
BUDGETS = sorted({str(step.budget) for step in TEXTS.values()})
WITHOUT_NOTE = "without_note"  # why an approved note was not sent: the sender had none left in that month


def goes_unread(step: Step) -> bool:
    """Return whether no text of the step reaches a person, so that it goes out without approval."""
    return step["type"] not in TEXTS or not any(message for message, _ in assignment.texts(step))


@dataclass(frozen=True)
class Release:
    """What the suppression check needs to know of a draft: whether it was approved, and its text."""

    id: int
    status: str
    step: int
    kind: str
    text: str
    subject: str
    variant: str
    release_at: datetime | None

    @property
    def parts(self) -> list[str]:
        """Return the messages of the text."""
        return message_templates.split(self.text)

    def may_go(self, step: int, at: datetime) -> bool:
        """Return whether the text of that step may be sent now."""
        return (
            self.status == ApprovalStatus.APPROVED
            and self.step == step
            and self.release_at is not None
            and self.release_at <= at
        )


_NEEDED = [_APPROVALS.c[name] for name in Release.__dataclass_fields__]


def load(approval_ids: Iterable[int | None]) -> dict[int, Release]:
    """Load these drafts for the suppression check."""
    wanted = sorted({approval_id for approval_id in approval_ids if approval_id})
    rows = session().execute(sa.select(*_NEEDED).where(in_list(_APPROVALS.c.id, wanted))) if wanted else ()
    return {row.id: Release(*row) for row in rows}


def of_action(campaign_lead_id: int, step: int) -> Release | None:
    """Return the approved draft whose text a ledger action sent, if there is one."""
    query = (
        sa.select(*_NEEDED)
        .where(_APPROVALS.c.campaign_lead_id == campaign_lead_id, _APPROVALS.c.step == step)
        .where(_APPROVALS.c.release_at.is_not(None))
        .order_by(_APPROVALS.c.id.desc())
        .limit(1)
    )
    row = session().execute(query).first()
    return Release(*row) if row else None


def mark_sent(approval_ids: Sequence[int], at: datetime, reason: str = "") -> None:
    """Record the sent texts; `reason` says when the outcome is unknown. Inside a transaction."""
    _close(approval_ids, [*LIVE, ApprovalStatus.SKIPPED], status=ApprovalStatus.DONE, reason=reason, done_at=at)


def discard(approval_ids: Iterable[int | None], reason: str, at: datetime) -> None:
    """Discard the unsent drafts with that reason. Inside a transaction."""
    wanted = [approval_id for approval_id in approval_ids if approval_id]
    _close(wanted, LIVE, status=ApprovalStatus.SKIPPED, reason=reason, decided_at=at, decided_by=None)


def discard_of(person: CampaignLead, at: datetime) -> None:
    """Discard the draft that waits for the person, if there is one: who sends it has changed. Inside a transaction."""
    if person.approval_id:
        discard([person.approval_id], "overtaken", at)
        person.approval_id = None


def discard_all(campaign_id: int, reason: str, at: datetime) -> None:
    """Discard all pending and approved drafts of the campaign. Inside a transaction."""
    gone = sa.update(Approval).where(Approval.campaign_id == campaign_id, Approval.status.in_(LIVE))
    gone = gone.values(status=ApprovalStatus.SKIPPED, reason=reason, decided_at=at, decided_by=None)
    change_rows(gone)


def _close(approval_ids: Sequence[int], sources: Sequence[str], **columns: Any) -> None:
    if approval_ids:
        those = (in_list(Approval.id, sorted(set(approval_ids))), Approval.status.in_(sources))
        closed = sa.update(Approval).where(*those).values(revision=Approval.revision + 1, **columns)
        session().execute(closed.execution_options(synchronize_session="fetch"))


_APPROVED = (ApprovalStatus.APPROVED, ApprovalStatus.DONE)


def first_people(workspace: Workspace, approval: bool) -> int:
    """Return how many first people's messages would wait for approval if a campaign without approval starts."""
    if not workspace.approve_first or approval:
        return 0
    return max(0, workspace.approve_first - _people(CampaignLead.workspace_id == workspace.id))


def hold_first_people(workspace: Workspace, campaign: Campaign) -> None:
    """Make the first people of a starting campaign wait for approval. Inside its transaction."""
    if left := first_people(workspace, campaign.approval):
        campaign.approval, campaign.approve_first = True, left


def first_are_approved(campaign: Campaign, approval: Approval) -> bool:
    """Return whether this decision approved the last of the first people. Inside its transaction."""
    if approval.status not in _APPROVED:
        return False
    return _people(CampaignLead.campaign_id == campaign.id) >= (campaign.approve_first or 0)


def _people(where: sa.ColumnElement[bool]) -> int:
    """Return how many people's drafts were approved."""
    number = sa.select(sa.func.count(CampaignLead.person_id.distinct())).join_from(
        Approval, CampaignLead, CampaignLead.id == Approval.campaign_lead_id
    )
    session().flush()
    return session().scalar(number.where(where, Approval.status.in_(_APPROVED))) or 0
