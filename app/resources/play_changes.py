"""A change of a play as the API shows it before it is used."""

from typing import Any, Literal

from app.resources.base import Json, Shape


class ChangedSentence(Shape):
    """A sentence of a step: on both sides, only before, or only after."""

    side: Literal["same", "old", "new"]
    """`same`, `old` (removed) or `new` (added)."""
    text: str
    """The sentence."""


class ChangedStep(Shape):
    """A step that would change; for a removed step, its current number."""

    step: int
    """The number of the step, from 1."""
    kind: str
    """How the step is sent."""
    says: str
    """What would change, as a sentence; empty if the sentences show it."""
    sentences: list[ChangedSentence]
    """The sentences of the step before and after."""


class PlayProposal(Shape):
    """A proposed change of a play."""

    wish: str
    """The requested change."""
    says: str
    """The steps that would change."""
    changes: list[ChangedStep]
    """The steps that would change."""

    @classmethod
    def of(cls, found: Any) -> Json:
        changes = [
            {
                "step": one.number,
                "kind": one.kind,
                "says": one.says,
                "sentences": [{"side": piece.side, "text": piece.text} for piece in one.sentences],
            }
            for one in found.changes
        ]
        return {"wish": found.wish, "says": found.says, "changes": changes}
