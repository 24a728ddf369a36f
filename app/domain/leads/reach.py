"""How the people of a list can be reached: who has an e-mail address or a phone number, and who has none."""

from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.leads import leads
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

MOST_READ = 10_000  # people, in some 15 ms
WAYS = {
    "email": (Lead.email, True),
    "no-email": (Lead.email, False),
    "phone": (Lead.phone, True),
    "no-phone": (Lead.phone, False),
}


def contact_coverage(workspace: Workspace, list_id: int, q: str = "", way: str = "") -> sa.Select[Any]:
    """The people of a list: all or those searched for, who can, or cannot, be reached that way if one is given."""
    query = leads.query_list(workspace, list_id, q)
    if not way:
        return query
    column, has = WAYS[way]
    return query.where(column != sa.text("''") if has else column == sa.text("''"))


def cached_coverage(found: LeadList, query: sa.Select[Any]) -> int | None:
    """How many people of the list these are; None where the list has so many that to read each of them takes long."""
    if found.lead_count > MOST_READ:
        return None
    return session().scalar(sa.select(sa.func.count()).select_from(query.with_only_columns(Lead.id).subquery()))


def coverage_numbers(found: LeadList) -> dict[str, int]:
    """How many of a list's people each of WAYS means."""
    email, phone = leads.reachable([found])[found.id]
    return {"email": email, "no-email": found.lead_count - email, "phone": phone, "no-phone": found.lead_count - phone}
