"""Wishes to hear no more: certain, or so likely that a member decides. A word alone decides nothing.

A sentence is a wish by its grammar: a verb of stopping and one of writing, a negation with "again", "remove" with
"me" or "my address". What says that it is none ("if you …", a colleague who unsubscribed, "not before Tuesday") stands
in the data files as well.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from app.domain.replies import words
from app.domain.replies.own_words import Own, sentences
from app.domain.replies.words import Language

NO, PERHAPS, SURE = range(3)  # how surely a few words are a wish
MOST_SENTENCES, LONGEST_SENTENCE = 60, 600
LONGEST_ALONE = 9  # words of a letter that is nothing but "stop writing to me, please"
LONGEST_CRY = 5  # words; a shorter letter with a "stop" in it that is not understood is shown to a member
LONGEST_SAID = 300
MOST_BESIDE = 10  # parts of a letter that says nothing but "stop"
LONGEST_GREETING = 6  # words
LONGEST_NAME = 4  # words
MOST_BEHIND = 2  # words that a wish may be followed by without saying what it is about
NEAR_BEHIND = 6  # words after "remove me" among which the list or the mails are named
MOST_DENIED = 2  # words between the verb of a wish and the "not" behind it
_ANSWERS = re.compile(
    r"^\s*(?:re|aw|fw|fwd|wg|sv|vs|antw|odp|ynt|res|rif|ref|tr|回复|答复|回覆|转发|답장)\s*(?:\[\d+\])?\s*[:：]",
    re.IGNORECASE,
)
_COMMAS = re.compile(r"[,;:，、；：–—]")
_SAYS = re.compile(r"\w")
_NOTHING = re.compile("(?!)")
_KINDS = ("alone", "perhaps", "not", "again", "dont", "write", "mails", "me", "polite", "beside")
_SIGNS = re.compile(r"[^\w\s'-]+")


class Wish(NamedTuple):
    """A sentence that asks to hear no more, and whether that is certain."""

    sentence: str
    is_certain: bool


def find(own: Own, subject: str = "") -> Wish | None:
    """Return the wish of a letter's own words or of a subject that its writer chose; None without one."""
    if not answers(subject) and is_alone(subject):
        return Wish(" ".join(subject.split())[:LONGEST_SAID], True)
    lone = _alone_in(own.said)
    found = [*([lone] if lone else []), *_wishes(own.said, words.written_in(own.said))]
    below = [*_wishes(own.signature, words.written_in(own.signature))] if own.signature else []
    found += [Wish(one.sentence, False) for one in below if one.is_certain]  # below the signature, a wish is unsure
    return max(found, key=lambda one: one.is_certain, default=None)


def answers(subject: str) -> bool:
    """Return whether a subject is that of an answer: "Re: …"."""
    return _ANSWERS.match(subject) is not None


def is_alone(text: str) -> bool:
    """Return whether a text is certainly a wish by its words alone, such as "unsubscribe" or "STOP, please"."""
    return _alone(_compared(text)) == SURE


def _alone(said: str) -> int:
    """Return how surely a few words are a wish, in whatever order: "pls no more", "dont write me pls".

    Each must be one of those of stopping, denying, writing and politeness, or "me", "again".
    """
    if not said or len(said.split()) > LONGEST_ALONE or _denies(said):
        return NO
    found = (_by_words(one, one.as_compared(said)) for one in words.written_in(said) if _made_of(one, said))
    return max(found, default=NO)


def _by_words(language: Language, said: str) -> int:
    def has(kind: str, text: str) -> bool:
        return _word(language.name, kind).search(text) is not None

    stops, cancels = has("alone", said), has("perhaps", said)
    rest = _word(language.name, "beside", " ").sub(" ", said)  # "not interested" denies nothing
    rest = _word(language.name, "alone").sub(" ", rest)
    denies, again, no_more, write, mails, me = (
        has(one, rest) for one in ("not", "again", "dont", "write", "mails", "me")
    )
    if not (denies or no_more):  # "cancel the call" is no "stop calling"
        return SURE if stops and not (write and not _shared("anywhere").search(said)) else PERHAPS * (stops or cancels)
    if stops and denies:
        return NO  # "don't stop"
    writing = no_more or write or mails
    limited = language.says("stop", "but", said)  # "don't write to me now"
    return SURE if stops or again or (writing and (me or mails) and not limited) else PERHAPS * writing


def _denies(said: str) -> bool:
    return any(one.says("stop", "never", said) or _turned_round(said, one) for one in words.written_in(said))


def _turned_round(part: str, language: Language) -> bool:
    """Return whether a "not" before or behind its verb negates a wish: "don't stop", "stop niet met …".

    A wish that itself contains a "no more" does not count as negated.
    """
    wishes, again = language.phrases("stop", "sure") or _NOTHING, _word(language.name, "again")
    deny, rest, places = _word(language.name, "refuse" if language.lines("stop", "refuse") else "not"), "", []
    for piece in deny.split(language.as_compared(words.squeezed(part))):
        rest = f"{rest} {piece.strip()}".strip() if language.spaced else rest + piece
        places.append(len(rest))
    for place in places[:-1]:
        behind = rest[place:].strip()
        found = wishes.search(behind)
        first = _word(language.name, "me").sub("", behind[: found.start()]).strip() if found else " "
        if found and not first[1 if language.glued else 0 :]:
            return not again.search(found[0])
        before = None if found else wishes.search(rest)
        if before and before.start() < place and not again.search(before[0]):
            inside = place < before.end() and len(rest[before.start() : place].split()) <= MOST_DENIED
            if inside or (not behind and " " not in rest[before.end() : place]):  # "… meine Daten nicht"
                return True
    return False


def _undenied(sentence: str, languages: Sequence[Language]) -> str:
    """Return a sentence without the parts in which a wish is negated."""
    parts = _COMMAS.split(sentence)
    kept = [part for part in parts if not any(_turned_round(part, one) for one in languages)]
    return sentence if kept == parts else ", ".join(kept)


def _compared(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", words.squeezed(text)).split())


def _alone_in(text: str) -> Wish | None:
    """Return the part of a text that is only a wish; certain if all other parts are a greeting, a no or a name."""
    lines = [line for begin, end in sentences(text) for line in text[begin:end].strip().split("\n")]
    parts = [part for line in lines for part in _parts(line) if _SAYS.search(part)]
    if len(parts) > MOST_BESIDE:
        return None
    sure = [_alone(_compared(part)) for part in parts]
    if not any(sure):
        return _short_stop(text)
    lone = next(part for part, one in zip(parts, sure, strict=True) if one)
    beside = all(one or _is_beside(part) or _complains(part) for part, one in zip(parts, sure, strict=True))
    return Wish(" ".join(lone.split())[:LONGEST_SAID], beside and SURE in sure)


def _parts(line: str) -> list[str]:
    """Divide a line at its commas; a question and "if you want no more, unsubscribe here" stay whole."""
    return [line] if "?" in line or _shared("unless").match(words.squeezed(line)) else _COMMAS.split(line)


def _short_stop(text: str) -> Wish | None:
    """Return a short letter with a "stop" in any language as an uncertain wish, for a member to look at."""
    said, cries = _compared(text), _shared("anywhere").search(words.squeezed(text))
    if len(said.split()) > LONGEST_CRY or "?" in text or not cries or _denies(said):
        return None
    return Wish(" ".join(text.split())[:LONGEST_SAID], False)


def _complains(line: str) -> bool:
    """Return whether a line is about having been written to, or a short no: "I never signed up for this"."""
    short = len(line.split()) <= LONGEST_GREETING
    return any(
        one.says("stop", "unsure", line) or one.says("stop", "sure", line) or (short and one.says("tone", "no", line))
        for one in words.written_in(line)
    )


def _is_beside(line: str) -> bool:
    """Return whether a line says nothing of its own: a greeting, a no, thanks, or a name."""
    said = _compared(line)
    greets = any(
        pattern and pattern.match(one.as_compared(said)) and len(said.split()) <= LONGEST_GREETING
        for one in words.written_in(line)
        if (pattern := one.phrases("stop", "beside"))
    )
    parts = line.split()
    return greets or _is_polite(line) or (len(parts) <= LONGEST_NAME and all(one[0].isupper() for one in parts))


def _without_greeting(sentence: str) -> str:
    """Return a sentence without the "No," or "Hi," before it: "No, write to me" denies no writing."""
    head, _, rest = sentence.partition(",")
    return rest if _SAYS.search(rest) and _is_polite(head) else sentence


def _is_polite(text: str) -> bool:
    return any(_made_of(one, _compared(text), ("polite", "beside")) for one in words.written_in(text))


def _made_of(language: Language, said: str, kinds: tuple[str, ...] = _KINDS) -> bool:
    return bool(_few_words(language.name, kinds).fullmatch(language.as_compared(said)))


@cache
def _word(name: str, kind: str, having: str = "") -> re.Pattern[str]:
    """Return the pattern of a word of one kind; "\\w" is for the languages that put spaces between words."""
    language = words.languages()[name]
    told = "|".join(line for line in language.sources("stop", kind) if having in line) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{told})(?:(?<=')|(?!\w))" if language.spaced else told)


@cache
def _few_words(name: str, kinds: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a text of up to twelve words that are all of these kinds."""
    language = words.languages()[name]
    told = [one for kind in kinds for one in language.sources("stop", kind)]
    gap = "(?: |$)" if language.spaced else ""
    return re.compile(rf"(?:(?:{'|'.join(sorted(told, key=len, reverse=True)) or '(?!)'}){gap}){{1,12}}")


def _wishes(text: str, languages: Sequence[Language]) -> Iterator[Wish]:
    """Yield the sentences that are a wish, each with its certainty."""
    mentioned = False  # "my address" in a sentence before: "Delete it."
    foreign = words.foreign(text)
    near = [one for one in languages if one.name not in foreign]
    for begin, end in sentences(text)[:MOST_SENTENCES]:
        sentence = text[begin:end][:LONGEST_SENTENCE]
        failed = any(one.says("stop", "failed", sentence) for one in languages)
        if not failed and any(one.says("stop", "never", sentence) for one in languages):
            continue  # in whichever language: English is mixed into any other
        asked, sentence = _without_greeting(sentence), _undenied(_without_greeting(sentence), near)
        if sentence != asked and "?" in asked:
            yield Wish(" ".join(asked.split())[:LONGEST_SAID], False)  # "why don't you remove me?"
        small = words.squeezed(sentence)
        thing = _shared("things").search(small)
        if thing and not _shared("about").search(small):
            continue  # "don't send me the invoice by post"
        told = [(one.name, _judged(sentence, one, mentioned)) for one in languages]
        # A wish found in a language that the letter isn't written in is only unsure.
        judged = ["unsure" if how == "sure" and name in foreign else how for name, how in told]
        if any(judged):
            is_certain = "sure" in judged and "but" not in judged and not thing
            yield Wish(" ".join(sentence.split())[:LONGEST_SAID], is_certain)
        mentioned = mentioned or any(one.says("stop", "unsure", sentence) for one in languages)


def _judged(sentence: str, language: Language, mentioned: bool) -> str:
    """Return "sure", "but" (it is limited), "unsure" or "" for a sentence in one language."""
    yet = language.phrases("tone", "yet")
    small = words.squeezed(sentence)
    limited = language.says("stop", "but", sentence) or _goes_on(sentence, "only")
    for clause in [part.strip() for part in yet.split(small)] if yet else [small]:  # "not now, but write again in May"
        if language.says("stop", "law", clause):
            return "sure"
        said = language.says("stop", "sure", clause)
        if (said and _is_closed(language, clause)) or (mentioned and language.says("stop", "it", clause)):
            return "but" if limited else "sure"
        if said:
            return "sure" if _ends_at_comma(language, sentence) and not limited else "but"
    return "unsure" if any(language.says("stop", name, sentence) for name in ("unsure", "failed")) else ""


def _goes_on(sentence: str, name: str) -> bool:
    """Return whether a sentence goes on behind a comma with one of these words: "…, only about cars"."""
    return any(_shared(name).match(words.squeezed(sentence[one.end() :])) for one in _COMMAS.finditer(sentence))


def _is_closed(language: Language, clause: str) -> bool:
    """Return whether nothing behind a wish limits it: "don't send us articles about casinos" is about articles."""
    pattern = language.phrases("stop", "sure")
    found = pattern.search(language.as_compared(clause)) if pattern else None
    behind = language.as_compared(clause)[found.end() :] if found else ""
    if not language.spaced:
        return len(behind) <= MOST_BEHIND * 4
    rest = behind.partition(" ")[2] if behind[:1].strip() else behind
    refusal = language.phrases("tone", "no")  # "…, we are not interested" says why
    about = refusal.split(rest, 1)[0] if refusal else rest
    if not about.strip() or _made_of(language, about.strip()):
        return True
    said = found[0] if found else ""
    if not (_word(language.name, "again").search(said) or _shared("about").search(said)):  # "take me off hold"
        return bool(_shared("about").search(" ".join(rest.split()[:NEAR_BEHIND])))
    return len(about.split()) <= MOST_BEHIND or bool(_shared("about").search(rest))


def _ends_at_comma(language: Language, sentence: str) -> bool:
    """Return whether a wish ends at a comma, and a reason follows: "don't write to me, I left that business"."""
    wishes = (words.squeezed(sentence[: one.start()]) for one in _COMMAS.finditer(sentence))
    ends = any(language.says("stop", "sure", one) and _is_closed(language, one) for one in wishes)
    return ends and not _goes_on(sentence, "unless")


@cache
def _shared(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words.alternatives('stop', name)})(?!\w)")
