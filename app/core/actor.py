"""On whose behalf this thread works, so that verbs can note it without being told by every caller."""

from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """Who acts, as others call them, and from where."""

    name: str
    user_id: int | None = None
    address: str = ""


SYSTEM = Actor("Overture")
actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)
