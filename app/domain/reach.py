"""How the people of a list can be reached: who has an e-mail address or a phone number, and who has none."""

from typing import Any

import sqlalchemy as sa

from app.domain import leads
from app.models.leads import Lead, LeadList

WAYS = {"email": (Lead.email, True), "no-email": (Lead.email, False), "phone": (Lead.phone, True),
        "no-phone": (Lead.phone, False)}  # fmt: skip


def only(query: sa.Select[Any], way: str) -> sa.Select[Any]:
    """Of these leads, those who can be reached that way, or cannot; all of them when `way` is ''."""
    if not way:
        return query
    column, has = WAYS[way]
    return query.where(column != sa.text("''") if has else column == sa.text("''"))


def numbers(found: LeadList) -> dict[str, int]:
    """How many of a list's people each of WAYS means."""
    email, phone = leads.reachable([found])[found.id]
    return {"email": email, "no-email": found.lead_count - email, "phone": phone, "no-phone": found.lead_count - phone}
