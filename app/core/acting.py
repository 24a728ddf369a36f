"""On whose behalf this thread works, so that verbs can note it without being told by every caller."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """Who acts, as others call them, and from where."""

    name: str
    user_id: int | None = None
    address: str = ""


SYSTEM = Actor("Overture")
actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)
