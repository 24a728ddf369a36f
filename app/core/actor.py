"""The actor of this thread (user, key or system), recorded by verbs."""

from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """Who acts, as others call them, and from where."""

    name: str
    user_id: int | None = None
    address: str = ""


SYSTEM = Actor("Overture")
actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)
