"""The shape of a language's sentences."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tongue:
    """The sentences of one language, as its people write them.

    `[a|b]` is a choice; one business gets always the same one. Sentences are written as they stand after a comma: the
    first letter is raised where a sentence begins. Words of the owner stand after a colon, so that no language has to
    inflect them. `angles` gives each reason to write its own opening, question and close.
    """

    code: str
    english: str  # what the language is called
    own: str  # what it calls itself
    there: str  # instead of an unknown first name
    company: str  # instead of an unknown company
    opening: str
    round: str
    technology: str
    news: str
    common: Mapping[str, str]
    angles: Mapping[str, Mapping[str, str]]
    raised: bool = True  # a letter's first line begins with a capital
