"""The actor of this thread (user, key or system), recorded with each change, and whether it may skip approval."""

from contextvars import ContextVar
from typing import NamedTuple

from app.core.errors import Forbidden


class Actor(NamedTuple):
    """Who acts, under which name, and through which interface."""

    name: str
    user_id: int | None = None
    address: str = ""
    may_skip_approval: bool = True
    """Whether they may have people contacted before a member has approved."""


SYSTEM = Actor("Overture")
actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)
spender: ContextVar[int] = ContextVar("spender", default=0)
"""The workspace for which this thread works, whose budgets it uses; 0 for the server's own work."""


def refuse_unapproved(otherwise: str = "Turn on the campaign's approval") -> None:
    """Raise Forbidden for an actor who may not have people contacted before a member has approved."""
    if not actor.get().may_skip_approval:
        raise Forbidden(
            "This would contact people without approval, which this key isn't allowed to do.",
            recovery=f"{otherwise}, or use a key with the scope approvals:write.",
        )
