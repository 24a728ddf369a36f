"""Check a draft's claims: each sentence that asserts something must rest on a quotation, and no rule may be broken.

A sentence is compared with the words that were read or typed, never with what a writer made of them: a true quotation
under a fact of ours proves the quotation alone. Questions, wishes and greetings claim nothing.
"""

import re
from collections.abc import Iterator, Sequence

from app.core import languages
from app.ports.writer import Brief, Evidence, Problem, Sentence
from app.providers.writer import change_requests, own_sentences, style
from app.providers.writer.claims import claim_support
from app.providers.writer.claims.claim_words import (
    FIRST_PERSON,
    HEDGES,
    OF_THEM,
    OF_US,
    OPENS,
    PRESUMES,
    SALUTATION,
    SEEN,
    STRONG,
    plain,
)
from app.providers.writer.grammar import sentences

LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>()\"”]+|\b[\w.+-]+@[\w-]+\.[\w.]+\w|\b(?:[\w-]+\.)+(?:com|org|net|io|"
    r"example|test|co|de|uk|fr|eu|app|dev|ru|cn|xyz|info|biz|ly|me|"
    r"ai)\b(?:/[^\s<>()\"”]*)?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\{\{[^{}]*\}\}")
_BLANK = "␣"
_MINUTES = re.compile(r"\b\d+[ -]?min\w*", re.IGNORECASE)
_LENGTH = re.compile(  # of what is written here
    r"\b\w+ (?:short |kurzen )?(?:sentences?|lines|words|sätzen?|zeilen|worten|phrases?|lignes|mots|frases?|líneas|"
    r"palabras|"
    r"frasi|righe|parole|zinnen|regels|woorden|linhas|palavras)\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"[“„\"«»‟]\s*([^“”„\"«»]{3,600}?)\s*[”“\"»«]")
_A_QUOTATION = 3  # words
_UNTICKED = "This quotes your website. Tick the quotation in your profile first, or say it in your own words."
_NO_SOURCE = "Nothing that was read or typed says this."
_OF_RECIPIENT = "Nothing known of this person says this."


def problems(brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
    """Return everything that a person should check before it is sent, what is claimed of the recipient first."""
    given = quotes(brief, known)
    plain_text = own_sentences.without(brief, _VARIABLE.sub(_BLANK, text), given, known, _BLANK)
    pages = [fact.page for fact in brief.profile.facts]
    claims, links = _claims(brief, plain_text, given, known), _links(plain_text, [*given, *pages])
    found = [*claims, *links, *_broken(brief, plain_text), *_quoted(brief, text)]
    found.sort(key=lambda one: one.about != "recipient")
    return list({(one.words, one.sentence): one for one in found}.values())


def claims_in(text: str) -> list[str]:
    """Return the sentences of a message that assert something, without its variables."""
    return [one for one in sentences(_VARIABLE.sub("…", text)) if claimed(SALUTATION.sub("", one))]


def quotes(brief: Brief, known: Sequence[str]) -> Sequence[str]:
    """Return the words a claim may rest on, each by itself: quotations, what the owner typed, what is known."""
    profile = brief.profile
    read = (fact.quote for fact in profile.facts)
    typed = (profile.audience if name == "for" else str(getattr(profile, name)) for name in profile.typed)
    return tuple(one for one in (*read, *typed, brief.offer, " · ".join(known), *known) if one.strip())


def _claims(brief: Brief, text: str, given: Sequence[str], known: Sequence[str]) -> Iterator[Problem]:
    names = f"{brief.profile.name} {brief.sender_name} {brief.recipient}"
    known = [*known, *_parts(brief.recipient)]
    called = _called(brief, known)
    for sentence in sentences(_without_quotes(LINK.sub(_BLANK, text), given)):
        bare = _LENGTH.sub(_BLANK, SALUTATION.sub("", sentence))
        if not bare.strip(f" {_BLANK}.,:;–-?!()"):
            continue
        opened = _opener(brief, sentence)
        sources = _named(brief, opened, bare) if opened else [*given, *_theirs(brief, bare)]
        if claimed(bare, called) or (opened and _tells(bare)):
            if not claim_support.supported(bare, sources, names):
                yield _problem(sentence, bare, known)
            continue
        for number in claim_support.unsaid(_MINUTES.sub(_BLANK, bare), sources):
            yield Problem(number, "This number has no source.", "business")


def _opener(brief: Brief, sentence: str) -> Sentence | None:
    """Return the sentence written for this person that a sentence of the text is, or is a part of."""
    said = _flat(sentence.replace(_BLANK, ""))
    return next((one for one in brief.opener if said and said in _flat(one.text)), None)


def _named(brief: Brief, opened: Sentence, bare: str) -> list[str]:
    """Return the quotes that such a sentence names: of the recipient for what it says of them, else of the business.

    One that speaks of both rests on what it names of both together. Where no one in particular is written to, as in
    the text of a play, each quote that it names counts by itself.
    """
    there = [one for one in brief.evidence if one.id in opened.facts]
    ours = [one.quote for one in there if one.about == "business"]
    theirs = [_told(one) for one in there if one.about != "business"]
    if not brief.recipient:
        return [*theirs, *ours]
    low = plain(bare.casefold())
    if OF_US.search(low):
        return [" · ".join([*theirs, *ours])] if OF_THEM.search(low) else ours
    return theirs


def _theirs(brief: Brief, bare: str) -> list[str]:
    """Return what is known of the recipient, for a sentence that speaks of them and not of the business."""
    low = plain(bare.casefold())
    named = any(plain(one.casefold()) in low for one in _parts(brief.recipient))
    if OF_US.search(low) or not (named or OF_THEM.search(low)):
        return []
    return [_told(one) for one in brief.evidence if one.about != "business"]


def _told(one: Evidence) -> str:
    """Return a quote with where it stands: a sentence may say that it was read there."""
    return f"{one.quote} · {one.label}"


def _parts(recipient: str) -> list[str]:
    """Return the name and the company of a recipient."""
    return [one for one in recipient.split(", ") if one]


def _tells(bare: str) -> bool:
    """Return whether a sentence tells something, and does not ask, suppose or speak of its writer."""
    low = bare.casefold()
    return not (bare.rstrip().endswith("?") or OPENS.search(low) or HEDGES.search(low) or FIRST_PERSON.search(low))


def _problem(sentence: str, bare: str, known: Sequence[str]) -> Problem:
    about = "recipient" if _of_them(bare, known) else "business"
    said = sentence.replace(_BLANK, "…")
    return Problem(said, _OF_RECIPIENT if about == "recipient" else _NO_SOURCE, about)


def _of_them(sentence: str, known: Sequence[str]) -> bool:
    low = sentence.casefold()
    return bool(OF_THEM.search(plain(low))) or any(len(one) > 2 and one.casefold() in low for one in known)


def _called(brief: Brief, known: Sequence[str]) -> frozenset[str]:
    """Return how the business is called, and the words by which the recipient is."""
    several = (
        word for one in known for word in re.findall(r"\w{3,}", one) if not (word[0].islower() or word.isdigit())
    )
    return frozenset(one.casefold() for one in (brief.profile.name, *several) if one)


def claimed(sentence: str, names: frozenset[str] = frozenset()) -> bool:
    """Return whether a sentence asserts something of the business or the recipient."""
    low = sentence.casefold().strip(" …␣,–—-")
    if PRESUMES.search(low):
        return True
    if sentence.rstrip(" ”\"'").endswith("?") or OPENS.search(low):
        return False
    bare = plain(low)
    words = claim_support.tokens(sentence)
    weighs = any(one.number or one.word in STRONG for one in words)
    of_us, of_them = bool(OF_US.search(bare)), bool(OF_THEM.search(bare))
    if HEDGES.search(low):
        return of_us and any(one.number for one in words)
    if FIRST_PERSON.search(low) and not SEEN.search(low):
        return of_us or any(one.number for one in words)
    if of_us or of_them or weighs:
        return True
    whole = sentence.rstrip(" ”\"'…␣").endswith((".", "!", ":"))  # what is none is a title, which asserts nothing
    return whole and (any(re.search(rf"\b{re.escape(one)}\b", low) for one in names) or _names(sentence))


def _names(sentence: str) -> bool:
    """Return whether a name stands in the sentence after its first word; German nouns and abbreviations are none."""
    later = [one.said for one in claim_support.tokens(sentence) if not sentence.lstrip(" …␣,–—-“").startswith(one.said)]
    return any(word.istitle() for word in later) and languages.detected(sentence) != "de"


def _without_quotes(text: str, sources: Sequence[str]) -> str:
    """Return the text without quotations that are verbatim in a source."""
    whole = [_flat(one) for one in sources]

    def replace(match: re.Match[str]) -> str:
        inner = _flat(match[1].rstrip(" ….,"))
        return _BLANK if inner and any(inner in one for one in whole) else match[0]

    return re.sub(r"“([^”]*)”", replace, text)


def _quoted(brief: Brief, text: str) -> Iterator[Problem]:
    """Yield each quotation of a page that the owner did not tick."""
    closed = [_flat(fact.quote) for fact in brief.profile.facts if fact.is_quotation and not fact.quotable]
    opened = [_flat(fact.quote) for fact in brief.profile.facts if not fact.is_quotation or fact.quotable]
    for match in _QUOTATION.finditer(text):
        inner = _flat(match[1].rstrip(" ….,"))
        if len(inner.split()) < _A_QUOTATION or any(inner in one for one in opened):
            continue
        if any(inner in one for one in closed):
            yield Problem(match[1], _UNTICKED, "rule")


def _flat(text: str) -> str:
    return re.sub(r"[\s\"“”'’]+", " ", text).lower().strip()


def _links(text: str, sources: Sequence[str]) -> Iterator[Problem]:
    whole = " ".join(sources).lower()
    for match in LINK.finditer(text):
        bare = re.sub(r"^(https?://)?(www\.)?", "", match[0].lower()).rstrip("/.,")
        if bare not in whole:
            yield Problem(match[0], "This link or address is not one of yours.", "link")


def _broken(brief: Brief, text: str) -> Iterator[Problem]:
    for rule in brief.rules:
        for wish in change_requests.read(rule):
            if wish.kind == "avoid":
                for word in style.mentions(text, wish.words):
                    yield Problem(word, f"This breaks the rule “{rule}”", "rule")
            if wish.kind == "no_links" and LINK.search(text):
                yield Problem(LINK.findall(text)[0], f"This breaks the rule “{rule}”", "rule")
    for word in style.mentions(text, style.read(brief.style).avoid):
        yield Problem(word, "The style document says to avoid this.", "rule")
