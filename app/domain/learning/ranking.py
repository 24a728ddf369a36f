"""Ranking: plays in the order of what their angles have brought, each change with its evidence, and its undo."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict
from app.domain.learning import play_numbers, weekly_summary
from app.domain.platform import audit_log, locks
from app.domain.rules.responses import play_order
from app.models.autopilot import Play, PlayStatus, RankingChange, Setup
from app.models.workspaces import Workspace

FEW = 10  # a play for fewer people comes last
LOOKED_AT = timedelta(days=1)  # how often the order is looked at without a cause


def look(workspace: Workspace) -> list[RankingChange]:
    """Put the plays in the order of the evidence, and record which angles moved by it. Inside a transaction."""
    plays = list(
        session().scalars(sa.select(Play).where(Play.workspace_id == workspace.id).order_by(Play.rank, Play.id))
    )
    numbers, taken = play_numbers.of_plays(workspace, plays), play_numbers.taken_back(workspace)
    found = play_numbers.summed(workspace, plays, numbers, taken)
    if not found and not taken:
        return []  # the usual order stays as it is
    made = _moved(workspace, plays, found)
    angles = {play.id: play.angle for play in plays}
    counted = {play: one for play, one in numbers.items() if angles[play] not in taken}
    scores = play_order.scores(angles, counted, found, usual(plays))
    ranks = sorted(play.rank for play in plays)
    order = sorted(plays, key=lambda play: (play.audience < FEW, -round(scores[play.id], 6), play.rank))
    for rank, play in zip(ranks, order, strict=True):
        play.rank = rank
    session().flush()
    return made


def _moved(workspace: Workspace, plays: list[Play], found: dict[str, play_order.Evidence]) -> list[RankingChange]:
    """Record the angles with evidence whose place is another one than when it was last recorded."""
    angles = list(dict.fromkeys(play.angle for play in plays))
    first = usual(plays)
    now = play_order.order(angles, found, first)
    last = _last_places(workspace)
    made = []
    for angle, evidence in found.items():
        if angle not in now:
            continue
        before, after = last.get(angle, first.index(angle) + 1), now.index(angle) + 1
        if before == after:
            continue
        change = RankingChange(
            workspace_id=workspace.id,
            angle=angle,
            place_before=before,
            place_after=after,
            at=workspace.now(),
            undone_at=None,
            **asdict(evidence),
        )
        session().add(change)
        made.append(change)
    session().flush()
    if made:
        weekly_summary.remember(workspace)
    return made


def _last_places(workspace: Workspace) -> dict[str, int]:
    """Return the place that each angle was last moved to, unless that was taken back."""
    places: dict[str, int] = {}
    for change in session().scalars(changes(workspace).order_by(RankingChange.id)):
        places[change.angle] = change.place_after
        if change.undone_at is not None:
            places.pop(change.angle)
    return places


def changes(workspace: Workspace) -> sa.Select[RankingChange]:
    """Select the recorded changes."""
    return sa.select(RankingChange).where(RankingChange.workspace_id == workspace.id)


def order(workspace: Workspace, angles: list[str]) -> list[str]:
    """Return the angles, the likeliest to be answered first; they are given in the order that the writer found."""
    return play_order.order(angles, play_numbers.of_angles(workspace), angles)


def usual(plays: Sequence[Play]) -> list[str]:
    """Return the angles of the plays in the order that the writer found when it designed them."""

    def place(play: Play) -> tuple[int, int]:
        at = play_order.usual_place(play.angle)
        return (play.written or {}).get("place", at), at

    return list(dict.fromkeys(play.angle for play in sorted(plays, key=place)))


def look_daily(workspace: Workspace, at: datetime) -> int:
    """Look at the order of plays once a day while one of them runs; return whether it was looked at."""
    setup = sa.select(Setup).where(Setup.workspace_id == workspace.id, is_due(at))
    if session().scalars(setup).first() is None:
        return 0
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        found = current.scalars(setup.with_for_update().execution_options(populate_existing=True)).first()
        if found is not None:
            found.ranked_at = at + LOOKED_AT if _any_runs(workspace) else None
            look(workspace)
    return 1


def _any_runs(workspace: Workspace) -> bool:
    live = [PlayStatus.SCHEDULED, PlayStatus.RUNNING]
    query = sa.select(Play.id).where(Play.workspace_id == workspace.id, Play.status.in_(live))
    return session().scalar(query.limit(1)) is not None


def is_due(at: object) -> sa.ColumnElement[bool]:
    """Return the condition that the order of a setup's plays is to be looked at."""
    return Setup.ranked_at <= at


def take_back(workspace: Workspace, change_id: int) -> RankingChange:
    """Take a change back: what moved the angle up to now no longer counts."""
    with transaction():
        locks.lock_workspaces([workspace.id])
        change = get_owned(RankingChange, workspace, change_id, lock=True)
        if change.undone_at is not None:
            raise Conflict("This change was already taken back.", recovery="New answers and votes still count.")
        newest = (
            session()
            .scalars(
                changes(workspace).where(RankingChange.angle == change.angle).order_by(RankingChange.id.desc()).limit(1)
            )
            .one()
        )
        if newest.id != change.id:
            raise Conflict(
                "The order has changed since.", recovery="Take back the latest change of this reason to write."
            )
        whole = play_numbers.of_angles(workspace, whole=True).get(change.angle, play_order.Evidence())
        for name, number in asdict(whole).items():
            setattr(change, name, number)
        change.undone_at = workspace.now()
        session().flush()
        look(workspace)
        audit_log.record(workspace, "ranking.taken_back", change.angle)
        return change


def keep_votes(workspace: Workspace, plays: list[Play]) -> None:
    """Keep the votes on people of plays that are about to be deleted. Inside a transaction."""
    votes = play_numbers.votes_of(workspace, plays)
    if not votes:
        return
    setup = session().scalars(sa.select(Setup).where(Setup.workspace_id == workspace.id)).one()
    kept = {angle: dict(counted) for angle, counted in (setup.former_votes or {}).items()}
    for play in plays:
        if play.id in votes:
            one = kept.setdefault(play.angle, {"good": 0, "bad": 0})
            one["good"] += votes[play.id].good
            one["bad"] += votes[play.id].bad
    setup.former_votes = kept
