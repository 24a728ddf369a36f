"""Campaign counters, changed in the transaction of their cause; `recount` proves them."""

from collections import Counter, defaultdict
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from app.core.db import execute_many, session
from app.models.campaigns import CampaignLead, CampaignStats, LeadState

STATES = [str(state) for state in LeadState]
SENTIMENTS = {"positive": "positive", "negative": "negative", "generic": "neutral"}
_TABLE: Any = CampaignStats.__table__


class Tally:
    """Changes of counters, collected and written in one statement per campaign."""

    def __init__(self) -> None:
        self.changes: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add(self, campaign_id: int, **counts: int) -> None:
        """Add to the campaign's counters."""
        self.changes[campaign_id].update(counts)

    def move(self, campaign_id: int, before: str, after: str) -> None:
        """Count a move from one state to another."""
        if before != after:
            self.changes[campaign_id].update({before: -1})
            self.changes[campaign_id].update({after: 1})

    def write(self) -> None:
        """Write the changes in ascending row order, so that two writers never deadlock."""
        for campaign_id in sorted(self.changes):
            by = {name: number for name, number in self.changes[campaign_id].items() if number}
            if by:
                parameters = {"of": campaign_id, **{f"by_{name}": number for name, number in by.items()}}
                execute_many(_grow(tuple(sorted(by))), [parameters])
        self.changes.clear()


def count_move(person: CampaignLead, before: str) -> None:
    """Count that the person left that state. Inside a transaction."""
    tally = Tally()
    tally.move(person.campaign_id, before, person.state)
    session().flush()
    tally.write()


@lru_cache(maxsize=256)
def _grow(names: tuple[str, ...]) -> sa.Update:
    """Return the statement that adds to these counters."""
    values = {_TABLE.c[name]: _TABLE.c[name] + sa.bindparam(f"by_{name}") for name in names}
    return sa.update(_TABLE).where(_TABLE.c.campaign_id == sa.bindparam("of")).values(values)


def recount(campaign_id: int) -> dict[str, int]:
    """Compute the counters from the campaign's people."""
    lead = CampaignLead
    of = lead.campaign_id == campaign_id
    counts = dict.fromkeys((column.name for column in _TABLE.c), 0)
    for state, number in session().execute(sa.select(lead.state, sa.func.count()).where(of).group_by(lead.state)):
        counts[state] = number
    counts["leads"] = sum(counts[state] for state in STATES)
    one = sa.func.sum
    row = (
        session()
        .execute(
            sa.select(
                one(sa.case((lead.contacted, 1), else_=0)),
                one(sa.case((lead.invited_at.is_not(None), 1), else_=0)),
                one(sa.case((lead.accepted_at.is_not(None), 1), else_=0)),
                one(lead.messages_sent),
                one(sa.case((lead.replied, 1), else_=0)),
            ).where(of)
        )
        .one()
    )
    names = ("contacted", "invites_sent", "accepted", "messages_sent", "replies")
    counts.update({name: int(number or 0) for name, number in zip(names, row, strict=True)})
    by_tone = sa.select(lead.sentiment, sa.func.count()).where(of, lead.sentiment != "").group_by(lead.sentiment)
    for sentiment, number in session().execute(by_tone):
        counts[SENTIMENTS[sentiment]] = number
    del counts["campaign_id"], counts["workspace_id"]
    return counts
