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
    CustomerType,
    Judgement,
    Opener,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    SuggestedReply,
    Targeting,
    Written,
)
from app.providers.writer import (
    change_requests,
    customers,
    documents,
    fit,
    plays,
    replies,
    rewrite,
    sequences,
    targeting,
    tongues,
)
from app.providers.writer.claims import claim_check
from app.providers.writer.reading import profile


class BuiltInWriter:
    """A `ports.Writer` without a network."""

    name = "built-in"

    def __init__(self) -> None:
        self._said = threading.local()

    def profile(self, site: Site | None, description: str) -> Profile:
        found = profile.understood(site, description)
        self._said.note = tongues.note(found.language)
        return found

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        self._said.note = tongues.note(profile.language)
        return customers.types(profile)

    def documents(self, brief: Brief) -> Mapping[str, str]:
        return documents.first(brief)

    def targeting(self, brief: Brief) -> Targeting:
        return targeting.rows(brief)

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        self._said.note = tongues.note(brief.profile.language)
        return plays.ideas(brief, angles)

    def sequence(self, brief: Brief, idea: PlayIdea, within: float = math.inf) -> Sequence[PlayStep]:
        self._said.note = tongues.note(brief.profile.language)
        return sequences.steps(brief, idea.angle)

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
        return rewrite.changed(brief, idea, steps, wish)

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        return claim_check.problems(brief, text, known)

    def obey(self, steps: Sequence[PlayStep], rules: Sequence[str], language: str = "en") -> Sequence[PlayStep]:
        return change_requests.obeyed(steps, rules, language)

    def last(self) -> Written:
        return Written(self.name, getattr(self._said, "note", ""))
