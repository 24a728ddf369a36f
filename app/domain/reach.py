"""How the people of a list can be reached: who has an e-mail address or a phone number, and who has none."""

from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain import leads
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

MOST_COUNTED = 1000
WAYS = {
    "email": (Lead.email, True),
    "no-email": (Lead.email, False),
    "phone": (Lead.phone, True),
    "no-phone": (Lead.phone, False),
}


def people(workspace: Workspace, list_id: int, q: str = "", way: str = "") -> sa.Select[Any]:
    """The people of a list: all or those searched for, who can, or cannot, be reached that way if one is given."""
    query = leads.in_list(workspace, list_id, q)
    if not way:
        return query
    column, has = WAYS[way]
    return query.where(column != sa.text("''") if has else column == sa.text("''"))


def counted(query: sa.Select[Any]) -> int | None:
    """How many these people are; None for more than MOST_COUNTED, because a search has to read each of them."""
    some = query.with_only_columns(Lead.id).limit(MOST_COUNTED + 1).subquery()
    number = session().scalar(sa.select(sa.func.count()).select_from(some)) or 0
    return number if number <= MOST_COUNTED else None


def numbers(found: LeadList) -> dict[str, int]:
    """How many of a list's people each of WAYS means."""
    email, phone = leads.reachable([found])[found.id]
    return {"email": email, "no-email": found.lead_count - email, "phone": phone, "no-phone": found.lead_count - phone}
