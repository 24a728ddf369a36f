"""The changes of a play that need no model: each does exactly what its button says."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.mail.message_parts import asks, take_apart
from app.ports.writer import CHANGES, Brief, Change, Choice, PlayIdea, PlayStep, Wait, named_change
from app.providers.writer import sequences, style
from app.providers.writer.grammar import capital, closed

LONGER, LONGEST = 1.5, 60  # what a wait is multiplied by, and what it grows to
MODEL = "Your own instructions need an AI model (Settings → Writer). Without one you can ask for {offered}."
_NOTHING = {
    "shorter": "no sentence can go without the pitch, the question or who writes.",
    "less_formal": "no phrase of these texts has a less formal form.",
    "more_formal": "no phrase of these texts has a more formal form.",
    "question_first": "every question stands first, or no text asks one.",
    "follow_up": "there is no message to follow up on, or every follow-up we have is there. Add a step in the editor.",
    "wait_longer": f"the waits are as long as this makes them: {LONGEST} at most.",
    "no_email": "there is no email, or nothing would be left without it.",
    "with_email": "there is an email already.",
    "without_sentence": "no text has this sentence, or nothing else would be left of it.",
    "with_sentence": "there is no such text, or it says that already.",
}
_TEXTS = ("invite", "social", "email")
_MESSAGES = ("social", "email")


@dataclass(frozen=True)
class Wanted:
    """What a change is made for: whom the texts are written for, the play's angle, and the words that were given."""

    brief: Brief
    angle: str
    words: str = ""
    step: int = 0  # the number of the step that the words are for, 0 when it was not given

    @property
    def language(self) -> str:
        return self.brief.profile.language


def offered(steps: Sequence[PlayStep], language: str) -> list[Choice]:
    """Return the changes that the texts of this language and these steps allow."""
    known, kinds = style.words_of(language), {step.kind for step in steps}
    missing = {
        "with_email" if "email" in kinds else "no_email",
        *(("no_email",) if kinds == {"email"} else ()),
        *(("less_formal", "more_formal") if not (known.get("formal") and known.get("casual")) else ()),
        *(("follow_up",) if not known else ()),
    }
    return [one for one in CHANGES if one.code not in missing]


def changed(brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str) -> Change:
    """Return the steps after a wish that names a change; any other wish changes nothing, and the reply says why."""
    asked, language = named_change(wish), brief.profile.language
    if asked is None:
        labels = [one.label for one in offered(steps, language)]
        return Change(steps, MODEL.format(offered=", ".join(labels)))
    made = _DO[asked.choice.code](list(steps), Wanted(brief, idea.angle, asked.words, asked.step))
    return Change(made, "" if made != list(steps) else _NOTHING[asked.choice.code])


def _each(change: Callable[[PlayStep, Wanted], PlayStep]) -> Callable[[list[PlayStep], Wanted], list[PlayStep]]:
    return lambda steps, wanted: [change(step, wanted) if step.text else step for step in steps]


def _shorter(step: PlayStep, wanted: Wanted) -> PlayStep:
    """Take out one sentence. A note keeps its few: one of them is the request to connect."""
    profile = wanted.brief.profile
    if step.kind == "invite":
        return step
    return replace(step, text=style.less(step.text, [profile.pitch, profile.name]))


def _question_first(step: PlayStep, wanted: Wanted) -> PlayStep:
    parts = take_apart(step.text)
    place = next((one for one in parts.places if asks(parts.at(one))), None)
    if place is None or place == parts.places[0]:
        return step
    first = parts.places[0]
    rest = parts.replaced(place).replaced(first, capital(parts.at(first)))
    on_the_line = not parts.greeting.endswith("\n") or not style.words_of(wanted.language).get("raised", True)
    small = on_the_line and parts.greeting.rstrip().endswith((",", ":", "–", "-"))
    question = _cased(parts.at(place), wanted, str.lower) if small else _cased(parts.at(place), wanted, str.upper)
    return replace(step, text=rest.begun(question).text)


def _cased(sentence: str, wanted: Wanted, case: Callable[[str], str]) -> str:
    """Return the sentence with its first letter in a case; a name, a variable and words such as I stay as they are."""
    begin = next((at for at, letter in enumerate(sentence) if letter.isalpha() or letter == "{"), 0)
    word = re.split(r"[\s,.:;?!]", sentence[begin:], maxsplit=1)[0].replace("’", "'")
    kept = {*style.words_of(wanted.language).get("kept", ()), *wanted.brief.profile.name.split()}
    if word in kept or word.startswith("{") or word[1:] != word[1:].lower():
        return sentence
    return sentence[:begin] + case(sentence[begin : begin + 1]) + sentence[begin + 1 :]


def _asks(step: PlayStep) -> bool:
    parts = take_apart(step.text)
    return any(asks(parts.at(place)) for place in parts.places)


def _follow_up(steps: list[PlayStep], wanted: Wanted) -> list[PlayStep]:
    """Add a message behind the last one, or before it when it asks nothing any more: then it says goodbye."""
    known, told = style.words_of(wanted.language), "\n".join(step.text for step in steps).casefold()
    sentence = next((one for one in known.get("follow_ups", ()) if one.casefold() not in told), "")
    places = [at for at, step in enumerate(steps) if step.kind in _MESSAGES]
    if not places or not sentence:
        return steps
    at = places[-1]
    if not _asks(steps[at]) and at - 1 in places:
        at -= 1
    like = steps[at]
    text = f"{known['greeting']} {sentence}"
    if like.kind == "email":
        said = _cased(sentence, wanted, str.upper) if known["raised"] else sentence
        text = f"{known['greeting']}\n\n{said}{take_apart(like.text).signature}"
    more = PlayStep(_free_id(steps), like.kind, Wait(5, "days"), "no_reply", text)
    return [*steps[: at + 1], more, *steps[at + 1 :]]


def _free_id(steps: Sequence[PlayStep]) -> str:
    numbers = (int(digits) for step in steps if (digits := re.sub(r"\D", "", step.id)[:6]))
    return f"s{max(numbers, default=len(steps)) + 1}"


def _wait_longer(steps: list[PlayStep], wanted: Wanted) -> list[PlayStep]:
    def longer(wait: Wait) -> Wait:
        return replace(wait, count=max(wait.count, min(LONGEST, math.ceil(wait.count * LONGER))))

    return [replace(step, delay=longer(step.delay)) if at else step for at, step in enumerate(steps)]


def _no_email(steps: list[PlayStep], wanted: Wanted) -> list[PlayStep]:
    kept = [step for step in steps if step.kind != "email"]
    return kept if any(step.kind != "reaction" for step in kept) else steps


def _with_email(steps: list[PlayStep], wanted: Wanted) -> list[PlayStep]:
    """Add the emails that the sequence has; behind a message that says goodbye, only those that ask something."""
    if any(step.kind == "email" for step in steps):
        return steps
    written = sequences.steps(replace(wanted.brief, channel="social_email"), wanted.angle)
    emails = [step for step in written if step.kind == "email"]
    messages = [step for step in steps if step.kind in _MESSAGES]
    if messages and not _asks(messages[-1]):
        emails = [step for step in emails if _asks(step)] or emails[:1]
    made = steps
    for email in emails:
        made = [*made, replace(email, id=_free_id(made))]
    return made


def _without_sentence(step: PlayStep, wanted: Wanted) -> PlayStep:
    left = take_apart(step.text).only(lambda one: style.plain(one) != style.plain(wanted.words)).text
    if left == take_apart(step.text).text:
        return step
    if not style.said(left):
        left = "" if step.kind == "invite" else step.text
    return replace(step, text=left)


def _with_sentence(steps: list[PlayStep], wanted: Wanted) -> list[PlayStep]:
    """Put a sentence before the question of a step, else at its end; of the first message when no step was named."""
    first = next((number for number, step in enumerate(steps, 1) if step.kind in _MESSAGES), 0)
    at = (wanted.step or first) - 1
    if not 0 <= at < len(steps) or steps[at].kind not in _TEXTS:
        return steps
    step, sentence = steps[at], _cased(closed(wanted.words), wanted, str.upper)
    parts = take_apart(step.text)
    if style.plain(sentence) in style.plain(step.text):
        return steps
    asked = next((number for number, place in enumerate(parts.places) if asks(parts.at(place))), 0)
    place = parts.places[asked - 1] if parts.places else None
    made = parts.replaced(place, parts.at(place), sentence) if place else parts.begun(sentence)
    return [*steps[:at], replace(step, text=made.text), *steps[at + 1 :]]


_DO: Mapping[str, Callable[[list[PlayStep], Wanted], list[PlayStep]]] = {
    "shorter": _each(_shorter),
    "less_formal": _each(lambda step, wanted: style.retold(step, "casual", wanted.language)),
    "more_formal": _each(lambda step, wanted: style.retold(step, "formal", wanted.language)),
    "question_first": _each(_question_first),
    "follow_up": _follow_up,
    "wait_longer": _wait_longer,
    "no_email": _no_email,
    "with_email": _with_email,
    "without_sentence": _each(_without_sentence),
    "with_sentence": _with_sentence,
}
