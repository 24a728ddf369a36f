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
