"""The AI writer: it proposes pieces of a profile, and writes messages if its model passed the probe.

Whatever a model gives is checked as every text is. The built-in writer writes what fails, and the result says so.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.ports import Site
from app.ports.models import WRITER
from app.ports.writer import (
    Asked,
    Brief,
    Candidate,
    Change,
    Fact,
    Made,
    Opener,
    PlayIdea,
    PlayStep,
    Profile,
    Progress,
    Sentence,
    SuggestedReply,
    Written,
    unseen,
)
from app.providers.model import ChatModel, ModelFailed, NotAsked, Steering, Unusable
from app.providers.writer import answer_schemas, material, sequences, style
from app.providers.writer.answer_schemas import (
    ModelChange,
    ModelMessage,
    ModelOpener,
    ModelPieces,
    ModelReply,
    ModelSentence,
)
from app.providers.writer.built_in import BuiltInWriter
from app.providers.writer.grammar import listed
from app.providers.writer.material import Purpose

R = TypeVar("R")
TRIES = 3  # of a message, the first among them
ONLY_PIECES = "The model {} keeps to pieces, so only the changes that are offered can be made."


class ModelWriter(BuiltInWriter):
    """A `ports.Writer` that asks a model for words; who buys, whom to reach, steps and checks stay the built-in's."""

    def __init__(self, model: ChatModel, spare: BuiltInWriter) -> None:
        super().__init__()
        self.name, self.takes_words = model.name, model.mode == WRITER
        self._model, self._spare, self._last = model, spare, threading.local()

    def last(self) -> Written:
        written = getattr(self._last, "written", None)
        return written if isinstance(written, Written) else self._spare.last()

    def _either(self, asked: Callable[[], R], otherwise: Callable[[], R]) -> R:
        try:
            found = asked()
        except ModelFailed as failure:
            note = f"The model {self.name} did not write this: {failure.sentence}. The built-in writer did."
            self._last.written = Written(self._spare.name, note)
            return otherwise()
        self._last.written = Written(self.name)
        return found

    def profile(self, site: Site | None, description: str) -> Profile:
        """See Writer. The model adds candidates for the pitch, and details that count once the owner ticks them."""
        plain = self._spare.profile(site, description)
        quotes = material.sentences_of(site, description)
        return self._either(lambda: self._with_pieces(plain, quotes), lambda: plain) if quotes else plain

    def _with_pieces(self, plain: Profile, quotes: Mapping[str, str]) -> Profile:
        shape, given = answer_schemas.pieces(list(quotes)), {"business": plain.name, "said so far": plain.pitch}
        steering = Steering(material.language(plain.language))

        def judged(it: ModelPieces) -> tuple[list[Candidate], list[Fact], list[str]]:
            pitches, details, wrong = list[Candidate](), list[Fact](), list[str]()
            for one in it.pitches:
                problems = material.piece_problems(plain, one.sentence, one.quote, one.topic)
                wrong += problems
                pitches += [] if problems else [Candidate(one.sentence, quotes[one.quote], one.quote, one.topic)]
            first = replace(plain, pitch=plain.pitch or next((one.pitch for one in pitches), ""))
            for one in it.details:
                problems = material.piece_problems(first, one.sentence, one.quote)
                wrong += problems
                details += [] if problems else [Fact(one.sentence, quotes[one.quote], one.quote, "detail")]
            return pitches, details, wrong

        ask = partial(self._model.ask, material.prompt("pieces"), given, shape, steering=steering, in_parts=True)
        for seed in (0, 1):
            try:
                it = ask(objections=lambda it: judged(it)[2], seed=seed)
            except Unusable as failure:
                it = failure.found
            pitches, details, _ = judged(it)
            if pitches or details:
                break
        else:
            raise ModelFailed("what it proposed is not what your pages say")
        new = [one for one in pitches if one.pitch not in {known.pitch for known in plain.candidates}]
        first = new[0] if new and not plain.pitch else None
        return replace(
            plain,
            candidates=(*plain.candidates, *new),
            facts=(*plain.facts, *details),
            pitch=first.pitch if first else plain.pitch,
            topic=first.topic if first else plain.topic,
        )

    def sequence(
        self, brief: Brief, idea: PlayIdea, within: float = math.inf, progress: Progress = unseen
    ) -> Sequence[PlayStep]:
        """See Writer. A model that keeps to pieces is not asked; another writes message by message, in their time."""
        plain = list(self._spare.sequence(brief, idea))
        if self._model.mode != WRITER:
            self._last.written = self._spare.last()
            return plain
        until = time.monotonic() + min(within, self._model.within * len(plain))
        steps, made = list[PlayStep](), dict[str, Made]()
        why = "" if within > 0 else "writing all plays took too long"
        wanted = material.purposes(plain, brief.offer if brief.offer_kind != "call" else "")
        for step in plain:
            steps.append(step)
            if step.id not in wanted:
                continue
            progress(len(made), len(wanted))
            made[step.id] = Made(self._spare.name)
            if not why:
                try:
                    steps[-1], made[step.id] = self.message(brief, idea.angle, step, wanted[step.id], until)
                except Unusable as failure:
                    made[step.id] = Made(self._spare.name, why=" ".join(failure.wrong[:1]))
                except ModelFailed as failure:
                    why = failure.sentence
        by = [one.by for one in made.values()]
        note = _told(self.name, by, why)
        self._last.written = Written(self.name if self.name in by else self._spare.name, note, made)
        return self._obedient(brief, steps)

    def _obedient(self, brief: Brief, steps: Sequence[PlayStep]) -> list[PlayStep]:
        """Apply style and rules to the steps, whatever the model did."""
        return style.by_rules(
            style.applied(steps, replace(style.read(brief.style), tone="")), brief.rules, brief.profile.language
        )

    def message(
        self, brief: Brief, angle: str, step: PlayStep, purpose: Purpose, until: float = math.inf, tries: int = TRIES
    ) -> tuple[PlayStep, Made]:
        """Return a step with the model's words, and what they rest on; Unusable when no try passes all checks."""
        task, given = material.asked_for(brief, angle, purpose)
        facts, voice = {one.id: one.quote for one in material.facts_of(brief)}, sequences.Voice(brief, angle)
        wrong, tokens, failed = list[str](), 0, Unusable(None)

        def put(it: ModelMessage) -> tuple[str, str, str]:
            body = " ".join(" ".join(one.text.split()) for one in it.sentences)
            body, subject = (sequences.with_fallbacks(brief, one) for one in (body, it.subject))
            whole = body if purpose.email else material.going_on(brief, body)
            return body, voice.framed(whole, email=purpose.email), subject if purpose.email else ""

        def objections(it: ModelMessage) -> list[str]:
            unknown = [number for one in it.sentences for number in one.facts if number not in facts]
            said = [f"there is no fact {number}." for number in unknown[:1]]
            return said + material.message_problems(brief, angle, purpose, task, *put(it))

        for seed in range(tries):
            again = task + material.prompt("again", wrong="\n- ".join(wrong[:6])) if wrong else task
            try:
                it = self._model.ask(
                    again, given, ModelMessage, objections, until,
                    steering=material.steered(brief), in_parts=True, seed=seed,
                )  # fmt: skip
            except Unusable as failure:
                wrong, failed = failure.wrong, failure
                continue
            finally:
                tokens += self._model.tokens
            _, text, subject = put(it)
            named = dict.fromkeys(facts[number] for one in it.sentences for number in one.facts)
            return replace(step, text=text, subject=subject), Made(self.name, tuple(named), tokens)
        raise failed

    def opener(self, brief: Brief, idea: PlayIdea, body: str, within: float = math.inf) -> Opener:
        """See Writer. A sentence that is still wrong after the repair is left out; the other one stays."""
        self._last.written = Written(self._spare.name)
        if not any(one.about != "business" for one in brief.evidence):
            return Opener(note="No opener: nothing is known of this person.")
        until = time.monotonic() + min(self._model.within, within)
        try:
            kept, left_out = self._opened(brief, idea, until)
        except ModelFailed as failure:
            note = f"No opener: the model {self.name} did not write one, because {failure.sentence}."
            return Opener(note=note, later=isinstance(failure, NotAsked))
        if kept:
            self._last.written = Written(self.name, " ".join(left_out))
        return Opener(kept, " ".join(left_out))

    def _opened(self, brief: Brief, idea: PlayIdea, until: float) -> tuple[list[Sentence], list[str]]:
        """Return the sentences that rest on the quotes they name, and why others were left out."""
        given, steering = material.of_person(brief, idea), material.steered(brief)

        def wrong(part: str, one: ModelSentence) -> list[str]:
            return material.opener_problems(brief, part, _sentence(one))

        def objections(it: ModelOpener) -> list[str]:
            same = ["reason: it says the same as the opener."] if it.opener.text == it.reason.text else []
            return wrong("opener", it.opener) + wrong("reason", it.reason) + same

        try:
            found = self._model.ask(material.prompt("opener"), given, ModelOpener, objections, until, steering=steering)
        except Unusable as failure:
            found = failure.found
        kept, left_out = list[Sentence](), list[str]()
        for part, one in (("opener", found.opener), ("reason", found.reason)):
            problems = wrong(part, one)
            if problems:
                left_out.append(f"The model's {part} was left out: {problems[0]}")
            elif _sentence(one) not in kept:
                kept.append(_sentence(one))
        return kept, left_out

    def reply(self, brief: Brief, asked: Asked, within: float = math.inf) -> SuggestedReply:
        """See Writer. An answer with anything wrong in it is not shown: the built-in writer's stands in."""
        until = time.monotonic() + min(self._model.within, within)

        def objections(it: ModelReply) -> list[str]:
            return material.reply_problems(brief, [_sentence(one) for one in it.sentences])

        def written() -> SuggestedReply:
            task = material.prompt("reply") + material.prompt("with_link" if asked.meeting_link else "without_link")
            given, steering = material.of_reply(brief, asked), material.steered(brief)
            found = self._model.ask(task, given, ModelReply, objections, until, steering=steering)
            return SuggestedReply([_sentence(one) for one in found.sentences])

        return self._either(written, lambda: self._spare.reply(brief, asked))

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        """See Writer. A model that keeps to pieces is not asked."""
        if self._model.mode != WRITER:
            self._last.written = Written(self._spare.name)
            return Change(steps, ONLY_PIECES.format(self.name))

        def asked() -> Change:
            kinds = {step.id: step.kind for step in steps if step.text}

            def objections(it: ModelChange) -> list[str]:
                wrong = [f"steps: give {step}." for step in kinds if step not in {one.id for one in it.steps}]
                for one in it.steps:
                    wrong += material.text_problems(one.id, kinds.get(one.id, ""), one.text, one.subject)
                    wrong += material.objections(brief, [one.text, one.subject], [wish])
                return wrong

            task = material.prompt("change", wish=" ".join(wish.split())[:1000])
            given, until = material.of_change(brief, steps), time.monotonic() + within
            it = self._model.ask(task, given, ModelChange, objections, until, steering=material.steered(brief))
            texts = {one.id: one for one in it.steps}
            made = [
                replace(step, text=texts[step.id].text.strip(), subject=_subject(step, texts[step.id].subject))
                if step.id in kinds
                else step
                for step in steps
            ]
            return Change(self._obedient(brief, made), "the model had no other text.")

        return self._either(asked, lambda: self._spare.change(brief, idea, steps, wish))


def _told(name: str, by: Sequence[str], why: str) -> str:
    """Return which messages the built-in writer wrote, and why; '' when it wrote none."""
    left = [str(number) for number, one in enumerate(by, 1) if one != name]
    if not left:
        return ""
    which = f"message{'s' if len(left) > 1 else ''} {listed(left)}"
    reason = why or f"the words of the model {name} did not pass the checks"
    return f"The built-in writer wrote {len(left)} of {len(by)} messages ({which}): {reason}."


def _sentence(one: ModelSentence) -> Sentence:
    return Sentence(" ".join(one.text.split()), tuple(dict.fromkeys(one.facts)))


def _subject(step: PlayStep, subject: str) -> str:
    return (" ".join(subject.split()) or step.subject) if step.kind == "email" else ""
