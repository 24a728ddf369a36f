"""Starter sequences as API resources."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaigns import Branch, Step


class Missing(Shape):
    """Something the workspace still needs before a starter sequence can run."""

    kind: Literal["social", "mailbox", "signal"]
    """What is missing."""
    message: str
    """What is missing, as a sentence you can show to users."""


class Starter(Resource):
    """A starter sequence. To use it, send its `sequence` and `branches` to `POST /v1/campaigns`."""

    key: str
    """The stable name of the starter."""
    name: str
    """The name of the starter, which you can show to users."""
    people: str
    """Who the starter sequence is for."""
    idea: str
    """Why the steps have this order."""
    channels: list[Literal["social", "email"]]
    """The kinds of senders the sequence needs."""
    sequence: list[Step]
    """The steps, as `POST /v1/campaigns` takes them."""
    branches: list[Branch]
    """The branches, as `POST /v1/campaigns` takes them."""
    reasons: list[str]
    """The reason for each step of `sequence` and for the wait before it, in the same order."""
    missing: list[Missing]
    """What the workspace still needs before the sequence can run; empty if nothing."""

    @classmethod
    def of(cls, starter: Any, missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return {
            **{name: getattr(starter, name) for name in ("key", "name", "people", "idea", "channels", "sequence")},
            "branches": list(starter.branches),
            "reasons": starter.reasons,
            "missing": [one._asdict() for one in missing[starter.key]],
        }


class Starters(Resource):
    """The starter sequences."""

    starters: list[Starter]
    """All starter sequences, in a fixed order."""

    @classmethod
    def of(cls, every: Sequence[Any], missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return {"starters": [Starter.of(one, missing) for one in every]}
