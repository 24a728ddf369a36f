"""The weekly summary: what was learnt and what it changed, as the alerts say it once a week."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.learning import play_numbers
from app.domain.rules.responses import play_order
from app.models.autopilot import LearntRule, LearntRuleStatus, RankingChange, Setup
from app.models.workspaces import Workspace
from app.ports.writer import ANGLES

WEEK = timedelta(days=7)
MORNING = 8  # of Monday, in the workspace's time zone
MOST = 5  # lines of a kind
LABELS = {angle.code: angle.label for angle in ANGLES}
_SAID = {
    LearntRuleStatus.PROPOSED: "A rule is proposed, from {edits}: “{words}”",
    LearntRuleStatus.ON: "A rule was accepted: “{words}” New texts follow it{also}.",
    LearntRuleStatus.OFF: "A rule was taken back: “{words}” New texts no longer follow it.",
}


def remember(workspace: Workspace) -> None:
    """Have the next summary say what was learnt. Inside the transaction of its cause."""
    session().execute(
        sa.update(Setup)
        .where(Setup.workspace_id == workspace.id, Setup.learnt_due_at.is_(None))
        .values(learnt_due_at=next_monday(workspace))
        .execution_options(synchronize_session="fetch")
    )


def next_monday(workspace: Workspace) -> datetime:
    """Return when the next summary is due."""
    local = workspace.now().astimezone(ZoneInfo(workspace.timezone))
    monday = (local + timedelta(days=-local.weekday())).replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return (monday if local < monday else monday + WEEK).astimezone(ZoneInfo("UTC"))


def next_due(workspace: Workspace, told: datetime) -> datetime | None:
    """Return when the next summary is due after one up to that moment; None when there is nothing to say."""
    return next_monday(workspace) if lines(workspace, told, workspace.now() + WEEK) else None


def lines(workspace: Workspace, since: datetime, until: datetime) -> list[str]:
    """Return what was learnt between the two moments, one line each."""
    rules = _rules(workspace, since, until)
    moved = [_move(change) for change in _changes(workspace, since, until)]
    return [line for several in (rules, moved) for line in _first(several)]


def _first(several: list[str]) -> list[str]:
    rest = len(several) - MOST
    return several[:MOST] + ([f"… and {rest} more."] if rest > 0 else [])


def _rules(workspace: Workspace, since: datetime, until: datetime) -> list[str]:
    moment = sa.func.coalesce(LearntRule.decided_at, LearntRule.proposed_at)
    query = sa.select(LearntRule).where(LearntRule.workspace_id == workspace.id, moment > since, moment <= until)
    found = session().scalars(query.where(LearntRule.status.in_(list(_SAID))).order_by(moment, LearntRule.id))
    return [said(rule) for rule in found]


def said(rule: LearntRule) -> str:
    """Return what is to be told of a rule, in a sentence."""
    drafts = f"{rule.rewritten:,} waiting draft{'' if rule.rewritten == 1 else 's'}"
    also = f"; {drafts} followed it at once" if rule.rewritten else ""
    return _SAID[LearntRuleStatus(rule.status)].format(edits=f"{rule.edits:,} edits", words=rule.words, also=also)


def _changes(workspace: Workspace, since: datetime, until: datetime) -> list[RankingChange]:
    """Return the changes of the ranking in that time, the newest of each angle."""
    moment = sa.func.coalesce(RankingChange.undone_at, RankingChange.at)
    query = sa.select(RankingChange).where(RankingChange.workspace_id == workspace.id, moment > since, moment <= until)
    return list({one.angle: one for one in session().scalars(query.order_by(RankingChange.id))}.values())


def _move(change: RankingChange) -> str:
    if change.undone_at is not None:
        return f"“{LABELS.get(change.angle, change.angle)}” is back where it was; its numbers so far don't count."
    return f"{moved(change)} {play_order.told(play_numbers.evidence_of(change))}."


def moved(change: RankingChange) -> str:
    """Return where the angle moved, as the begin of a sentence."""
    up = "up" if change.place_after < change.place_before else "down"
    label = LABELS.get(change.angle, change.angle)
    return f"“{label}” moved {up} from place {change.place_before} to {change.place_after}:"
