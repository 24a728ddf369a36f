"""Numbers of plays, angles and variants: who had time to answer, and what they answered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.paging import Page, Window, page
from app.domain.campaigns import variants
from app.domain.campaigns.variants import Comparison
from app.domain.rules.next_step import REPLY_WAIT
from app.domain.rules.responses import play_order
from app.domain.rules.responses.play_order import Evidence
from app.models.autopilot import Play, PlaySample, RankingChange, Setup
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Sentiment
from app.models.workspaces import Workspace

_P = CampaignLead


@dataclass(frozen=True)
class PlayView:
    """A play with its numbers, why it stands where it does, and whether its texts are older than the profile."""

    play: Play
    found: Evidence
    because: str
    outdated: bool

    def __getattr__(self, name: str) -> Any:
        return getattr(self.play, name)


@dataclass(frozen=True)
class PlayList:
    """The plays of a workspace, page by page."""

    workspace: Workspace

    def page(self, window: Window) -> Page:
        """Return the requested page."""
        found = page(sa.select(Play).where(Play.workspace_id == self.workspace.id), None, window)
        return Page(views(self.workspace, found.rows), found.next_cursor)


def views(workspace: Workspace, plays: Sequence[Play]) -> list[PlayView]:
    """Return these plays with their numbers."""
    every = _all(workspace)
    found = of_plays(workspace, every)
    angles = summed(workspace, every, found, taken_back(workspace))
    first = min((play.rank for play in every), default=0)
    profile = session().scalar(sa.select(Setup.profile).where(Setup.workspace_id == workspace.id))
    return [
        PlayView(
            play,
            found.get(play.id, Evidence()),
            _because(play, found, angles, first),
            play.is_outdated(profile),
        )
        for play in plays
    ]


def _all(workspace: Workspace) -> Sequence[Play]:
    query = sa.select(Play).where(Play.workspace_id == workspace.id)
    return session().scalars(query.order_by(Play.rank, Play.id)).all()


def _because(play: Play, found: Mapping[int, Evidence], angles: Mapping[str, Evidence], first: int) -> str:
    """Return why the play stands where it does, in a sentence."""
    place = "First" if play.rank == first else "Here"
    own, angle = found.get(play.id, Evidence()), angles.get(play.angle, Evidence())
    if words := play_order.told(own):
        return f"{place} because {'' if own.people else 'of '}{words}."
    if words := play_order.told(angle):
        return f"{place} because of other plays with this reason to write: {words}."
    return f"{place} by the usual order: no answers or votes yet."


def of_plays(workspace: Workspace, plays: Sequence[Play]) -> dict[int, Evidence]:
    """Return the numbers of these plays."""
    at, current = workspace.now(), session()
    counted = {play.campaign_id: Evidence() for play in plays if play.campaign_id}
    had_time = sa.or_(_P.replied.is_(True), _P.finished_at.is_not(None), _P.last_action_at <= at - REPLY_WAIT)

    def number(*where: sa.ColumnElement[bool]) -> Any:
        return sa.func.coalesce(sa.func.sum(sa.case((sa.and_(*where), 1), else_=0)), 0)

    query = (
        sa.select(
            _P.campaign_id,
            number(had_time),
            number(_P.replied.is_(True)),
            number(_P.replied.is_(True), _P.sentiment == Sentiment.POSITIVE),
            number(_P.replied.is_(True), _P.sentiment == Sentiment.NEGATIVE),
        )
        .where(_P.campaign_id.in_(list(counted)), _P.contacted.is_(True))
        .group_by(_P.campaign_id)
    )
    for campaign, *numbers in current.execute(query) if counted else ():
        counted[campaign] = Evidence(*map(int, numbers))
    votes = votes_of(workspace, plays)
    return {
        play.id: counted.get(play.campaign_id or 0, Evidence()) + votes.get(play.id, Evidence())
        for play in plays
        if play.campaign_id or play.id in votes
    }


def votes_of(workspace: Workspace, plays: Iterable[Play]) -> dict[int, Evidence]:
    """Return the votes on sample people of these plays."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    query = (
        sa.select(PlaySample.play_id, PlaySample.fit, sa.func.count())
        .where(PlaySample.workspace_id == workspace.id, PlaySample.fit != "")
        .group_by(PlaySample.play_id, PlaySample.fit)
    )
    for play, fit, number in session().execute(query):
        found[play][fit] = int(number)
    return {play.id: Evidence(**found[play.id]) for play in plays if play.id in found}


def of_angles(workspace: Workspace, *, whole: bool = False) -> dict[str, Evidence]:
    """Return the numbers of each angle that has any; what was taken back does not count, unless `whole`."""
    plays = _all(workspace)
    return summed(workspace, plays, of_plays(workspace, plays), {} if whole else taken_back(workspace))


def summed(
    workspace: Workspace, plays: Sequence[Play], numbers: Mapping[int, Evidence], taken: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """Return the numbers of each angle from those of all plays, without what was taken back."""
    found: defaultdict[str, Evidence] = defaultdict(Evidence)
    for play in plays:
        if play.id in numbers:
            found[play.angle] += numbers[play.id]
    setup = session().scalars(sa.select(Setup.former_votes).where(Setup.workspace_id == workspace.id)).first()
    for angle, votes in (setup or {}).items():
        found[angle] += Evidence(good=votes["good"], bad=votes["bad"])
    for angle, evidence in taken.items():
        found[angle] = found[angle].without(evidence)
    return {angle: evidence for angle, evidence in found.items() if any(evidence.numbers)}


def taken_back(workspace: Workspace) -> dict[str, Evidence]:
    """Return the evidence that no longer counts, by angle: that of the latest change taken back."""
    query = sa.select(RankingChange).where(
        RankingChange.workspace_id == workspace.id, RankingChange.undone_at.is_not(None)
    )
    return {one.angle: evidence_of(one) for one in session().scalars(query.order_by(RankingChange.id))}


def evidence_of(change: RankingChange) -> Evidence:
    """Return the evidence that moved the angle."""
    return Evidence(**{one.name: getattr(change, one.name) for one in fields(Evidence)})


def of_variants(workspace: Workspace, play: Play) -> Sequence[Comparison]:
    """Return the comparisons of the play's steps with variants, in the order of the steps."""
    campaign = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    return [] if campaign is None else [found for _, found in sorted(variants.compare(workspace, campaign).items())]
