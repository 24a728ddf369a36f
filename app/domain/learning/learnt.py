"""What was learnt, in one view: rules with their evidence, the order of angles, this week's lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.learning import play_numbers, proposals, ranking, weekly_summary
from app.domain.rules.responses import play_order
from app.domain.rules.responses.play_order import Evidence
from app.models.approvals import Approval
from app.models.autopilot import LearntRule, Play, RankingChange
from app.models.workspaces import Workspace

MOST_CHANGES = 50
MOST_EDITS = 3  # shown beside a rule


@dataclass(frozen=True)
class Angle:
    """An angle of the workspace's plays: where it stands, where it would stand, and what counts for it."""

    angle: str
    place: int
    usual_place: int
    found: Evidence

    @property
    def told(self) -> str:
        """Return the evidence in words."""
        return play_order.told(self.found)


@dataclass(frozen=True)
class Learnt:
    """What was learnt. `rules` come with their question, `ranking` with the evidence of each change."""

    rules: Sequence[tuple[LearntRule, str]]
    ranking: Sequence[tuple[RankingChange, Evidence]]
    angles: Sequence[Angle]
    week: Sequence[str]


def view(workspace: Workspace) -> Learnt:
    """Return what was learnt, newest first."""
    changes = session().scalars(ranking.changes(workspace).order_by(RankingChange.id.desc()).limit(MOST_CHANGES))
    until = workspace.now()
    return Learnt(
        [(rule, question(rule)) for rule in proposals.every(workspace)],
        [(change, play_numbers.evidence_of(change)) for change in changes],
        _angles(workspace),
        weekly_summary.lines(workspace, until - weekly_summary.WEEK, until),
    )


def question(rule: LearntRule) -> str:
    """Return the question that a proposal asks."""
    return proposals.lesson_of(rule).asks(rule.edits)


def _angles(workspace: Workspace) -> list[Angle]:
    plays = session().scalars(sa.select(Play).where(Play.workspace_id == workspace.id)).all()
    found, usual = play_numbers.of_angles(workspace), ranking.usual(plays)
    return [
        Angle(angle, place, usual.index(angle) + 1, found.get(angle, Evidence()))
        for place, angle in enumerate(play_order.order(usual, found, usual), 1)
    ]


def edits(workspace: Workspace, rule: LearntRule) -> Sequence[Any]:
    """Return the latest drafts that taught the rule, newest first; those of erased people hold no text."""
    query = sa.select(Approval.id, Approval.written_text, Approval.text, Approval.decided_at).where(
        Approval.workspace_id == workspace.id, Approval.id.in_(rule.drafts[:MOST_EDITS]), Approval.text != ""
    )
    return session().execute(query.order_by(Approval.id.desc())).all()
