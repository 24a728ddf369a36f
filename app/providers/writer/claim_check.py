"""Check a draft's claims: numbers, names, links and claims without a source, and broken rules."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from app.ports.writer import Brief, Problem
from app.providers.writer import change_requests, style
from app.providers.writer.grammar import sentences

LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>()\"”]+|\b[\w.+-]+@[\w-]+\.[\w.]+\w|\b(?:[\w-]+\.)+(?:com|org|net|io|"
    r"example|test|co|de|uk|fr|eu|app|dev|ru|cn|xyz|info|biz|ly|me|"
    r"ai)\b(?:/[^\s<>()\"”]*)?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\{\{[^{}]*\}\}")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,:]*\d%?|(?<![\w.])\d%?")
_NAME = re.compile(r"\b[A-ZÀ-Ž][\w’'&-]*(?: (?:[A-ZÀ-Ž&][\w’'&-]*))*")
_CLAIM = re.compile(
    r"\b(we(?:'ve| have)? help(?:ed|s)?|our (?:\w+ )?(?:customers|clients)|trusted|leading|the (?:best|largest|"
    r"first to|only one|"
    r"cheapest|fastest|most \w+)|number one|award\w*|certif\w+|guarantee\w*|proven|doubl\w+|tripl\w+|increas\w+|"
    r"sav(?:e[sd]?|ing)"
    r"|reduc\w+|cuts?|faster|cheaper|free|discount\w*|thousands|hundreds|millions|dozens|experts?|years of|everybody|"
    r"market leader|partner of|backed by|recommended|loved by|studies show|research shows|on average|risk-free|"
    r"results)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\b(if|whether|would|could|may|might|perhaps|how|who|what|could fit)\b|\?\s*$", re.IGNORECASE)
_CAPITALS = frozenset(
    "i i'm i'd i'll i've hi hello dear best kind regards thanks thank monday tuesday wednesday thursday friday "
    "saturday sunday "
    "january february march april may june july august september october november december english german french "
    "spanish linkedin it hr ceo cto cfo coo crm ai seo pr ok p.s ps e-mail ip uk us eu cheers".split()
)
_SMALL = frozenset(
    "a an and are as at be by for from has have in is it of on or that the this to was we with you your our".split()
)


def problems(brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
    """Return everything that a person should check before it is sent."""
    sources = tuple(source(brief, known))
    plain = _VARIABLE.sub("␣", text)
    found = [*_links(plain, sources), *_broken(brief, plain)]
    bare = LINK.sub("␣", _without_quotes(plain, sources))
    found += [*_numbers(bare, sources), *_names(bare, sources), *_claims(bare, sources)]
    return list({(one.words, one.sentence): one for one in found}.values())


def source(brief: Brief, known: Sequence[str]) -> Iterator[str]:
    """Yield every text that may support a draft's claims."""
    profile = brief.profile
    yield from (profile.business, profile.summary, profile.name, profile.offer)
    for fact in profile.facts:
        yield from (fact.text, fact.quote, fact.page)
    if brief.customer:
        yield from (brief.customer.title, brief.customer.detail)
    if brief.targeting:
        yield brief.targeting.summary
        yield from (chip.label for chips in brief.targeting.rows.values() for chip in chips)
    yield from (brief.offer, brief.sender_name, brief.icp, brief.style, *brief.rules, *known)


def _without_quotes(text: str, sources: Sequence[str]) -> str:
    """Return the text without quotations that are verbatim in a source."""
    whole = _flat(" ".join(sources))

    def replace(match: re.Match[str]) -> str:
        inner = _flat(match[1].rstrip(" ….,"))
        return "␣" if inner and inner in whole else match[0]

    return re.sub(r"“([^”]*)”", replace, text)


@lru_cache(maxsize=256)
def _flat(text: str) -> str:
    return re.sub(r"[\s\"“”'’]+", " ", text).lower().strip()


def _links(text: str, sources: Sequence[str]) -> Iterator[Problem]:
    whole = " ".join(sources).lower()
    for match in LINK.finditer(text):
        bare = re.sub(r"^(https?://)?(www\.)?", "", match[0].lower()).rstrip("/.,")
        if bare not in whole:
            yield Problem(match[0], "This link or address is not one of yours.")


def _numbers(text: str, sources: Sequence[str]) -> Iterator[Problem]:
    known = {_digits(one) for one in _NUMBER.findall(" ".join(sources))}
    for number in _NUMBER.findall(text):
        if _digits(number) not in known:
            yield Problem(number, "This number has no source.")


def _digits(number: str) -> str:
    return re.sub(r"[^\d%]", "", number)


def _names(text: str, sources: Sequence[str]) -> Iterator[Problem]:
    known = _words(" ".join(sources))
    for sentence in (one for line in text.splitlines() for one in sentences(line)):
        for match in _NAME.finditer(sentence):
            words = match[0].split()
            before = sentence[: match.start()].rstrip()
            if not before or before.endswith((":", "“", "—", "␣", "␣,", "·")) or before[-1] in ".!?":
                words = words[1:]
            strange = [
                word for word in words if _stem(word) not in known and word.lower().rstrip("’'s") not in _CAPITALS
            ]
            strange = [word for word in strange if word.lower() not in _CAPITALS and len(word) > 1]
            if strange:
                yield Problem(" ".join(strange), "This name has no source.")


def _stem(word: str) -> str:
    return re.sub(r"(?:’s|'s|e?s|ing|ed|e|y|ies)$", "", word.lower().strip("’'&-.,")) or word.lower()


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in re.findall(r"[\w’'&-]+", text))


def _claims(text: str, sources: Sequence[str]) -> Iterator[Problem]:
    known = [_words(sentence) for one in sources for sentence in sentences(one)]
    for sentence in (one for line in text.splitlines() for one in sentences(line)):
        match = _CLAIM.search(sentence)
        if not match or _OPEN.search(sentence):
            continue
        wanted = {
            _stem(word) for word in re.findall(r"[\w’'&-]+", sentence) if word.lower() not in _SMALL and word != "␣"
        }
        trigger = {_stem(word) for word in match[0].split() if word.lower() not in _SMALL}
        best = max((len(wanted & words) / len(wanted) for words in known if trigger & words), default=0.0)
        if best < 0.5:
            yield Problem(sentence.replace("␣", "…"), "This claim has no source.")


def _broken(brief: Brief, text: str) -> Iterator[Problem]:
    for rule in brief.rules:
        for wish in change_requests.read(rule):
            if wish.kind == "avoid":
                for word in style.mentions(text, wish.words):
                    yield Problem(word, f"This breaks the rule “{rule}”")
            if wish.kind == "no_links" and LINK.search(text):
                yield Problem(LINK.findall(text)[0], f"This breaks the rule “{rule}”")
    for word in style.mentions(text, style.read(brief.style).avoid):
        yield Problem(word, "The style document says to avoid this.")
