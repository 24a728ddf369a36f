"""Starter sequences as API resources."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaigns import Branch, Step


class Missing(Shape):
    """What the workspace needs for a starter."""

    kind: Literal["social", "mailbox", "signal"]
    message: str


class Starter(Resource):
    """A starter sequence: send its `sequence` and `branches` to POST /v1/campaigns."""

    key: str
    name: str
    people: str = Field(description="Who the starter is for.")
    idea: str = Field(description="Why the steps have this order.")
    channels: list[Literal["social", "email"]] = Field(description="The kinds of senders it needs.")
    sequence: list[Step]
    branches: list[Branch]
    reasons: list[str] = Field(description="Why each step of `sequence` is there, and its wait.")
    missing: list[Missing]

    @classmethod
    def of(cls, starter: Any, missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return {
            **{name: getattr(starter, name) for name in ("key", "name", "people", "idea", "channels", "sequence")},
            "branches": list(starter.branches),
            "reasons": starter.reasons,
            "missing": [one._asdict() for one in missing[starter.key]],
        }


class Starters(Resource):
    """All starters."""

    starters: list[Starter]

    @classmethod
    def of(cls, every: Sequence[Any], missing: Mapping[str, Sequence[Any]]) -> Json:  # type: ignore[override]
        return {"starters": [Starter.of(one, missing) for one in every]}
