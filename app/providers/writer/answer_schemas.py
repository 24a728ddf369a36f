"""JSON schemas of the model's answers."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints, create_model

from app.providers.model import Shape

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=240)]
Spoken = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class ModelPieces(Shape):
    """Pitches and details of a business, each with a sentence of its pages: see `pieces`."""

    from_strangers: ClassVar[bool] = True
    pitches: list[Any]
    details: list[Any]


def pieces(quotes: Sequence[str]) -> type[ModelPieces]:
    """Return the schema for pages with these sentences: a quotation is one of them, so that it is always verbatim."""
    quote: Any = (Literal[tuple(quotes)], ...)
    pitch: Any = create_model("ModelPitch", __base__=Shape, quote=quote, sentence=(Spoken, ...), topic=(Line, ...))
    detail: Any = create_model("ModelDetail", __base__=Shape, quote=quote, sentence=(Spoken, ...))
    several: Any = {"pitches": (list[pitch], Field(max_length=2)), "details": (list[detail], Field(max_length=3))}
    return create_model("ModelPieces", __base__=ModelPieces, **several)


class ModelSentence(Shape):
    """One sentence with the ids of the facts whose words say what it claims."""

    text: Spoken
    facts: Annotated[list[int], Field(max_length=3)]


class ModelMessage(Shape):
    """One message without its greeting and its end."""

    subject: Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
    sentences: Annotated[list[ModelSentence], Field(min_length=1, max_length=7)]


class ModelOpener(Shape):
    """What one person reads first: something of theirs, and why this is a reason to write to them."""

    opener: ModelSentence
    reason: ModelSentence


class ModelReply(Shape):
    """An answer to one person: at most five sentences, none when nothing can be said."""

    sentences: Annotated[list[ModelSentence], Field(max_length=5)]


class ModelText(Shape):
    """The words of one step, as a whole."""

    id: Line
    text: Annotated[str, StringConstraints(max_length=3000)]
    subject: Annotated[str, StringConstraints(max_length=120)]


class ModelChange(Shape):
    """The words of the steps after a wish."""

    steps: list[ModelText]
