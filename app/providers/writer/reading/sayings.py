"""Turn the words of a website into a sentence that its founder would say, or into none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.providers.writer.grammar import capital, sound
from app.providers.writer.reading.words import Words
from app.providers.writer.taxonomy import trade_in

SHORTEST, LONGEST, MOST_READ, FEW, ENOUGH = 20, 140, 400, 5, 3
SHORTEST_NAME = 5  # letters of a name of several words, which no sentence of ours holds
_BARS = re.compile(r"(?<!\s)\s*[|•·»]\s*|(?<!\s)\s+[–—-]+\s+|[–—](?=\s)|[:;]\s+|\s/{1,2}\s")
_SIGNS = re.compile(r"[^\w\s.,:;!?&/'’()%+#@|•·»–—€$£*<>\[\]{}-]")
_BRACKETS = re.compile(r"(?<!\s)\s*\([^()]{0,80}\)|(?<=[a-zà-ÿ])/[A-Z]{2}(?![\w/])")  # and the state behind a town
_UNSPOKEN = re.compile(
    r"[|•·»–—@#*<>{}\[\]=_:;!?()%+€$£…/]|\s-+\s|http|www\.|\.\w|\.\s|\d{5,}|\d[\d ./-]{6,}|"
    r"(?<!\d)(?!(?:1[89]|20)\d\d(?!\d))\d{4}"
)
_LEGAL = re.compile(r"\b(?:ag|gmbh|srl|s\.r\.l|bv|ltd|inc|llc|s\.l|sas|sarl|ltda|kg|e\.k)\b", re.IGNORECASE)
_LEGAL_END = re.compile(rf"\s(?:{_LEGAL.pattern})\.?\s*$", re.IGNORECASE)
_TWO_NOUNS = re.compile(r"(?<![\w-])(?=[A-ZÄÖÜ]\w*[a-z])(\w+)(?<!e)(?<!e[rsn]) [A-ZÄÖÜ][a-zäöüß]+$")


@dataclass(frozen=True)
class Voice:
    """Who speaks: the words of the language, the names of the business, and how its site writes its words.

    `small` are the words that the site writes small somewhere, and `large` those inside sentences that it does not;
    `told` counts the places that hold the stem of a word, `main` are the stems of titles, descriptions and headings,
    and `core` those of the first ones. `brand` is a name that is its domain, too. `alone` is whether one person says
    I, `typed` whether there is no site.
    """

    words: Words
    names: tuple[str, ...]
    small: frozenset[str] = frozenset()
    large: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    told: Mapping[str, int] = field(default_factory=dict)
    main: frozenset[str] = frozenset()
    core: frozenset[str] = frozenset()
    brand: str = ""
    alone: bool = False
    typed: bool = False

    def lead(self, name: str) -> str:
        """Return how a sentence begins: We're or We provide, or I'm and I provide."""
        return (self.words[f"{name}_alone"] if self.alone else "") or self.words[name]

    def known(self, stem: str) -> bool:
        """Return whether a word stands in two places, or its owner typed it."""
        return self.typed or self.told.get(stem, 0) > 1


def pieces(title: str) -> list[str]:
    """Return the parts of a title, or of a sentence with dashes and colons."""
    return [one for one in (part.strip(" .,-") for part in _BARS.split(title[:MOST_READ])) if one]


def cleaned(text: str, voice: Voice) -> str:
    """Return a text on one line, without emoji, brackets and the capitals of a title."""
    plain = _BRACKETS.sub("", _SIGNS.sub(" ", text[:MOST_READ]))
    several = re.sub(r"\s&\s", f" {voice.words['and']} ", plain).split()
    half = len(several) // 2
    twice = half > 1 and several[:half] == several[half:]  # a heading for the desktop and again for the phone
    plain = " ".join(several[:half] if twice else several)
    return capital(relaxed(plain, voice)) if is_loud(plain) else plain


def is_loud(text: str) -> bool:
    """Return whether most words have a capital, as in a title."""
    return sum(one[0].isupper() for one in text.split()) * 2 > len(text.split())


def spoken(raw: str, voice: Voice, *, frame: bool) -> tuple[str, str]:
    """Return how a founder would say the words of a site, and the way it was made; '' when they would not."""
    text = cleaned(raw, voice)
    ways = {"own": _own, "told": _told, "begun": _begun, **({"framed": _framed} if frame else {})}
    return next(((said, how) for how, made in ways.items() if (said := made(text, voice))), ("", ""))


def _own(text: str, voice: Voice) -> str:
    """Return a sentence that is in the first person already, with a verb of the table, or as its owner typed it."""
    words, single = voice.words, voice.alone or voice.typed
    text = _at_home(text, voice)
    who = rf"(?:{words['pronoun'] or '(?!)'}|{words['singular'] or '(?!)'})"
    text = re.sub(rf"^{words.either('openings')}\s[^;:]{{3,120}}?,\s(?={who}\s)", "", text, flags=re.IGNORECASE)
    if voice.typed:  # “From our kiln in Stoke we make …”
        text = re.sub(rf"^{words.either('place')}\s[^,;:]{{3,60}}?,?\s(?={who}\s)", "", text, flags=re.IGNORECASE)
    me = re.match(rf"{words['singular'] or '(?!)'}(?=\s)", text, re.IGNORECASE) if single else None
    said_by = words.pattern("we").match(text) or me
    rest = text[said_by.end() :].strip() if said_by else "" if words["pronoun"] else text
    adverb = words.pattern("adverbs").match(rest)
    rest = rest[adverb.end() :].strip() if adverb else rest
    verb = words.first.match(rest) or words.pattern("singular_verbs").match(rest)
    if not verb and said_by and voice.typed and not words.pattern("is").match(rest):
        verb = re.match(r"\w[\w-]*", rest)
    what = re.sub(words["filler"] or "(?!)", "", rest[verb.end() :].strip()) if verb else ""
    if verb and what and not _stands_alone(verb[0], what, words):
        kept = adverb[0] if adverb and words.has(adverb[0], "formal") else ""  # nous vous aidons
        shown = said_by[0] if said_by and words["pronoun"] else ""
        begun = " ".join(one for one in (shown, kept, verb[0]) if one)
        return finished(capital(f"{begun} {what}"), voice, begun)
    if being := re.match(rf"{words.either('we_are')}\s+(?={words.either('a')})", text, re.IGNORECASE):
        return finished(f"{words['are']} {text[being.end() :]}", voice, words["are"])
    being = words.pattern("i_am").match(text) if single else None
    return finished(text, voice, being[0]) if being else ""


def _at_home(text: str, voice: Voice) -> str:
    """Return a sentence without “At Ridge,” before it."""
    words = voice.words
    at = rf"^\w+ (?:{'|'.join(map(re.escape, voice.names))}),?\s"
    we = words["pronoun"]
    turned = re.match(rf"{at}({words.first.pattern}(?:\s{words['and']}\s{words.first.pattern})*)\s{we}\s", text, re.I)
    if we and turned:
        return f"{we} {turned[1]} {text[turned.end() :]}"
    return re.sub(rf"{at}(?={we or words.first.pattern}(?!\w))", "", text, flags=re.IGNORECASE)


def _told(text: str, voice: Voice) -> str:
    """Return what a site says of itself in the third person, in the first person plural."""
    words, start = voice.words, text[:120]
    verb = next((one for one in words.third.finditer(start) if one.start()), None)
    article = "|".join(words.articles)
    being = re.search(
        rf"(?<=\s){words.either('is')}\s+(?P<a>{article}|{words.either('a')})(?=[\s’'])", start, re.IGNORECASE
    )
    bare = re.search(rf"(?<=\s){words.either('is')}\s", start, re.IGNORECASE)
    head = re.split(rf"[,.]|{words.either('before')}", text[bare.end() :])[0] if bare else ""
    if bare and not being and not (verb and verb.start() <= bare.start()) and words.has(head, "product"):
        lead = words["makes"] if _is_us(text[: bare.start()].strip(), voice) else ""
        return finished(f"{lead} {text[bare.end() :]}", voice, lead) if lead else ""
    first = min((one for one in (verb, being) if one), key=lambda one: one.start(), default=None)
    who = text[: first.start()].strip() if first else ""
    dashed = first is verb and re.search(r"\s[–—-]$", who)  # “Ridge Ltd – Repairs roofs”
    who = _LEGAL_END.sub("", who[:-2]).strip() if dashed else who
    if first is None or not _is_us(who, voice):
        return ""
    rest = re.sub(rf"(?<=^\s){words['filler'].lstrip('^') or '(?!)'}", "", text[first.end() :])
    if first is being:
        given = first["a"].casefold()
        definite = given in words.articles and not words.is_one(given, "your")
        if definite and not words.pattern("praise").match(rest.strip()):
            return ""
        return _is_a(f"{words.articles.get(given, given)}{rest}", voice)
    if not (first[0][0].islower() or dashed) or _stands_alone(words.verbs[first[0].casefold()], rest.strip(), words):
        return ""
    said, beside = words.verbs[first[0].casefold()], text[: first.start()].split()[-1]
    object_ = f"{beside} " if words["pronoun"] and words.has(beside, "formal") else ""
    pronoun = (words["pronoun_alone"] if voice.alone else "") or words["pronoun"]
    begun = f"{pronoun} {object_}{said}".strip()
    return finished(capital(_together(begun, rest, words)), voice, begun)


def _stands_alone(verb: str, what: str, words: Words) -> bool:
    """Return whether a verb has no object; in some languages those who are helped come after a preposition."""
    helped = words.has(verb, "helping") and words.pattern("for").match(what)
    bare = words.pattern("before").match(what) and not words.pattern("article").match(what)
    return bool(words.pattern("no_object").match(what) or (bare and not helped))


def _is_us(who: str, voice: Voice) -> bool:
    """Return whether the words before a verb name the business, with nothing but a place beside the name."""
    who = re.sub(r",\s[A-Z]{2}$", "", who)  # the state behind a town
    lower = who.casefold()
    if voice.typed and re.fullmatch(r"[A-ZÀ-Þ]\S*(?:\s[A-ZÀ-Þ]\S*){0,3}", who) and not voice.words.has(who, "us", "i"):
        return True
    bare = re.sub(rf"^(?:{voice.words.either('article')}\s|l[’'])", "", lower)
    lower = bare if bare.startswith(voice.names) else lower
    lower = re.sub(rf"\s{voice.words.either('place')}\s[\w’'-]+$", "", lower) if voice.typed else lower
    noun = re.match(r"(\w+)\s", bare)
    if noun and any(nouns.fullmatch(noun[1]) for nouns, _ in voice.words.business):
        lower = bare[noun.end() :] if bare[noun.end() :].startswith(voice.names) else lower
    named = next((one for one in voice.names if re.match(rf"{re.escape(one)}(?!\w)", lower)), "")
    beside = re.sub(r"^,[^,]{3,40},$", "", lower[len(named) :].strip()) if named else ""
    fits = (
        len(beside.split()) <= FEW and not voice.words.has(beside, "informal") and not re.search(r"[:;!?.,]\s", beside)
    )
    return bool(named and fits) or voice.words.is_one(lower, "ourselves")


def _is_a(what: str, voice: Voice) -> str:
    """Return a sentence that says what we are; a program is something that we make."""
    head = re.split(rf"[,.]|{voice.words.either('before')}", what)[0]
    what = re.split(rf"\s{voice.words.either('after_being')}\s", what, flags=re.IGNORECASE)[0]
    lead = voice.words["makes"] if voice.words.has(head, "product") else voice.lead("are")
    return finished(f"{lead} {what}", voice, lead)


def _together(begun: str, rest: str, words: Words) -> str:
    """Return the sentence with every further verb of ours in the first person, too; '' when one is not known."""

    def turned(match: re.Match[str]) -> str:
        last = not re.search(verb, rest[match.end() :], re.IGNORECASE)
        return (f" {words['and']} " if last else match["glue"]) + words.verbs[match["verb"].casefold()]

    while adjacent := re.match(rf"(?:,|,?\s{words['and']})\s", rest):
        further = words.third.match(rest, adjacent.end())
        if not further:
            return ""
        begun += f"{adjacent[0]}{words.verbs[further[0].casefold()]}"
        rest = rest[further.end() :]
    verb = rf"(?P<glue>,\s|\s{words['and']}\s)(?P<verb>{words.third.pattern})(?=\s\w)(?!\s{words.either('before')})"
    return begun + re.sub(verb, turned, rest, flags=re.IGNORECASE)


def _begun(text: str, voice: Voice, beginnings: Mapping[str, str] | None = None) -> str:
    """Return a title such as “Helping families move house” as a sentence."""
    for beginning, said in (beginnings or voice.words.beginnings).items():
        if text.casefold().startswith(f"{beginning.casefold()} "):
            return finished(said + relaxed(text[len(beginning) :], voice), voice, said)
    return ""


def _framed(text: str, voice: Voice) -> str:
    """Return a title or description without a verb in a sentence of ours: what we are, or what we provide."""
    words = voice.words
    text = _without_name(text, voice)
    made = _begun(text, voice, words.trades) if words.trades else ""
    if made and not _loud_in(_named(made[1:], words), voice):
        return made
    named = any(text.casefold().startswith(f"{one} ") and not set(one.split()) <= voice.small for one in voice.names)
    begins = words.pattern("orders").match(text) or words.first.match(text)
    if named or begins or words.has(text, "us", "is") or _LEGAL.search(text):
        return ""
    text = re.sub(rf"^{words.either('a')}\s+", "", text, flags=re.IGNORECASE)
    end = words.pattern("before").search(text)
    parts = [one.strip() for one in re.split(r"[,.!?]", text[: end.start() if end else None])]
    while len(parts) > 1 and words.is_one(parts[0], "praise", "adjective"):
        parts = parts[1:]
    segment = parts[0]
    what = small_start(relaxed(text, voice), voice)
    persons = list(words.pattern("persons").finditer(segment))
    person = persons[-1 if words.adjectives_first else 0] if persons else None
    if person and (person.end() == len(segment) if words.adjectives_first else person.start() == 0):
        mine = voice.alone or not words["pronoun"]
        lead = words["are_alone"] if mine else words["are"] if words["person_we"] else ""
        what = what if words.large_nouns else re.sub(re.escape(person[0]), person[0].lower(), what, flags=re.IGNORECASE)
        return finished(f"{lead} {_with(words['person'], what)}", voice, lead) if lead else ""
    if person and words.large_nouns:
        return ""  # a person's name stands behind the profession
    for nouns, article in words.business:
        heads = list(nouns.finditer(segment))
        if words.adjectives_first and heads and heads[-1].end() == len(segment):
            alone = len(segment.split()) <= FEW and (not words.has(segment, "stops") or _paired(segment, words))
            return _is_a(_with(article, what), voice) if alone else ""
        before = words.pattern("praise").sub("", segment[: heads[0].start()]).strip() if heads else ""
        if heads and not words.adjectives_first and not before:
            what = what[:1].lower() + what[1:]
            named = _loud_in(_named(what, words), voice)
            return "" if named else _is_a(_with(article, what), voice)  # “horlogerie Jean Vaessen” is its name
    if len(text.split()) < 2 or not _provides(text, segment, voice):
        return ""
    listed, _, last = what.rpartition(", ")
    if listed and last.istitle() and not words.large_nouns and not words.has(last, "deeds"):
        what, listed = listed, ""  # the town or region behind what is done
    if listed and not re.search(rf"\s{words.either('and')}\s", what) and not words.has(listed, "for", "place"):
        what = f"{listed} {words['and']} {last}"
    begin = what.split()[0]
    called = begin.istitle() and words.adjectives_first and not words.has(begin, "praise")
    called = called and any(voice.told[one] > ENOUGH for one in words.stems(begin) if one in voice.told)
    if not words.large_nouns and (called or _loud_in(_named(what, words), voice)):
        return ""  # a title with words that the site writes small nowhere, or with a name before what is done
    known = trade_in(what)
    goods, done = bool(known and known.kind == "goods"), _is_done(text, segment, words)
    if not (done or goods) and words["with_article"]:
        return ""  # a thing that would need its article
    lead = voice.lead("supply" if words["supply"] and (goods or not done) else "provide")
    return finished(f"{lead} {what}", voice, lead)


def _loud_in(text: str, voice: Voice) -> bool:
    """Return whether a word has the capital of a title: it is no abbreviation, and no name inside a sentence."""
    return any(one[0].isupper() and one[1:].islower() and one.lower() not in voice.large for one in text.split())


def _provides(text: str, segment: str, voice: Voice) -> bool:
    """Return whether a phrase names something that is provided: a deed, or what the whole site speaks of."""
    words, several = voice.words, segment.split()
    two = _TWO_NOUNS.search(segment) if words.large_nouns else None
    if (two and not words.has(two[1], "praise")) or any(one.casefold() in voice.places for one in several):
        return False  # a place without its preposition
    named = _named(text, words)
    lasts = [one.split()[-1] for one in re.split(rf",|\s{words['and']}\s", named) if one.strip()]
    who = any(nouns.search(one) for nouns, _ in words.business for one in lasts if not words.is_one(one, "product"))
    if not several or (who and words.adjectives_first):
        return False  # it says who they are, in another order
    if len(several) > 1 and words.is_one(several[0], "gerund") and not words.is_one(several[-1], "deeds"):
        return False
    known = [one for one in words.stems(segment) if one not in words.vague and voice.known(one)]
    whom = re.search(rf"\s{words.either('for', 'place')}\s", text, re.IGNORECASE)
    often = voice.typed or max((voice.told.get(one, 0) for one in known), default=0) > ENOUGH
    return bool(known) and (_is_done(text, segment, words) or bool(whom and often))


def _is_done(text: str, segment: str, words: Words) -> bool:
    """Return whether what a phrase names is done for others, and no thing."""
    named = _named(text, words)
    done = named if "," in named else segment
    if words["compounds"]:
        done = " ".join(one.split()[-1] for one in re.split(rf",|\s{words['and']}\s", done) if one.strip())
    return words.has(done, "deeds")


def _named(text: str, words: Words) -> str:
    return re.split(words.either("for", "place"), text, flags=re.IGNORECASE)[0]


def _paired(segment: str, words: Words) -> bool:
    """Return whether two nouns for the business stand beside each other: manufacturer and exporter."""
    halves = re.split(rf"\s{words['and']}\s", segment)
    return len(halves) == 2 and all(any(one.search(half.split()[-1]) for one, _ in words.business) for half in halves)


def _with(article: str, what: str) -> str:
    if article == "a" and re.match(r"[aeio]|u(?!ni|se|k\b)", what, re.IGNORECASE):
        article = "an"
    return f"{article}{'' if not article or article.endswith(chr(39)) else ' '}{what}"


def _without_name(text: str, voice: Voice) -> str:
    """Return a text without the name before it, or with only those words of the name that say what the business is."""
    for name in voice.names:
        match = re.match(
            rf"{re.escape(name)}(?P<mark>\s*[,:–—|]\s*|\s+-\s+|(?=\s{voice.words.either('before')}|$))", text, re.I
        )
        if match and match["mark"].strip():
            return text[match.end() :]
        if match and not voice.words.adjectives_first:
            kept = " ".join(one for one in match[0].split() if one.casefold() in voice.small)
            return f"{kept}{text[match.end() :]}" if match[0].startswith(kept) else text
    return text


def small_start(text: str, voice: Voice) -> str:
    """Return a phrase for the middle of a sentence: its first word small, unless it is written large for itself."""
    first, _, rest = text.partition(" ")
    if voice.words.large_nouns:
        bare = first.rstrip(",")
        small = bare.lower() in voice.small or voice.words.is_one(bare, "adjective")
        return text[:1].lower() + text[1:] if small and rest[:1].isupper() else text
    part = re.split(r"['’-]", first)[0]
    keep = part.lower() in voice.large or not (first[1:].islower() or len(first) == 1)
    return text if keep else text[:1].lower() + text[1:]


def relaxed(text: str, voice: Voice) -> str:
    """Return a title with small letters, where the site writes its words small elsewhere."""

    def small(match: re.Match[str]) -> str:
        one, low = match[0], match[0].lower()
        known = low in voice.small or voice.words.is_one(low, "stops", "before")
        return low if known and not (one.isupper() and 1 < len(one) <= FEW) else one

    return text if voice.words.large_nouns else re.sub(r"[^\W\d_][\w’'-]*", small, text)


def finished(said: str, voice: Voice, begun: str) -> str:
    """Return the longest beginning of a sentence that may be said; '' when there is none."""
    words = voice.words
    said = " ".join(said.replace(" ,", ",").split()).rstrip(" .!,;")
    for theirs, ours in words.turned.items():
        said = re.sub(rf"(?<!\w){re.escape(theirs)}(?!\w)", ours, said, flags=re.IGNORECASE)
    if not words.large_nouns:
        said = re.sub(r",(?:\s[A-ZÀ-Þ][\w’'-]+){1,3}$", "", said)  # the region behind a town
    said = re.sub(rf"\s{words.either('not_after')}\s.*$", "", said, flags=re.IGNORECASE)  # wants another tense
    third = rf"\s(?={words['and']}\s(?:{words.either('is', 'no_object')}|{words.first.pattern})\s)"
    ends = (
        rf"{third}|\s[–—-]+\s|[:;]\s|[–—]\s|\.\s|"
        rf",\s(?={words.either('before', 'tails', 'town')})|\s(?={words.either('tails')})"
    )
    if voice.typed:
        ends += rf"|,\s(?={words['and']}\s|\w+\s{words.either('tails')})"
        aside = rf",\s[^,]{{3,40}}\s{words.either('theirs')},(?=\s{words.either('for', 'place')}\s)"
        said = re.sub(aside, "", said, flags=re.IGNORECASE)  # “curtains, and test them, for theatres”
    whom = re.search(rf",?\s{words.either('for', 'place')}\s", said, re.IGNORECASE) if voice.typed else None
    cuts = sorted({len(said), *(one.start() for one in re.finditer(ends, said, re.IGNORECASE))}, reverse=True)
    for end in sorted(cuts, key=lambda end: bool(whom and end <= whom.start())):  # for whom and where are kept if typed
        part = said[:end].rstrip(" ,;:-–—.")
        last = part.rpartition(", ")[2] if ", " in part else ""
        half = end < len(said) and last and not re.search(rf"\s{words.either('and')}\s", last)
        if half and said[end] == "," and len(last.split()) < ENOUGH and not words.pattern("before").match(last):
            part, half = f"{part.rpartition(', ')[0]} {words['and']} {last}", False  # a list that a place follows
        if end > len(begun) + 3 and not half and sayable(part := _unpraised(part, words, len(begun)), voice, begun):
            return f"{part}."
    return ""


def _unpraised(said: str, words: Words, begun: int) -> str:
    """Return a sentence without the praise in it; '' when it is not whole without."""
    praise, before, both = words.either("praise"), words.either("before"), words["and"]
    said = plainer(said, words, begun)
    found = list(re.finditer(praise, said, re.IGNORECASE))
    if not found:
        return said
    if any(match[0][0].isupper() and match.start() > begun + 4 for match in found):
        return ""  # a full stop was forgotten before it
    several = rf"{praise}(?:,? (?:{both} )?{praise})*"
    if re.search(rf"{words.either('with')}\s{words.either('article')}\s{praise}\s", said, re.IGNORECASE):
        return ""  # “We work with the best brands” says nothing without its praise
    needed = rf"{several}\s(?:{before})|{words.either('a')}\s\w+\s{both}\s{praise}"
    needed = needed if words.adjectives_first else rf"{several}\s{both}\s"
    left = re.sub(rf"{several},\s(?=\w)" if words.adjectives_first else r"(?!)", "", said, flags=re.IGNORECASE)
    if re.search(needed, left, re.IGNORECASE):
        return ""
    left = re.sub(several, "", left, flags=re.IGNORECASE)
    left = " ".join(left.split()).replace(" ,", ",").rstrip(" ,")
    joint = rf"(?<!\w)(?:{both}|{words.either('a')})\s*(?:,|$|{before}|{both}\s)"
    torn = rf"{before}\s+(?:{both}\s|{before})|,\s*(?:,|{before})|{joint}"
    if len(re.findall(torn, left, re.IGNORECASE)) > len(re.findall(torn, said, re.IGNORECASE)):
        return ""
    if "a" in words.articles.values():  # in English the article follows the sound
        left = re.sub(r"\ba (?=[aeio])", "an ", left)
        left = re.sub(r"\ban (?=[^aeiouhAEIOUHFLMNRSX\W])", "a ", left)
    return left


def plainer(said: str, words: Words, begun: int = 0) -> str:
    """Return words without a praise beside another adjective: “simple, reliable work” is simple work.

    Only the first word after the beginning is surely an adjective.
    """
    if not words.adjectives_first:
        return said
    head = rf"^(.{{{begun}}}\W?(?:{words.either('a')}\s)?(\w+))(?:,|\s{words['and']})\s{words.either('praise')}\s(?=\w)"
    match = re.match(head, said, re.IGNORECASE)
    noun = not match or words.has(match[2], "deeds") or (words.large_nouns and match[2][0].isupper())
    return said if noun or not match else f"{match[1]} {said[match.end() :]}"


def _is_told(name: str, voice: Voice) -> bool:
    """Return whether a name in a sentence names the business; a word that says what is done does not."""
    is_noun = name in voice.small or (voice.words.large_nouns and voice.words.is_one(name, "deeds"))
    return len(name) > SHORTEST_NAME - 2 and (not is_noun or name == voice.brand)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def sayable(said: str, voice: Voice, begun: str) -> bool:
    """Return whether a founder could say it: whole, plain, of a decent length, and neither praise nor fluff."""
    words, rest = voice.words, said[len(begun) :]
    if not SHORTEST <= len(said) < LONGEST or not sound(said) or _UNSPOKEN.search(said):
        return False
    if words.has(rest, "refused", "praise", "informal") or words.is_one(said.split()[-1], "dangling"):
        return False
    third = re.search(rf"\s{words['and']}\s{words.either('is', 'no_object')}\s", rest)
    other = re.search(rf",(?: [A-ZÀ-Þ][\w’'-]+)+ (?:{words.third.pattern}) ", rest)  # of whom all before it is said
    if third or other or (not words["pronoun"] and said.split()[-1].casefold() in words.verb_words):
        return False
    theirs = next((one[0] for one in words.pattern("theirs").finditer(rest) if one[0].islower()), "")
    if theirs and not (words.has(said, "helping") and words.is_one(theirs, "plural_theirs")):
        return False
    again = words["pronoun"] and re.search(rf"\s{words['pronoun'].capitalize()}\s", said)
    loud = [one for one in re.findall(r"[^\W\d_]{5,}", said) if one.isupper()]
    names = [re.escape(one) for one in voice.names if _is_told(one, voice)]
    if again or len(loud) > 1 or re.search(rf"(?<!\w)(?:{'|'.join(names) or '(?!)'})(?!\w)", rest.casefold()):
        return False
    named = [one for one in (_letters(name) for name in voice.names if " " in name) if len(one) > SHORTEST_NAME]
    if any(one in _letters(rest) for one in named):
        return False
    whole = begun in (words["are"], words["are_alone"]) or words.has(begun, "helping", "i_am")
    what = rest if whole else re.split(rf"(?<=\w)\s(?={words.either('before')})", rest)[0]
    several = re.findall(r"[^\W\d_]{3,}[\w-]*", what)
    if not whole and several and (words.is_one(several[0], "not_first") or words.is_one(several[-1], "not_made")):
        return False
    plain = [one for one in several if one[0].islower() or not whole or words.large_nouns]
    return len(words.stems(rest)) > 1 and any(not words.is_one(one, "generic", "stops") for one in plain)
