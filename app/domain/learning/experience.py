"""What a writer may learn from: texts that worked, and what the reasons to write have brought."""

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.domain.learning import draft_rules, play_numbers
from app.domain.rules.edits import differences
from app.domain.rules.responses import play_order
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import CampaignLead
from app.models.conversations import Sentiment
from app.models.workspaces import Workspace
from app.ports.writer import ANGLES, Brief

LOOKED_AT, MOST_OF_A_KIND, LONGEST = 60, 2, 600


def learnt(workspace: Workspace, brief: Brief) -> Brief:
    """Return the brief with examples of each channel and past results."""
    return replace(brief, examples=examples(workspace), results=results(workspace))


def examples(workspace: Workspace) -> Sequence[tuple[str, str]]:
    """Return texts by channel that brought a good answer, or that a person edited, without the values of their people.

    One with an opener speaks of its recipient alone, so it is no example.
    """
    liked = sa.and_(CampaignLead.replied.is_(True), CampaignLead.sentiment == Sentiment.POSITIVE)
    query = (
        sa.select(Approval.kind, Approval.text, Approval.facts, sa.case((liked, 1), else_=0).label("liked"))
        .join(CampaignLead, CampaignLead.id == Approval.campaign_lead_id)
        .where(Approval.workspace_id == workspace.id, Approval.status == ApprovalStatus.DONE, Approval.text != "")
        .where(Approval.opener.is_(None), sa.or_(liked, Approval.edited_by.is_not(None)))
        .order_by(sa.desc("liked"), Approval.id.desc())
        .limit(LOOKED_AT)
    )
    found: dict[str, list[str]] = {}
    for row in session().execute(query):
        said = text.shorten(differences.blanked(row.text, draft_rules.values_of(row.facts)), LONGEST)
        several = found.setdefault(row.kind, [])
        if said not in several and len(several) < MOST_OF_A_KIND:
            several.append(said)
    return [(kind, said) for kind, several in found.items() for said in several]


def results(workspace: Workspace) -> Sequence[str]:
    """Return what each reason to write has brought, as sentences."""
    numbers = play_numbers.of_angles(workspace)
    told = ((one.label, play_order.told(numbers[one.code])) for one in ANGLES if one.code in numbers)
    return [f"{label}: {words}." for label, words in told if words]
