"""Variants that people had: which text of a step was written for each, in a draft or in the ledger."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, in_batches
from app.models.approvals import Approval
from app.models.ledger import Action

_IDS: Any = sa.bindparam("ids", expanding=True)
_BOOKS: Any = (Approval.__table__, Action.__table__)  # read in this order: what was sent replaces what a draft says
_HAD = [
    sa.select(book.c.campaign_lead_id, book.c.step, book.c.variant)
    .where(book.c.campaign_lead_id.in_(_IDS), book.c.variant != "")
    .order_by(book.c.id)
    for book in _BOOKS
]


def had(campaign_lead_ids: Iterable[int]) -> Mapping[int, dict[int, str]]:
    """Return the variant of each text these campaign leads got, or have as a draft, by step."""
    found: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for batch in in_batches(sorted(set(campaign_lead_ids))):
        for query in _HAD:
            for row in fetch(query, ids=batch):
                found[row.campaign_lead_id][row.step] = row.variant
    return found
