"""A change of a play as the API shows it before it is used."""

from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Shape


class ChangedSentence(Shape):
    """A sentence of a step: on both sides, only before, or only after."""

    side: Literal["same", "old", "new"]
    text: str


class ChangedStep(Shape):
    """A step that would change; for a removed step, its current number."""

    step: int
    kind: str
    says: str
    sentences: list[ChangedSentence]


class PlayProposal(Shape):
    """A proposed change of a play."""

    wish: str
    says: str = Field(description="The steps that would change.")
    changes: list[ChangedStep]

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
