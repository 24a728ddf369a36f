"""How people of a workspace respond, measured in its ledger; usual rates and delays while it knows too little."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads.campaign_leads import filters
from app.domain.ledger import rates as responses
from app.domain.ledger.acceptance import DECIDED_AFTER
from app.domain.ledger.rates import USUAL_ACCEPT, USUAL_REPLY, Delays, Rates
from app.domain.rules.next_step import REPLY_WAIT
from app.models.campaigns import Campaign, CampaignLead
from app.models.ledger import Action
from app.models.workspaces import Workspace

USUAL_ACCEPTANCE, USUAL_REPLIES = 0.3, 0.15
USUAL_KNOWN = 10  # a usual rate is as uncertain as a rate measured on this many people
MEASURED, ENOUGH = timedelta(days=90), 20
SAMPLE = 2000  # the latest people of a workspace who are measured
_P = CampaignLead


@dataclass(frozen=True)
class Assumption:
    """A share of people, among how many it was measured, and whether it was `measured` here or is only `usual`."""

    share: float
    source: str
    people: int = USUAL_KNOWN


@dataclass(frozen=True)
class Measured:
    """How people respond, and how sure that is."""

    acceptance: Assumption
    replies: Assumption
    rates: Rates


def measure(workspace: Workspace) -> Measured:
    """Return how people of the workspace respond, by those contacted in the last 90 days long enough ago to tell."""
    at = workspace.now()
    acceptance, accepted_after = _acceptances(workspace, at)
    replies, by_number, replied_after = _replies(workspace, at)
    return Measured(
        acceptance,
        replies,
        Rates(
            acceptance.share,
            by_number,
            Delays.of(accepted_after, USUAL_ACCEPT),
            Delays.of(replied_after, USUAL_REPLY),
        ),
    )


def _ours(workspace: Workspace) -> Any:
    """Return the condition of the workspace's campaign leads, by the index that begins with their campaign."""
    return _P.campaign_id.in_(sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id))


def _acceptances(workspace: Workspace, at: datetime) -> tuple[Assumption, list[timedelta]]:
    query = (
        sa.select(_P.invited_at, _P.accepted_at)
        .where(_ours(workspace), _P.invited_at.between(at - MEASURED, at - DECIDED_AFTER))
        .order_by(_P.id.desc())
        .limit(SAMPLE)
    )
    rows = session().execute(query).all()
    delays = [accepted - invited for invited, accepted in rows if invited and accepted and accepted >= invited]
    if len(rows) < ENOUGH:
        return Assumption(USUAL_ACCEPTANCE, "usual"), delays
    return Assumption(round(len(delays) / len(rows), 3), "measured", len(rows)), delays


def _replies(workspace: Workspace, at: datetime) -> tuple[Assumption, tuple[float, ...], list[timedelta]]:
    """Return the share of people who reply at all, that by the number of the message, and the delays."""
    people = session().execute(
        sa.select(_P.id, _P.replied_at)
        .where(_ours(workspace), _P.messages_sent > 0, _P.last_action_at >= at - MEASURED)
        .order_by(_P.id.desc())
        .limit(SAMPLE)
    )
    replied = {row.id: row.replied_at for row in people}
    had, answered = Counter[int](), Counter[int]()
    delays = []
    for person, moments in _messages(list(replied)).items():
        reply = replied[person]
        before = [moment for moment in moments if reply is None or moment <= reply]
        for number, moment in enumerate(before, 1):
            if not at - MEASURED <= moment <= at - REPLY_WAIT:  # too old, or may still get a reply
                continue
            had[number] += 1
            if reply is not None and number == len(before):
                answered[number] += 1
                delays.append(reply - moment)
    if had[1] < ENOUGH:
        return Assumption(USUAL_REPLIES, "usual"), (USUAL_REPLIES,), delays
    by_number = tuple(answered[number] / had[number] for number in sorted(had) if had[number] >= ENOUGH)
    return Assumption(round(responses.total_reply(by_number), 3), "measured", had[1]), by_number, delays


def _messages(people: Sequence[int]) -> dict[int, list[datetime]]:
    """Return when each person got their messages, in order; the parts of a text are one."""
    found: defaultdict[int, list[datetime]] = defaultdict(list)
    query = (
        sa.select(Action.campaign_lead_id, Action.at)
        .where(in_list(Action.campaign_lead_id, people), filters.DONE, Action.kind.in_(filters.MESSAGES))
        .where(Action.part == 0, Action.step >= 0)
    )
    for person, moment in session().execute(query.order_by(Action.at)):
        if person is not None:
            found[person].append(moment)
    return found
