"""JSON schemas of the model's answers."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from app.providers.model import Shape

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=240)]
Paragraph = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1200)]


class ModelFact(Shape):
    """A fact with the page and the words it rests on."""

    text: Line
    page: Line
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=8, max_length=400)]
    kind: Literal["name", "offer", "audience", "outcome", "price", "customer", "place", "claim"]


class ModelProfile(Shape):
    """A business."""

    tokens: ClassVar[int] = 700
    name: Line
    offer: Line
    business: Paragraph
    summary: Paragraph
    facts: list[ModelFact]


class ModelType(Shape):
    """A kind of customer."""

    title: Line
    detail: Paragraph


class ModelTypes(Shape):
    """The kinds of customers."""

    tokens: ClassVar[int] = 500
    types: list[ModelType]


class ModelChip(Shape):
    """A word of a targeting."""

    label: Line
    on: bool


class ModelTargeting(Shape):
    """The target audience."""

    tokens: ClassVar[int] = 400
    summary: Paragraph
    titles: list[ModelChip]
    company_types: list[ModelChip]
    sizes: list[ModelChip]
    even_better: list[Line]


class ModelIdea(Shape):
    """A play before it has messages."""

    angle: Line
    name: Line
    pitch: Paragraph
    why: Paragraph
    strategy: Paragraph
    reaches: Paragraph


class ModelIdeas(Shape):
    """The plays."""

    tokens: ClassVar[int] = 1200
    ideas: list[ModelIdea]


class ModelText(Shape):
    """The words of one step, as a whole."""

    id: Line
    text: Annotated[str, StringConstraints(max_length=3000)]
    subject: Annotated[str, StringConstraints(max_length=120)]


class ModelPart(Shape):
    """One sentence of a message, the ids of the facts that say what it claims, and whether it begins a paragraph."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    facts: Annotated[list[int], Field(max_length=3)]
    paragraph: bool


class ModelBody(Shape):
    """The words of one step, sentence by sentence."""

    id: Line
    subject: Annotated[str, StringConstraints(max_length=120)]
    sentences: Annotated[list[ModelPart], Field(max_length=30)]

    @property
    def text(self) -> str:
        """Return the sentences as one text."""
        return "".join(f"{chr(10) * 2 if one.paragraph else ' '}{one.text}" for one in self.sentences).strip()


class ModelBodies(Shape):
    """The words of the steps of a play."""

    tokens: ClassVar[int] = 1200
    steps: list[ModelBody]


class ModelVerdict(Shape):
    """Whether one source says everything that a sentence claims."""

    id: int
    source: int
    says: bool


class ModelVerdicts(Shape):
    """A verdict for each sentence."""

    tokens: ClassVar[int] = 300
    verdicts: list[ModelVerdict]


class ModelSentence(Shape):
    """One sentence with the ids of the facts whose quotes say what it claims."""

    tokens: ClassVar[int] = 80
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
    facts: Annotated[list[int], Field(max_length=2)]


class ModelOpener(Shape):
    """What one person reads first: something of theirs, and why this is a reason to write to them."""

    tokens: ClassVar[int] = 160
    opener: ModelSentence
    reason: ModelSentence


class ModelReply(Shape):
    """An answer to one person: at most five sentences, none when nothing can be said."""

    tokens: ClassVar[int] = 300
    sentences: Annotated[list[ModelSentence], Field(max_length=5)]


class ModelChange(Shape):
    """Steps after a wish, and what to say about it."""

    tokens: ClassVar[int] = 1000
    steps: list[ModelText]
    dropped: list[Line]
    reply: Paragraph
    choices: list[Line]
    standing_rules: list[Line]
