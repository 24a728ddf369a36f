"""The built-in writer: the business's own words in native sentences. The same input always gives the same text."""

import math
import threading
from collections.abc import Mapping, Sequence

from app.ports import FoundPerson, Site
from app.ports.writer import (
    Angle,
    Asked,
    Brief,
    Change,
    Choice,
    CustomerType,
    Judgement,
    Opener,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    Progress,
    SuggestedReply,
    Targeting,
    Written,
    unseen,
)
from app.providers.writer import (
    changes,
    customers,
    documents,
    fit,
    plays,
    replies,
    sequences,
    targeting,
)
from app.providers.writer.claims import claim_check
from app.providers.writer.reading import profile


class BuiltInWriter:
    """A `ports.Writer` without a network."""

    name, takes_words = "built-in", False

    def __init__(self) -> None:
        self._said = threading.local()

    def profile(self, site: Site | None, description: str) -> Profile:
        found = profile.understood(site, description)
        self._said.note = sequences.note(found.language)
        return found

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        self._said.note = sequences.note(profile.language)
        return customers.types(profile)

    def near(self, profile: Profile) -> bool:
        return customers.near(profile)

    def documents(self, brief: Brief) -> Mapping[str, str]:
        return documents.first(brief)

    def targeting(self, brief: Brief) -> Targeting:
        return targeting.rows(brief)

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        self._said.note = sequences.note(brief.profile.language)
        return plays.ideas(brief, angles)

    def sequence(
        self, brief: Brief, idea: PlayIdea, within: float = math.inf, progress: Progress = unseen
    ) -> Sequence[PlayStep]:
        self._said.note = sequences.note(brief.profile.language)
        return sequences.steps(brief, idea.angle)

    def at_once(self, brief: Brief) -> Sequence[PlayStep]:
        return sequences.steps(brief, "cold")

    def topic(self, pitch: str, language: str) -> str:
        return profile.topic(pitch, language)

    def opener(self, brief: Brief, idea: PlayIdea, body: str, within: float = math.inf) -> Opener:
        """See Writer. What a program makes of a page would not read as if a person had read it."""
        return Opener()

    def reply(self, brief: Brief, asked: Asked, within: float = math.inf) -> SuggestedReply:
        return replies.suggested(asked)

    def judge(self, brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
        return fit.judged(brief, idea, person, votes)

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        return changes.changed(brief, idea, steps, wish)

    def offered(self, steps: Sequence[PlayStep], language: str) -> Sequence[Choice]:
        return changes.offered(steps, language)

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        return claim_check.problems(brief, text, known)

    def last(self) -> Written:
        return Written(self.name, getattr(self._said, "note", ""))
