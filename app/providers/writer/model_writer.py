"""The AI writer. When the model fails, the built-in writer is used, and the result says so."""

import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.ports import FoundPerson, Site
from app.ports.writer import (
    Angle,
    Asked,
    Brief,
    Change,
    Chip,
    CustomerType,
    Fact,
    Judgement,
    Opener,
    PlayIdea,
    PlayStep,
    Problem,
    Profile,
    Sentence,
    SuggestedReply,
    Targeting,
    Written,
)
from app.providers.model import ChatModel, ModelFailed, NotAsked, Steering, Unusable
from app.providers.writer import change_requests, material, style
from app.providers.writer.answer_schemas import (
    ModelBodies,
    ModelBody,
    ModelChange,
    ModelIdea,
    ModelIdeas,
    ModelOpener,
    ModelProfile,
    ModelReply,
    ModelSentence,
    ModelTargeting,
    ModelText,
    ModelTypes,
    ModelVerdicts,
)
from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.claims import claim_check
from app.providers.writer.grammar import harmless, listed
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
            found = self._model.ask(
                material.TYPES, material.of_profile(profile), ModelTypes, objections,
                steering=Steering(material.language(profile.language)),
            )  # fmt: skip
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
            found = self._model.ask(
                material.TARGETING, material.of_brief(brief), ModelTargeting, objections,
                steering=material.steered(brief),
            )  # fmt: skip
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
            steering = replace(material.steered(brief), language=Steering().language)  # the page speaks English
            answer = self._model.ask(material.PLAYS, given, ModelIdeas, objections, steering=steering)
            found = {one.angle: one for one in answer.ideas}
            return [_idea(one, found.get(one.angle)) for one in plain]

        return self._either(asked, lambda: plain)

    def sequence(self, brief: Brief, idea: PlayIdea, within: float = math.inf) -> Sequence[PlayStep]:
        """See Writer. The model writes the texts of steps with a fixed order and delays, sentence by sentence.

        Each sentence is compared with the quotes of the facts it names, first by rules and then by a second call. Only
        texts that are wrong are asked for anew. One that is still wrong then, or that claims more than its source,
        is replaced by the built-in writer's. All calls end within the time of one.
        """
        plain = list(self._spare.sequence(brief, idea))

        def asked() -> Sequence[PlayStep]:
            known = replace(brief, evidence=material.facts_of(brief))
            given = {
                **material.of_brief(brief), "facts": material.of_facts(known.evidence),
                "play": material.of_idea(idea), "steps": material.of_steps(plain),
            }  # fmt: skip
            if within <= 0:
                raise ModelFailed("writing all plays took too long")
            until = time.monotonic() + min(self._model.within, within)
            kinds = _kinds(plain)
            found, repaired = self._texts(known, plain, given, until)
            sound = [one for one in found if not self._wrong(known, kinds, one)]
            kept = self._verified(known, sound, until)
            if not kept:
                raise ModelFailed("its answer was not usable")
            self._last.note = _told(kinds, {one.id for one in kept}, repaired)
            return self._obedient(brief, _worded(plain, kept))

        return self._either(asked, lambda: plain)

    def _texts(
        self, brief: Brief, plain: Sequence[PlayStep], given: material.Given, until: float
    ) -> tuple[list[ModelBody], set[str]]:
        """Return the model's texts, those that were wrong asked for once more, and the ids of these."""
        steering, kinds = material.steered(brief), _kinds(plain)
        try:
            asked = partial(self._model.ask, shape=ModelBodies, until=until, steering=steering, in_parts=True)
            answer = asked(material.SEQUENCE, given, objections=lambda it: self._objections(brief, plain, it.steps))
            return list(answer.steps), set()
        except Unusable as failure:
            texts = {one.id: one for one in failure.found.steps if one.id in kinds}
            problems = failure.wrong
        sound = {name for name, one in texts.items() if not self._wrong(brief, kinds, one)}
        failed = [step for step in plain if step.id in kinds and step.id not in sound]
        task = material.REPAIR.format(wrong="\n- ".join(problems[:12]), task=material.SEQUENCE)
        try:
            again = asked(
                task, {**given, "steps": material.of_steps(failed)},
                objections=lambda it: self._objections(brief, failed, it.steps),
            ).steps  # fmt: skip
        except Unusable as failure:
            again = failure.found.steps
        except ModelFailed:
            if not sound:
                raise
            again = []
        missing = {step.id for step in failed}
        texts |= {one.id: one for one in again if one.id in missing}
        return list(texts.values()), missing

    def _verified(self, known: Brief, texts: Sequence[ModelBody], until: float) -> list[ModelBody]:
        """Return the texts whose claims a second call finds in the quotes they name; all of them when it fails.

        The overlap with these quotes was checked before and needs no model, so this call can only take texts out.
        """
        said = {one.id: [one for one in _spoken(one) if one.facts] for one in texts}
        refused = self._refused(known, [one for several in said.values() for one in several], until)
        return [one for one in texts if not any(sentence is other for sentence in said[one.id] for other in refused)]

    def opener(self, brief: Brief, idea: PlayIdea, body: str, within: float = math.inf) -> Opener:
        """See Writer. A sentence that is still wrong after its repair is left out; the other one stays."""
        self._last.note, self._last.written = "", Written(self._spare.name)
        if not any(one.about != "business" for one in brief.evidence):
            return Opener(note="No opener: nothing is known of this person.")
        until = time.monotonic() + min(self._model.within, within)
        try:
            kept, left_out = self._opened(brief, idea, body, until)
        except ModelFailed as failure:
            note = f"No opener: the model {self.name} did not write one, because {failure.sentence}."
            return Opener(note=note, later=isinstance(failure, NotAsked))
        if kept:
            self._last.written = Written(self.name, " ".join(left_out))
        return Opener(kept, " ".join(left_out))

    def _opened(self, brief: Brief, idea: PlayIdea, body: str, until: float) -> tuple[list[Sentence], list[str]]:
        """Return the sentences that rest on the quotes they name, and why others were left out."""
        given, steering = material.of_person(brief, idea, body), material.steered(brief)
        task = material.OPENER.format(most=material.MOST_WORDS)

        def wrong(part: str, one: ModelSentence) -> list[str]:
            return material.opener_problems(self._spare, brief, part, _sentence(one))

        def objections(it: ModelOpener) -> list[str]:
            return wrong("opener", it.opener) + wrong("reason", it.reason)

        try:
            found = self._model.ask(task, given, ModelOpener, objections, until, steering=steering, in_parts=True)
        except Unusable as failure:
            found = failure.found
        kept, left_out = list[tuple[str, Sentence]](), list[str]()
        for part, one in (("opener", found.opener), ("reason", found.reason)):
            problems = wrong(part, one)
            if not problems and any(one.text == said.text for _, said in kept):
                problems = [f"{part}: it says the same as the opener."]
            if problems:
                again = material.OPENER_REPAIR.format(part=part, wrong="\n- ".join(problems), task=task)
                try:
                    one = self._model.ask(
                        again, given, ModelSentence, partial(wrong, part), until, steering=steering, in_parts=True
                    )
                    problems = []
                except Unusable as failure:
                    problems = failure.wrong
                except ModelFailed as failure:
                    problems = [f"{failure.sentence}."]
            if problems:
                left_out.append(f"The model's {part} was left out: {problems[0]}")
            else:
                kept.append((part, _sentence(one)))
        refused = self._refused(brief, [one for _, one in kept], until)
        left_out += [
            f"The model's {part} was left out: its source does not say “{one.text}”."
            for part, one in kept
            if one in refused
        ]
        return [one for _, one in kept if one not in refused], left_out

    def _refused(self, brief: Brief, given: Sequence[Sentence], until: float) -> list[Sentence]:
        """Return the sentences that a second call does not find in the quotes they name; none when it fails."""
        quotes = {one.id: one.quote for one in brief.evidence}
        named = [" · ".join(quotes[number] for number in one.facts) for one in given]
        pairs = [(number, one) for number, one in enumerate(given) if claim_check.claims_in(one.text)]
        if not pairs:
            return []

        def objections(it: ModelVerdicts) -> list[str]:
            missing = {number for number, _ in pairs} - {one.id for one in it.verdicts}
            return [f"verdicts: give one for sentence {number}." for number in sorted(missing)]

        asked = {
            "sentences": [{"id": number, "sentence": one.text} for number, one in pairs],
            "sources": [{"id": number, "quote": named[number]} for number, _ in pairs],
        }
        try:
            found = self._model.ask(material.VERIFY_NAMED, asked, ModelVerdicts, objections, until)
        except ModelFailed:
            return []
        said_no = {one.id for one in found.verdicts if not one.says}
        return [one for number, one in pairs if number in said_no]

    def reply(self, brief: Brief, asked: Asked, within: float = math.inf) -> SuggestedReply:
        """See Writer. An answer with anything wrong in it is not shown: the built-in writer's stands in."""
        until = time.monotonic() + min(self._model.within, within)

        def objections(it: ModelReply) -> list[str]:
            return material.reply_problems(self._spare, brief, [_sentence(one) for one in it.sentences])

        def written() -> SuggestedReply:
            task = material.REPLY.format(link=material.LINK_GIVEN if asked.meeting_link else material.NO_LINK)
            given = material.of_reply(brief, asked)
            found = self._model.ask(task, given, ModelReply, objections, until, steering=material.steered(brief))
            several = [_sentence(one) for one in found.sentences]
            if self._refused(brief, several, until):
                raise ModelFailed("its source does not say what it wrote")
            return SuggestedReply(several)

        return self._either(written, lambda: self._spare.reply(brief, asked))

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

            until = time.monotonic() + within
            steering = material.steered(ruled)
            found = self._model.ask(task, given, ModelChange, objections, until, steering=steering)
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
        self, brief: Brief, steps: Sequence[PlayStep], found: Sequence[ModelText | ModelBody],
        dropped: Sequence[str] = (), known: Sequence[str] = (),
    ) -> list[str]:  # fmt: skip
        """Return the problems of the model's texts for the steps."""
        kinds = _kinds(steps)
        given = {one.id for one in found}
        wrong = [f"steps: give the words of {step}." for step in kinds if step not in given and step not in dropped]
        return wrong + [problem for one in found for problem in self._wrong(brief, kinds, one, known)]

    def _wrong(
        self, brief: Brief, kinds: Mapping[str, str], one: ModelText | ModelBody, known: Sequence[str] = ()
    ) -> list[str]:
        """Return the problems of one text, and of the sentences that it was given in."""
        wrong = material.text_problems(one.id, kinds.get(one.id, ""), one.text, one.subject)
        if isinstance(one, ModelBody):
            said = _spoken(one)
            wrong += material.body_problems(one.id, brief, said)
            brief = replace(brief, opener=[sentence for sentence in said if sentence.facts])
        return wrong + material.objections(self._spare, brief, [one.text, one.subject], known)

    def _obedient(self, brief: Brief, steps: Sequence[PlayStep]) -> list[PlayStep]:
        """Apply style and rules to the steps, whatever the model did."""
        asked = style.read(brief.style)
        return change_requests.obeyed(style.applied(steps, replace(asked, tone="")), brief.rules)


def _kinds(steps: Sequence[PlayStep]) -> dict[str, str]:
    """Return the kinds of the steps that have words."""
    return {step.id: step.kind for step in steps if step.kind != "reaction"}


def _told(kinds: Mapping[str, str], kept: set[str], repaired: set[str]) -> str:
    """Return which texts are not the model's first ones, and why; '' when all are."""
    left = [number for number, name in enumerate(kinds, 1) if name not in kept]
    again = [number for number, name in enumerate(kinds, 1) if name in repaired & kept]
    told = []
    if again:
        told.append(f"The model wrote {_numbered(again)} a second time: the first text broke a rule or said too much.")
    if left:
        verb = "were" if len(left) > 1 else "was"
        told.append(
            f"The built-in writer wrote {len(left)} of {len(kinds)} messages ({_numbered(left)}): the model's {verb} "
            "unusable, or said more than your sources."
        )
    return " ".join(told)


def _numbered(several: Sequence[int]) -> str:
    return f"message{'s' if len(several) > 1 else ''} {listed([str(one) for one in several])}"


def _spoken(one: ModelBody) -> list[Sentence]:
    """Return the sentences of a message without variables, with the facts they name."""
    return [Sentence(material.spoken(part.text), tuple(dict.fromkeys(part.facts))) for part in one.sentences]


def _sentence(one: ModelSentence) -> Sentence:
    return Sentence(" ".join(one.text.split()), tuple(dict.fromkeys(one.facts)))


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "type"


def _idea(plain: PlayIdea, found: ModelIdea | None) -> PlayIdea:
    if found is None:
        return plain
    words = {name: material.bare(getattr(found, name)) for name in ("name", "pitch", "why", "strategy", "reaches")}
    return replace(plain, **{name: text for name, text in words.items() if text})


def _worded(steps: Sequence[PlayStep], found: Sequence[ModelText | ModelBody]) -> list[PlayStep]:
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
