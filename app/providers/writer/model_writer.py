"""The AI writer. When the model fails, the built-in writer is used, and the result says so."""

import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from app.ports import FoundPerson, Site
from app.ports.writer import (
    Angle,
    Brief,
    Change,
    Chip,
    CustomerType,
    Fact,
    Judgement,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    Targeting,
    Written,
)
from app.providers.model import ChatModel, ModelFailed, Unusable
from app.providers.writer import change_requests, material, style
from app.providers.writer.answer_schemas import (
    ModelChange,
    ModelIdea,
    ModelIdeas,
    ModelProfile,
    ModelTargeting,
    ModelText,
    ModelTexts,
    ModelTypes,
    ModelVerdicts,
)
from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.claims import claim_check
from app.providers.writer.grammar import harmless
from app.providers.writer.targeting import SIZES

R = TypeVar("R")
FIVE = 5
STRUCTURE = {"only_email", "only_social", "no_reaction", "no_note", "add_followup", "wait_longer", "wait_less"}


class ModelWriter:
    """A `ports.Writer` that asks a model for words, and keeps to itself what decides: facts, steps, people, checks."""

    def __init__(self, model: ChatModel, spare: BuiltInWriter) -> None:
        self.name = model.name
        self._model, self._spare, self._last = model, spare, threading.local()

    def _either(self, asked: Callable[[], R], otherwise: Callable[[], R]) -> R:
        self._last.note = ""
        try:
            found = asked()
        except ModelFailed as failure:
            note = f"The model {self.name} did not write this: {failure.sentence}. The built-in writer did."
            self._last.written = Written(self._spare.name, note)
            return otherwise()
        self._last.written = Written(self.name, self._last.note)
        return found

    def profile(self, site: Site | None, description: str) -> Profile:
        """See Writer. Facts whose words are on no page are left out."""
        plain = self._spare.profile(site, description)
        return self._either(lambda: self._profile(site, description, plain), lambda: plain)

    def _profile(self, site: Site | None, description: str, plain: Profile) -> Profile:
        def facts(found: ModelProfile) -> list[Fact]:
            several = [Fact(one.text, one.page, one.quote, one.kind) for one in found.facts]
            return [fact for fact in several if material.stands(fact, site, description)]

        def brief(found: ModelProfile) -> Brief:
            return Brief(replace(plain, business="", summary="", facts=(*plain.facts, *facts(found))))

        def objections(found: ModelProfile) -> list[str]:
            wrong = material.objections(self._spare, brief(found), [found.business, found.summary, found.offer])
            return wrong + ([] if facts(found) else ["facts: give facts whose quote stands word for word on the page."])

        task = material.PROFILE
        found = self._model.ask(task, material.of_site(site, description), ModelProfile, objections)
        name = harmless(found.name) if material.says(site, description, found.name) else ""
        sells = harmless(found.offer.rstrip("."), 80) or plain.sells
        kept = tuple(facts(found))
        offered = Fact(f"{name or plain.name or 'The business'} sells {sells}.", kept[0].page, kept[0].quote, "offer")
        return replace(
            plain, business=material.bare(found.business), summary=material.bare(found.summary),
            facts=(*kept, offered), name=name or plain.name, sells=sells,
        )  # fmt: skip

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        def objections(found: ModelTypes) -> list[str]:
            wrong = (
                []
                if len({_slug(one.title) for one in found.types}) == len(found.types) == FIVE
                else ["types: give five, all different."]
            )
            texts = [text for one in found.types for text in (one.title, one.detail)]
            return wrong + material.linked(texts) + material.uncounted(Brief(profile), texts)

        def asked() -> Sequence[CustomerType]:
            found = self._model.ask(material.TYPES, material.of_profile(profile), ModelTypes, objections)
            return [
                CustomerType(_slug(one.title), material.bare(one.title), material.bare(one.detail))
                for one in found.types
            ]

        return self._either(asked, lambda: self._spare.customer_types(profile))

    def documents(self, brief: Brief) -> Mapping[str, str]:
        """See Writer. They list facts, so the built-in writer composes them."""
        self._last.written = getattr(self._last, "written", Written(self._spare.name))
        return self._spare.documents(brief)

    def targeting(self, brief: Brief) -> Targeting:
        """See Writer. Places come from the brief."""
        plain = self._spare.targeting(brief)

        def objections(found: ModelTargeting) -> list[str]:
            wrong = [f"sizes: use only {', '.join(SIZES)}."] if {one.label for one in found.sizes} - set(SIZES) else []
            wrong += [] if any(one.on for one in found.titles) else ["titles: at least one title is on."]
            texts = [found.summary, *(one.label for one in (*found.titles, *found.company_types))]
            return wrong + material.linked([*texts, *found.even_better])

        def asked() -> Targeting:
            found = self._model.ask(material.TARGETING, material.of_brief(brief), ModelTargeting, objections)
            rows = {"titles": found.titles, "companyType": found.company_types, "size": found.sizes}
            chips = {key: [Chip(harmless(one.label), one.on) for one in several[:10]] for key, several in rows.items()}
            better = tuple(material.bare(one) for one in found.even_better[:4])
            return Targeting(material.bare(found.summary), {**chips, "location": plain.rows["location"]}, better)

        return self._either(asked, lambda: plain)

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        """See Writer. The built-in writer covers angles that the model leaves out."""
        plain = self._spare.plays(brief, angles)

        def objections(found: ModelIdeas) -> list[str]:
            texts = [text for one in found.ideas for text in (one.name, one.pitch, one.why, one.strategy, one.reaches)]
            return material.linked(texts) + ([] if found.ideas else ["ideas: give one for each angle."])

        def asked() -> Sequence[PlayIdea]:
            given = {**material.of_brief(brief), "angles": [{"angle": one.code, "label": one.label} for one in angles]}
            found = {one.angle: one for one in self._model.ask(material.PLAYS, given, ModelIdeas, objections).ideas}
            return [_idea(one, found.get(one.angle)) for one in plain]

        return self._either(asked, lambda: plain)

    def sequence(self, brief: Brief, idea: PlayIdea, within: float = math.inf) -> Sequence[PlayStep]:
        """See Writer. The model writes the texts of steps with a fixed order and delays.

        A text that is still wrong after its repair, or that claims more than its source, is replaced by the built-in
        writer's. Both calls end within the time of one.
        """
        plain = list(self._spare.sequence(brief, idea))

        def asked() -> Sequence[PlayStep]:
            given = {**material.of_brief(brief), "play": material.of_idea(idea), "steps": material.of_steps(plain)}
            if within <= 0:
                raise ModelFailed("writing all plays took too long")
            until = time.monotonic() + min(self._model.within, within)
            try:
                found = self._model.ask(
                    material.SEQUENCE, given, ModelTexts, lambda it: self._objections(brief, plain, it.steps), until
                )
            except Unusable as failure:
                found = failure.found
            kinds = _kinds(plain)
            sound = [one for one in found.steps if not self._wrong(brief, kinds, one)]
            kept = self._verified(brief, sound, until)
            if not kept:
                raise ModelFailed("its answer was not usable")
            if left := len(kinds) - len({one.id for one in kept}):
                self._last.note = (
                    f"The built-in writer wrote {left} of {len(kinds)} messages: the model's were unusable, or said "
                    "more than your sources."
                )
            return self._obedient(brief, _worded(plain, kept))

        return self._either(asked, lambda: plain)

    def _verified(self, brief: Brief, texts: Sequence[ModelText], until: float) -> list[ModelText]:
        """Return the texts whose claims a second call finds in a quotation; all of them when it fails.

        The overlap with quotations was checked before and needs no model, so this call can only take texts out.
        """
        claims = [(one.id, sentence) for one in texts for sentence in claim_check.claims_in(one.text)]
        sources = claim_check.quotes(brief, ())
        if not claims or not sources:
            return list(texts)

        def objections(it: ModelVerdicts) -> list[str]:
            missing = {*range(len(claims))} - {one.id for one in it.verdicts}
            return [f"verdicts: give one for sentence {number}." for number in sorted(missing)]

        given = {
            "sentences": [{"id": number, "sentence": sentence} for number, (_, sentence) in enumerate(claims)],
            "sources": [{"id": number, "quote": quote} for number, quote in enumerate(sources)],
        }
        try:
            found = self._model.ask(material.VERIFY, given, ModelVerdicts, objections, until)
        except ModelFailed:
            return list(texts)
        refused = {claims[one.id][0] for one in found.verdicts if not one.says and 0 <= one.id < len(claims)}
        return [one for one in texts if one.id not in refused]

    def judge(self, brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
        """See Writer. Hundreds of people are judged by titles and votes, without the model."""
        return self._spare.judge(brief, idea, person, votes)

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        """See Writer. Wishes about steps and delays need no model; standing rules apply to texts in any case."""
        plain = self._spare.change(brief, idea, steps, wish)
        read = change_requests.read(wish)
        if read and all(one.kind in STRUCTURE for one in read):
            self._last.written = Written(self._spare.name)
            return plain

        def asked() -> Change:
            ruled = replace(brief, rules=(*brief.rules, *plain.rules))
            given = {**material.of_brief(ruled), "steps": material.of_steps(plain.steps), "already_done": plain.reply}
            task = material.CHANGE.format(wish=" ".join(wish.split())[:1000])

            def objections(it: ModelChange) -> list[str]:
                wrong = self._objections(ruled, plain.steps, it.steps, it.dropped, [wish])
                return wrong + material.linked([it.reply]) + material.dropping(plain.steps, it.dropped)

            found = self._model.ask(task, given, ModelChange, objections, time.monotonic() + within)
            kept = [step for step in plain.steps if step.id not in found.dropped]
            made = self._obedient(ruled, _worded(kept, found.steps))
            rules = tuple(dict.fromkeys([*plain.rules, *(material.bare(one) for one in found.standing_rules[:3])]))
            choices = tuple(material.bare(one) for one in found.choices[:4] if one) or plain.choices
            return Change(made, material.bare(found.reply), choices, rules, plain.channel)

        return self._either(asked, lambda: plain)

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        """See Writer. A check by the model that wrote the text would prove nothing, so the model is not asked."""
        return self._spare.check(brief, text, known)

    def obey(self, steps: Sequence[PlayStep], rules: Sequence[str], language: str = "en") -> Sequence[PlayStep]:
        """See Writer. What a program can follow needs no model."""
        return self._spare.obey(steps, rules, language)

    def last(self) -> Written:
        written = getattr(self._last, "written", None)
        return written if isinstance(written, Written) else Written(self._spare.name)

    def _objections(
        self, brief: Brief, steps: Sequence[PlayStep], found: Sequence[ModelText], dropped: Sequence[str] = (),
        known: Sequence[str] = (),
    ) -> list[str]:  # fmt: skip
        """Return the problems of the model's texts for the steps."""
        kinds = _kinds(steps)
        given = {one.id for one in found}
        wrong = [f"steps: give the words of {step}." for step in kinds if step not in given and step not in dropped]
        return wrong + [problem for one in found for problem in self._wrong(brief, kinds, one, known)]

    def _wrong(self, brief: Brief, kinds: Mapping[str, str], one: ModelText, known: Sequence[str] = ()) -> list[str]:
        """Return the problems of one text."""
        wrong = material.text_problems(one.id, kinds.get(one.id, ""), one.text, one.subject)
        return wrong + material.objections(self._spare, brief, [one.text, one.subject], known)

    def _obedient(self, brief: Brief, steps: Sequence[PlayStep]) -> list[PlayStep]:
        """Apply style and rules to the steps, whatever the model did."""
        asked = style.read(brief.style)
        return change_requests.obeyed(style.applied(steps, replace(asked, tone="")), brief.rules)


def _kinds(steps: Sequence[PlayStep]) -> dict[str, str]:
    """Return the kinds of the steps that have words."""
    return {step.id: step.kind for step in steps if step.kind != "reaction"}


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "type"


def _idea(plain: PlayIdea, found: ModelIdea | None) -> PlayIdea:
    if found is None:
        return plain
    words = {name: material.bare(getattr(found, name)) for name in ("name", "pitch", "why", "strategy", "reaches")}
    return replace(plain, **{name: text for name, text in words.items() if text})


def _worded(steps: Sequence[PlayStep], found: Sequence[ModelText]) -> list[PlayStep]:
    """Return the steps with the texts found for them."""
    words = {one.id: one for one in found}
    made = []
    for step in steps:
        given = words.get(step.id)
        if given is None or step.kind == "reaction":
            made.append(step)
        else:
            subject = " ".join(given.subject.split()) or step.subject if step.kind == "email" else ""
            made.append(replace(step, text=given.text.strip(), subject=subject))
    return made
