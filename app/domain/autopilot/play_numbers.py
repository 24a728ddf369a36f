"""Numbers of plays: people who had time to reply, and their replies; plays are ranked by positive replies."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.paging import Page, Window, page
from app.domain.campaigns import variants, winner
from app.domain.campaigns.variants import Comparison
from app.domain.campaigns.winner import ENOUGH_PEOPLE, Outcome
from app.domain.rules.next_step import REPLY_WAIT
from app.models.autopilot import Play, PlaySample, Setup
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Sentiment
from app.models.workspaces import Workspace

FEW = 10  # a play for fewer people comes last
# Until enough people had time to reply, a play's rank in the writer's order gives an assumed positive reply rate.
# The rate assumed for the first rank, how much lower each next rank is, and the lowest rate.
BEST, STEP, LEAST = 0.12, 0.01, 0.04
USUAL = f"by default, because fewer than {ENOUGH_PEOPLE} people have had time to reply."
_P = CampaignLead


@dataclass(frozen=True)
class Numbers:
    """People who had time to answer, what they answered, and votes on sample people."""

    people: int = 0
    replies: int = 0
    positive: int = 0
    negative: int = 0
    good: int = 0
    bad: int = 0

    def __add__(self, other: "Numbers") -> "Numbers":
        return Numbers(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the reply rate; None while there is no one to count."""
        return winner.interval(Outcome(self.people, min(self.people, self.replies))) if self.people else None

    @property
    def in_words(self) -> str:
        """Return how people replied, such as: 12 of 100 replied (7–20%), 5 positively."""
        low, high = (round(100 * edge) for edge in self.interval or (0, 0))
        liked = f", {self.positive:,} positively" if self.replies else ""
        return f"{self.replies:,} of {self.people:,} replied ({low}–{high}%){liked}"


@dataclass(frozen=True)
class PlayView:
    """A play with its numbers, its rank and the reason for it, and whether its texts are older than the profile."""

    play: Play
    found: Numbers
    rank: int
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
        known = {view.play.id: view for view in views(self.workspace)}
        return Page([known[play.id] for play in found.rows], found.next_cursor)


def view(workspace: Workspace, play: Play) -> PlayView:
    """Return the play with its numbers and its place among the others."""
    return next(one for one in views(workspace) if one.play.id == play.id)


def views(workspace: Workspace) -> list[PlayView]:
    """Return the plays with their numbers, the likeliest to bring a positive reply first."""
    query = sa.select(Play).where(Play.workspace_id == workspace.id).order_by(Play.rank, Play.id)
    plays = session().scalars(query).all()
    found = _numbers(workspace, plays)
    profile = session().scalar(sa.select(Setup.profile).where(Setup.workspace_id == workspace.id))
    return [
        PlayView(
            play,
            found.get(play.id, Numbers()),
            rank,
            f"{'Ranked first' if rank == 1 else 'Ranked here'} {why}",
            play.is_outdated(profile),
        )
        for rank, (play, why) in enumerate(ordered(plays, found), 1)
    ]


def ordered(plays: Sequence[Play], found: Mapping[int, Numbers]) -> list[tuple[Play, str]]:
    """Return the plays, given in the writer's order, best first, each with the reason for its rank.

    A play is ranked by its own people if there are enough, else by the people of all plays with the same angle.
    """
    angles: defaultdict[str, Numbers] = defaultdict(Numbers)
    for play in plays:
        angles[play.angle] += found.get(play.id, Numbers())
    placed = []
    for place, play in enumerate(plays):
        own, angle = found.get(play.id, Numbers()), angles[play.angle]
        rate, why = max(LEAST, BEST - STEP * place), USUAL
        if own.people >= ENOUGH_PEOPLE:
            rate, why = own.positive / own.people, f"because {own.in_words}."
        elif angle.people >= ENOUGH_PEOPLE:
            rate, why = angle.positive / angle.people, f"because for its reason to write, {angle.in_words}."
        placed.append((play.audience < FEW, -rate, place, play, why))
    return [(play, why) for *_, play, why in sorted(placed, key=lambda one: one[:3])]


def _numbers(workspace: Workspace, plays: Sequence[Play]) -> dict[int, Numbers]:
    """Return the numbers by play id; plays without any are left out."""
    at, current = workspace.now(), session()
    counted = {play.campaign_id: Numbers() for play in plays if play.campaign_id}
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
        counted[campaign] = Numbers(*map(int, numbers))
    votes = _votes(workspace, plays)
    return {
        play.id: counted.get(play.campaign_id or 0, Numbers()) + votes.get(play.id, Numbers())
        for play in plays
        if play.campaign_id or play.id in votes
    }


def _votes(workspace: Workspace, plays: Iterable[Play]) -> dict[int, Numbers]:
    """Return the votes on sample people of these plays."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    query = (
        sa.select(PlaySample.play_id, PlaySample.fit, sa.func.count())
        .where(PlaySample.workspace_id == workspace.id, PlaySample.fit != "")
        .group_by(PlaySample.play_id, PlaySample.fit)
    )
    for play, fit, number in session().execute(query):
        found[play][fit] = int(number)
    return {play.id: Numbers(**found[play.id]) for play in plays if play.id in found}


def of_variants(workspace: Workspace, play: Play) -> Sequence[Comparison]:
    """Return the comparisons of the play's steps with variants, in the order of the steps."""
    campaign = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    return [] if campaign is None else [found for _, found in sorted(variants.compare(workspace, campaign).items())]
