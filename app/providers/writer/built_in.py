"""The built-in writer: extraction, tables and templates. The same input always gives the same text."""

from collections.abc import Mapping, Sequence

from app.ports import FoundPerson, Site
from app.ports.writer import (
    Angle,
    Brief,
    Change,
    CustomerType,
    Judgement,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    Targeting,
    Written,
)
from app.providers.writer import claim_check, customers, documents, fit, plays, profile, rewrite, sequences, targeting


class BuiltInWriter:
    """A `ports.Writer` without a network."""

    name = "built-in"

    def profile(self, site: Site | None, description: str) -> Profile:
        return profile.understood(site, description)

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        return customers.types(profile)

    def documents(self, brief: Brief) -> Mapping[str, str]:
        return documents.first(brief)

    def targeting(self, brief: Brief) -> Targeting:
        return targeting.rows(brief)

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        return plays.ideas(brief, angles)

    def sequence(self, brief: Brief, idea: PlayIdea) -> Sequence[PlayStep]:
        return sequences.steps(brief, idea.angle)

    def judge(self, brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
        return fit.judged(brief, idea, person, votes)

    def change(self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str) -> Change:
        return rewrite.changed(brief, idea, steps, wish)

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        return claim_check.problems(brief, text, known)

    def last(self) -> Written:
        return Written(self.name)
