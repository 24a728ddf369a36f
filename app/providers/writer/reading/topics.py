"""Find what a subject line would call what the business does: a noun phrase as after "a question about"."""

import re
from collections import Counter
from collections.abc import Sequence

from app.ports import Site
from app.providers.writer.grammar import after_de, sound
from app.providers.writer.reading.sayings import Voice, cleaned, pieces, plainer, relaxed, small_start
from app.providers.writer.reading.words import Words
from app.providers.writer.taxonomy import after_for, names_trade

MOST_WORDS, SHORTEST, LONGEST, LEAST = 4, 4, 40, 1.9
COMPOUND, MOST_LINE, MOSTLY = 8, 20_000, 0.6  # letters of a noun made of two; of a page; of a phrase go on so
LIST, CALLED = 3, 4  # things that are a list; letters that a topic shares with the name of a business


def topic_of(said: str, site: Site | None, voice: Voice) -> str:
    """Return the topic of a sentence, from its own words, else from titles and headings; '' when none is clean."""
    words, home = voice.words, site.pages[0] if site and site.pages else None
    said = re.sub("^J['’]", "Je ", said)
    helped = words.has(" ".join(said.split()[:4]), "helping")
    titles = [one for piece in (pieces(home.title) if home else []) for one in _segments(cleaned(piece, voice), voice)]
    headings = [cleaned(one, voice) for one in (home.headings[:12] if home else ())]
    titled = {*words.stems(f"{home.title} {home.description}")} if home else set()
    readers = after_for(said, lambda word: words.is_one(word, "place"))  # who buys is not what is sold
    best, stems, parts = (LEAST, ""), set(words.stems(said)) - set(words.stems(readers)), _segments(said, voice)
    for weight, several in (
        (3.8, _acts(said, parts, voice)),
        (1.2 if helped else 2.0, parts),
        (1.4, titles),
        (0.0, headings),
    ):
        for at, topic in enumerate(_clean(one, voice) for one in several):
            own = words.stems(topic)
            if not topic or not own:
                continue
            often = voice.told[own[-1 if words.adjectives_first else 0]]
            score = weight - 0.15 * at + min(*(voice.told[one] for one in own), 6, 6) * 0.15
            score += (1.5 if words.has(topic, "deeds") else 0) + (0.6 if stems & set(own) else -0.8)
            score -= 1.5 if len(topic.split()) == 1 and not words.has(topic, "deeds") and not voice.typed else 0
            score -= 0 if voice.typed or set(own) <= voice.main else 2.5
            named = {*own} <= stems | titled or not words.adjectives_first
            if not weight and not (named and own[-1 if words.adjectives_first else 0] in stems):
                continue  # a heading of something else that the site also speaks of
            best = max(best, (score, topic), key=lambda one: one[0]) if voice.typed or often > 1 else best
    if voice.typed or not site:
        return best[1]
    found = _led(enough(_whole(best[1], said, voice), said, site, voice), parts, said, site, voice)
    lines = [site.pages[0].description, *(line for page in site.pages for line in (page.title, *page.headings))]
    return found if any({*words.stems(found)} <= {*words.stems(line)} for line in lines) else ""


def named_in(said: str, site: Site | None, voice: Voice) -> str:
    """Return what a sentence says is sold or done, as after “supplier of”; else the trade that it names."""
    words, home = voice.words, site.pages[0] if site and site.pages else None
    top = {*words.stems(" ".join([home.title, *home.headings]))} if home else set[str]()
    does = rf"(?:{words.either('what_of')}|{words.first.pattern}|{words.third.pattern})"
    joins = rf"(?:,?\s(?:{words['and']})\s|,?\s)(?:{words.either('article')}\s)?"
    cue = re.search(rf"{does}(?:{joins}{does})*(?=\s|['’])", said, re.IGNORECASE)
    rest = said[cue.end() :] if cue and not words.has(cue[0], "helping") else ""
    sold = re.search(rf"{words.either('a')}\s(.{{3,40}}?)\s{words.either('sells')}", said)
    first = sold[1] if sold else re.split(rf"[,.]|{words.either('and', 'or', 'before')}", rest, flags=re.IGNORECASE)[0]
    plain = first if words.large_nouns else re.sub(r"(?<![\w-])\w*[^\W\d_A-ZÀ-Þ]\w*", lambda one: one[0].lower(), first)
    topic = enough(_clean(plain, voice), said, site, voice)
    own, listed = {*words.stems(topic)}, len(re.split(rf",|\s{words['and']}\s", rest)) >= LIST
    known = own <= top or (not listed and (" " in topic or own <= voice.main) and all(map(voice.known, own)))
    if topic and (home is None or known) and not words.has(topic, "persons"):
        return topic
    return called(said, site, voice)[1]


def called(line: str, site: Site | None, voice: Voice) -> tuple[str, str, str]:
    """Return the sentence, the topic and the name of the trade that a line names; '' when it names none."""
    words, line, pages = voice.words, line.strip(" -–"), site.pages if site else ()
    order, end = 1 if words.adjectives_first else -1, len(re.split(words.either("for"), line)[0])
    several = [(names.search(line), said) for names, said in words.called]
    found = [(at.start() * order, len(at[0]), said, at[0]) for at, said in several if at and at.start() < end]
    if not found or words.has(line, "not_called", "helping"):
        return "", "", ""
    *_, said, name = max(found)
    pitch, _, topic = said.partition(" | ")
    told = " ".join(
        one for page in pages for one in (page.title, page.description, *page.headings, page.text)
    ).casefold()
    told = told.replace(site.name.casefold(), "") if site and site.name else told  # a surname or brand may be a trade
    if site and not any(all(one in told for one in words.stems(phrase)) for phrase in (name, topic)):
        return "", "", ""
    return pitch.format(provide=voice.lead("provide"), are=voice.lead("are")), topic, name


def _led(topic: str, parts: Sequence[str], said: str, site: Site | None, voice: Voice) -> str:
    """Return a topic that a list begins with or that the business is called after; else what the list begins with."""
    words = voice.words
    kinds = [noun for noun, _ in words.business]
    parts = [one for one in parts if not (words.has(one, "nationwide") or any(kind.search(one) for kind in kinds))]
    stems = words.stems(topic)
    called = any(stem in name for stem in stems for name in voice.names)
    if len(parts) < LIST or called or set(stems) & set(words.stems(parts[0])):
        return topic
    first, title = _clean(parts[0], voice), site.pages[0].title if site and site.pages else ""
    led = topic or (first and {*words.stems(first)} <= {*words.stems(title)})
    return enough(first, said, site, voice) if led else ""


def _whole(topic: str, said: str, voice: Voice) -> str:
    """Return a topic with the other one that stands beside it; of a longer list what the business is called after."""
    words = voice.words
    joins = rf"(?:\s*,\s+(?:{words['and']}\s)?|\s(?:{words['and']}|&)\s)"
    listed = re.search(rf"(?<![\w-]){re.escape(topic)}({joins}.*)", said.rstrip("."), re.IGNORECASE) if topic else None
    if not listed:
        return topic
    rest = re.split(rf"\s{words.either('before')}(?!\w)", listed[1], maxsplit=1, flags=re.IGNORECASE)[0]
    others = [one for one in re.split(joins, rest, flags=re.IGNORECASE) if one]
    head = topic.split()[0]
    if not words.adjectives_first and head != topic and names_trade(head):
        return head
    if len(others) == 1 and "," in rest:
        return topic  # “abbey beer, brewed in Kerkrade” is no list
    if len(others) == 1:
        other = _clean(others[0], voice)
        both = f"{topic} {words['and']} {other}"
        return both if other and len(both) <= LONGEST else topic
    if not words.adjectives_first and all(one.startswith(f"{head} ") for one in others[:-1]):
        return head  # plain bags, printed bags, bags with handles and more
    called = any(stem[:CALLED] in name for stem in words.stems(topic) for name in voice.names)
    return topic if called else ""


def enough(topic: str, said: str, site: Site | None, voice: Voice) -> str:
    """Return a topic that says enough by itself; a word that names no trade goes on as the site does, or is none."""
    words = voice.words
    if not topic or " " in topic or words.is_one(topic, "alone") or names_trade(topic):
        return topic
    if words["compounds"] and len(topic) >= COMPOUND:
        return topic
    home = site.pages[:1] if site else ()
    lines = [said, *(line for page in home for line in (page.title, page.description, *page.headings, page.text))]
    longer, often = _longer(topic, lines, 2, voice, joint=True)
    longest, _ = _longer(longer, lines, often * MOSTLY, voice) if longer and not words.adjectives_first else ("", 0)
    told = {*words.stems(" ".join([said, *(f"{page.title} {page.description}" for page in home)]))}
    found = longest or longer
    return "" if words.has(found, "deeds") and not {*words.stems(found)} <= told else found  # another's work


def _longer(topic: str, lines: Sequence[str], least: float, voice: Voice, joint: bool = False) -> tuple[str, int]:
    """Return the topic with the word that stands most often beside it, and how often; '' when none does."""
    words, one, beside = voice.words, re.escape(topic), r"([^\W\d_][\w’'-]{2,})"
    joint_words = words.either("joins")
    joins = rf"(?:\s{joint_words}(?:\s{words.either('article')})?)?" if joint else ""
    end = rf"(?![\w-]|\s{joint_words})" if joint else r"(?![\w-])"
    before, after = rf"(?<!\w){beside}\s{one}(?!\w)", rf"(?<!\w){one}{joins}\s{beside}{end}"
    found = re.compile(before if words.adjectives_first else after, re.IGNORECASE)
    told = Counter(
        small_start(match[0], voice)
        for line in lines
        for match in found.finditer(line[:MOST_LINE])
        if not _is_small(match[1], words)
    )
    cleaned_up = ((_clean(phrase, voice), often) for phrase, often in told.most_common(3) if often >= least)
    return next(((phrase, often) for phrase, often in cleaned_up if phrase.count(" ") > topic.count(" ")), ("", 0))


def _is_small(word: str, words: Words) -> bool:
    """Return whether a word says nothing of a topic beside it."""
    verb = words.first.fullmatch(word) or words.third.fullmatch(word)
    return bool(verb) or words.is_one(word, "stops", "before", "and", "or", "generic", "orders", "praise", "plain")


def deeds_in(headings: Sequence[str], voice: Voice) -> list[tuple[str, str]]:
    """Return the first three headings in a row that name what is done or made, each with its topic."""
    row: list[tuple[str, str]] = []
    for heading in headings:
        plain = cleaned(heading, voice) if not voice.words.has(heading, "us", "i") else ""
        if not voice.words.large_nouns:
            # All words but abbreviations become small.
            plain = re.sub(r"(?<!\w)\w*[^\W\d_A-ZÀ-Þ]\w*", lambda match: match[0].lower(), plain)
        paired = " & " in heading  # as in “Learning & Development”, which is one thing
        topic = _clean(plain if paired else re.split(rf"\s{voice.words.either('and')}\s", plain)[0], voice)
        fits = topic and voice.words.has(topic, "deeds") and not any(topic == known for _, known in row)
        row = [*row, (heading, topic)] if fits else []
        if len(row) == 3:
            return row
    return []


def _segments(said: str, voice: Voice) -> list[str]:
    """Return the parts of a sentence that may name a thing, but not those that say for whom or where."""
    words, said = voice.words, said.rstrip(".")
    leads = (voice.lead("are"), words["are"], voice.lead("provide"), voice.lead("supply"), words["makes"])
    lead = next((one for one in leads if one and said.startswith(f"{one} ")), "")
    verb = None if lead else _verb(said, words)
    verb = verb or re.match(rf"(?:{words.either('we')}|{words['singular'] or '(?!)'})\s\w[\w-]*", said, re.I)
    aside = bool(verb and words.has(verb[0], "helping")) or bool(words.pattern("i_am").match(said))
    said = said[verb.end() if verb else len(lead) :]
    said = re.sub(_further(words), " ", said) if verb else said
    said = re.sub(rf"^\s*{words.either('adverbs')}\s", " ", said)
    said = re.sub(rf"^\s*{words.either('article')}\s", "", said)
    parts = re.split(rf"([,:]|{words.either('and', 'or')}|{words.either('before')})", said, flags=re.IGNORECASE)
    found: list[str] = []
    for by, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        if words.is_one(by.strip(), "before"):
            aside = not words.is_one(by.strip(), "about") or any(_clean(one, voice) for one in found)
        part = re.sub(rf"^\s*{words.first.pattern}\s", "", part, flags=re.IGNORECASE).strip()
        alone = len(found) == 1 and re.fullmatch(r"\w+[^\Ws]", found[0])
        joins = alone and not aside and words.is_one(by.strip(), "and") and 2 <= len(part.split()) <= MOST_WORDS - 2
        if joins and words.adjectives_first and not words["compounds"]:  # “snooker and pool tables” are tables
            found[0] += f" {by.strip()} {part}"
        elif part and not aside and not part.endswith("-"):
            found.append(part)
    return found


def _further(words: Words) -> str:
    """Return the pattern of the verbs behind the first one, known or not: “repair, re-hang and test” stage curtains."""
    return rf"^(?:,\s[\w-]+)*,?\s{words['and']}\s[\w-]+(?=\s\w)"


def _verb(said: str, words: Words) -> re.Match[str] | None:
    """Return the first verb of a sentence: who tunes pianos and fixes their keys is a tuner."""
    found = (pattern.search(said[:40]) for pattern in (words.first, words.pattern("singular_verbs")))
    return min(filter(None, found), key=lambda one: one.start(), default=None)


def _acts(said: str, parts: Sequence[str], voice: Voice) -> list[str]:
    """Return what is done as a noun, where that and not the thing is sold: “office cleaning” for “We clean offices”."""
    words = voice.words
    verb = _verb(said, words)
    noun = words.acts.get(verb[0].casefold(), "") if verb else ""
    if verb and "{" not in noun and voice.typed and re.match(_further(words), said[verb.end() :]):
        return []  # “Reparaturen” is half of what is done, and does not say of what
    what = next((topic for topic in (_clean(one, voice) for one in parts[:1]) if topic), "")
    if noun.startswith("{}"):  # English puts the thing first, in the singular
        what = re.sub(r"(?:(?<=ss)|(?<=ch)|(?<=sh)|(?<=x))es$|(?<=[^su])s$", "", re.sub(r"ies$", "y", what))
    return [noun.format(what, de=after_de(what))] if noun and (what or "{" not in noun) else []


def _without_business(text: str, words: Words) -> str:
    """Return “IT support” of “IT support company”, and “marketing” of “agencia de marketing”."""
    for nouns, _ in words.business:
        before, _, head = text.rpartition(" ")
        if words.adjectives_first and nouns.fullmatch(head) and words.is_one(before.rpartition(" ")[2], "deeds"):
            return before
        named = (
            None if words.adjectives_first else re.match(rf"{nouns.pattern}\s(?:\w+\s)?d(?:[ei]\s|[’'])", text, re.I)
        )
        if named:
            return text[named.end() :]
    return text


def _clean(part: str, voice: Voice) -> str:
    """Return a part of a sentence as a topic: without praise and article; '' when it is none."""
    words = voice.words
    bare = words.pattern("praise").sub("", plainer(part.strip(), words))
    text = " ".join(words.pattern("plain").sub("", bare).split()).strip(" .,-’'")
    text = re.sub(rf"^(?:{words.either('article')}\s+|(?:un|[ld])[’'])", "", text, flags=re.IGNORECASE)
    text = _without_business(re.sub(words["emptied"], "", text, flags=re.IGNORECASE).strip(), words)
    text = small_start(relaxed(text, voice), voice)
    several = text.split()
    if not 1 <= len(several) <= MOST_WORDS or not SHORTEST <= len(text) <= LONGEST or not sound(text):
        return ""
    head = several[-1 if words.adjectives_first else 0]
    nouns = [one for one in several if one[0].isupper() and (words.large_nouns or not one.split("-")[0].isupper())]
    fits = (
        re.fullmatch(r"[^\W\d_][\w’' -]*\w", text)
        and bool(nouns) == words.large_nouns
        and not words.has(re.sub(r"\b[A-Z]{2,}\b", "", text), "praise", "refused", "theirs", "formal", "informal")
        and not words.has(f" {text} ", "article" if words.adjectives_first else "a")
        and not (
            any(noun.fullmatch(head) for noun, _ in words.business)
            and not (voice.typed and words.is_one(head, "product"))
        )
        and not words.pattern("orders").match(text)
        and not words.first.match(text)
        and not words.is_one(several[0], "dangling")
        and not words.is_one(several[-1], "dangling", "adverbial")
        and not any(one.casefold() in voice.places for one in several)
        and (text.casefold() not in voice.names or words.is_one(text, "deeds"))
        and not all(words.is_one(one, "generic") for one in several)
    )
    return text if fits else ""
