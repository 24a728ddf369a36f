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
    """A starter sequence. To use it in a campaign, send `sequence` and `branches` to `POST /v1/campaigns`."""

    key: str
    """The key of the starter sequence, which does not change."""
    name: str
    """The name of the starter sequence, which you can show to users."""
    people: str
    """Who the starter sequence is for."""
    idea: str
    """Why the steps have this order."""
    channels: list[Literal["social", "email"]]
    """The kinds of senders the sequence needs."""
    sequence: list[Step]
    """The steps, in the format of `POST /v1/campaigns`."""
    branches: list[Branch]
    """The branches, in the format of `POST /v1/campaigns`."""
    reasons: list[str]
    """Why each step of `sequence` and the wait before it make sense, in the same order."""
    missing: list[Missing]
    """What the workspace still needs before the sequence can run; empty if nothing is missing."""

    @classmethod
    def of(cls, starter: Any, missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return cls.filled(starter, missing=missing[starter.key])


class Starters(Resource):
    """The starter sequences."""

    starters: list[Starter]
    """All starter sequences, in a fixed order."""

    @classmethod
    def of(cls, every: Sequence[Any], missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return {"starters": [Starter.of(one, missing) for one in every]}
