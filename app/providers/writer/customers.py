"""Suggest up to five customer types: those whom the business or its owner names, then those usual in its trade.

A business that sells to people nearby is suggested those who send them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from string import digits

from app.core import languages
from app.ports.writer import Brief, CustomerType, Fact, Profile
from app.providers.writer.grammar import AND, capital, closed, harmless, listed, quoted, small
from app.providers.writer.reading import audience
from app.providers.writer.reading.words import of, stem
from app.providers.writer.tables.loader import (
    FIVE,
    WORD,
    Buyer,
    Found,
    Lexicon,
    Role,
    Segment,
    Trade,
    clues,
    companies_in,
    industrial,
    not_industrial,
    roles,
    root,
    segments,
    teams,
    titles_in,
    tokens,
    trades,
)
from app.providers.writer.taxonomy import (
    DESCRIPTION,
    after_for,
    after_to,
    before_for,
    is_advice,
    is_told,
    kinds_in,
    longest,
    segments_in,
    trade_in,
)

MOST_NAMED = 4  # of those that the website names, where the usual ones of the trade are known, too
ENOUGH = 3  # customers: typed by the founder, where nobody is guessed beside them, or known of an industrial trade
MOST_ALIKE = 2  # of the five may have the same job: five kinds of companies where the owner decides are one kind
LONGEST_QUOTE, LONGEST_ANSWER = 110, 120
SHORTEST_BEGIN, SHORTEST_END = 3, 5  # letters of the two parts of a compound
MOSTLY = 0.5  # of the words for whom something is must name a kind of company
MOSTLY_SEND = 0.6  # of the trades that know a kind of company must be sent people by it
ANY = "companies"  # the kind of company when a name does not tell it
NAMED = "named"  # and a number are the code of a kind that the founder typed and nobody knows; of others it is theirs
_ASIDE = re.compile(
    r"(?:,?\s(?:that|who|which|whose|qui|che|que|die)|,\s(?:such as|like|wie|comme|como|come|zoals))\s.*"
)
_ANYONE = frozenset(("manager", "buyer", "partner", "director", "head", "user"))  # no job by itself
_SMALL = re.compile(r"[^\W\d_A-ZÀ-Þ]|[A-Z]{2,}s?\b")  # “NGOs” are a kind, too
_ENDS = "(?:er|en|e|[Bb]üros|[Hh]otels|[Cc]afés|[Ss]tudios|[Ss]alons|[Ss]hops|[Cc]lubs)"
_SEVERAL = re.compile(rf"[A-ZÄÖÜ][a-zäöüß-]{{6,}}{_ENDS}")  # “Waldbesitzer” is no company, as German writes nouns
_SEVERAL_BESIDE = re.compile(rf"[A-ZÄÖÜ][a-zäöüß-]{{2,}}{_ENDS}")  # nor is “Züchter” beside another kind
_OF_SORT = re.compile(rf"[A-ZÄÖÜ][a-zäöüß]+{_ENDS} (?:von|für|mit|aus|im|in) ")  # “Hersteller von Glas”


class _Five:
    """The types so far: no two the same, and not the same person at every kind of company."""

    def __init__(self) -> None:
        self.types: dict[str, CustomerType] = {}
        self.segments: set[str] = set()
        self._jobs: Counter[str] = Counter()

    def add(
        self, segment: Segment, several: Sequence[str], why: str, *, guess: bool, title: str = "", code: str = ""
    ) -> None:
        """Add the first of several who decide at a kind of company that is not there yet."""
        for role in several:
            job = segment.called.get(role, role)
            one = CustomerType(f"{code or segment.code}-{role}", title or title_of(segment, role), why, guess=guess)
            alike = not title and self._jobs[job] >= MOST_ALIKE  # kinds that the founder typed are all wanted
            if len(self.types) < FIVE and one.id not in self.types and not alike:
                self.types[one.id] = one
                self.segments.add(segment.code)
                self._jobs[job] += 1
                return


def near(profile: Profile) -> bool:
    """Return whether the business sells to people nearby, so that those who send them are written to."""
    known = trade_of(profile)
    private = of(profile.language).has(profile.pitch, "private") and not segments_in(
        profile.pitch, languages.base(profile.language)
    )
    sent = private if known is None else known.near or (private and any(one.sends for one in known.customers))
    return sent and not _pitched(profile) and not of(profile.language).has(profile.pitch, "firms")


def sends(brief: Brief) -> bool:
    """Return whether the chosen customer type sends people to the business, and does not buy for itself."""
    buyer, segment, known = _buyer(brief), segment_of(brief.customer), trade_of(brief.profile)
    if _named_as_customer(brief, segment):
        return False
    if buyer:
        return buyer.sends
    if near(brief.profile):
        return True
    told = segments_in(brief.profile.pitch, languages.base(brief.profile.language))  # who is named buys
    usual = segment is not None and segment.code in _senders() and segment not in told and not _pitched(brief.profile)
    return usual and (known is None or any(one.sends for one in known.customers))


def _named_as_customer(brief: Brief, segment: Segment | None) -> bool:
    """Return whether the founder says of the chosen customer type that they are customers, here or in the pitch."""
    told = " ".join(fact.text for fact in brief.profile.facts if fact.kind == audience.KIND)
    typed = as_typed(brief).casefold()
    named = bool(typed) and typed in f"{brief.profile.pitch} {told}".casefold()
    return named or segment in segments_in(told, languages.base(brief.profile.language))


@cache
def _senders() -> frozenset[str]:
    """Return the kinds of companies that send people in most of the trades that know them: estate agents do."""
    told = [one for trade in trades().values() for one in trade.customers]
    times, sent = Counter(one.segment for one in told), Counter(one.segment for one in told if one.sends)
    return frozenset(code for code in sent if sent[code] > MOSTLY_SEND * times[code])


def swaps(brief: Brief) -> bool:
    """Return whether the business can recommend the chosen customer type in return."""
    buyer = _buyer(brief)
    return bool(buyer and buyer.swaps)


def _buyer(brief: Brief) -> Buyer | None:
    """Return what the trade says of the chosen customer type, or else of others at such companies, if anything."""
    segment, role = meant(brief.customer)
    known = trade_of(brief.profile)
    if segment is None or role is None or known is None or segment in _pitched(brief.profile):
        return None
    there = [one for one in known.customers if one.segment == segment.code]
    several = [one for one in there if one.role == role.code] or there
    return min(several, key=lambda one: one.sends != near(brief.profile), default=None)


def _pitched(profile: Profile) -> tuple[Segment, ...]:
    """Return the kinds of companies for whom the pitch, or else the proof, says that the business works."""
    language = languages.base(profile.language)
    said = (served(profile), after_to(profile.pitch, language), served(replace(profile, pitch=profile.proof)))
    told = next(filter(None, (segments_in(one, language) for one in said)), ())
    if not of(profile.language).has(profile.pitch, "industrial"):
        return told
    return tuple(one for one in told if not (one.broad and one.code in not_industrial()))  # “shops” are workshops there


def served(profile: Profile) -> str:
    words = of(profile.language)
    return after_for(profile.pitch, lambda word: words.is_one(word, "place"))


def trade_of(profile: Profile) -> Trade | None:
    """Return the trade of its topic, pitch or website, unless its pitch names such businesses as its customers.

    That of its website counts where its name, or what it says of itself, speaks of it, too.
    """
    told = map(trade_in, (profile.topic, *re.split(AND, profile.topic), profile.pitch))
    topic, *others = told
    read = trades().get(profile.category)
    own = f"{before_for(profile.pitch)} . {profile.topic} . {profile.name}"
    read = read if read and (not profile.pitch or is_told(read.code, own)) else None
    known = topic or read or next(filter(None, others), None)
    return None if known and _own(known.code) & {one.code for one in _pitched(profile)} else known


@cache
def _own(code: str) -> frozenset[str]:
    """Return the kinds of companies that businesses of a trade are themselves."""
    names = trades()[code].names
    return frozenset(segment.code for name in names for segment in segments_in(name, share=1.0)) - {ANY}


def kind_of(profile: Profile) -> str:
    """Return service, software or goods: as the founder chose it, or else as the pitch begins."""
    begins = " ".join(profile.pitch.split()[:4])
    sold = profile.kind == "service" and "kind" not in profile.typed and of(profile.language).has(begins, "sold")
    return "goods" if sold else profile.kind or "service"


def types(profile: Profile) -> Sequence[CustomerType]:
    """Return up to five distinct types, the likeliest first; none when nothing says who buys."""
    found, known = _Five(), trade_of(profile)
    for segment, role, said in _wanted(profile, known):
        there = _as_named(profile.pitch, segment, "en") if languages.base(profile.language) == "en" else ""
        title = title_of(replace(segment, plural=there, called={}), role) if there else ""
        found.add(segment, [role], f"You wrote: {closed(quoted(said, LONGEST_QUOTE))}", guess=False, title=title)
    named = [] if near(profile) else list(_named(profile, known))[: MOST_NAMED if known else FIVE]
    wanted = found.segments - {ANY}
    told = [fact.text for fact in profile.facts if fact.kind == audience.KIND]
    described = " ".join([profile.pitch, *told]).casefold()
    for segment, why, title, code in _examples(profile, known):
        if segment.code in wanted and title and title.casefold() in described:
            continue  # the sentence that names them has said who decides there
        unknown = code.startswith(NAMED)
        several = _who_decides(segment, None if unknown else known, profile, title)
        several = ["owner", *several] if unknown and _is_small(title, languages.base(profile.language)) else several
        found.add(segment, several, why, guess=False, title=title, code=code)
    if profile.examples and len(found.types) >= ENOUGH:
        return list(found.types.values())
    if _is_industrial(profile, known) and not _pitched(profile):  # what the site names in passing comes after these
        for buyer in _usual(profile, known)[: len(industrial())]:
            found.add(segments()[buyer.segment], [buyer.role], buyer.reason, guess=True)
    for segment, why, title in named:
        if segment.code not in found.segments:
            found.add(segment, _who_decides(segment, known, profile), why, guess=False, title=title)
    usual = sorted(_usual(profile, known), key=lambda one: not _spoken_of(segments()[one.segment], profile))
    read = not profile.confirmed and any(one.page != DESCRIPTION for one in profile.candidates)
    if read and not found.types and usual and usual[0].role == "owner" and not usual[0].sends:
        return []  # of owners nearly any kind fits nearly any trade, so the founder is asked
    for buyer in usual:
        found.add(segments()[buyer.segment], [buyer.role], buyer.reason, guess=True)
    return list(found.types.values())


def _wanted(profile: Profile, known: Trade | None) -> Iterator[tuple[Segment, str, str]]:
    """Yield whom the founder says they sell to: each job at the kind of company named after it, or where it fits."""
    language = languages.base(profile.language)
    for fact in (one for one in profile.facts if one.kind == audience.KIND):
        there = tokens(fact.text)
        jobs = _jobs_in(there, language)
        inside = {at for job in jobs for at in range(job.begin, job.end)}
        kinds = [one for one in kinds_in(there, language) if not inside & {*range(one.begin, one.end)}]
        for job in jobs:
            after = [one.code for one in kinds if one.begin >= job.end]
            usual = [one.segment for one in (known.customers if known else ()) if one.role == job.code]
            pitched = [one.code for one in _pitched(profile)]
            broad = not after or segments()[after[0]].broad  # “shops” are the online shops of the pitch
            yield segments()[[*(pitched if broad else ()), *after, *usual, ANY][0]], job.code, fact.quote
        for kind in kinds:
            if not jobs or kind.end <= jobs[0].begin:
                yield segments()[kind.code], _who_decides(segments()[kind.code], known, profile)[0], fact.quote


def _jobs_in(there: Sequence[str], language: str) -> list[Found]:
    """Return the jobs that a text names, each once; one that several roles have is of the role called so."""
    found = dict[tuple[int, int], Found]()
    for job in longest(_jobs(language).found(there)):
        called = {
            " ".join(root(one) for one in tokens(name)) for name in (roles()[job.code].who, roles()[job.code].titles[0])
        }
        if job.entry not in _ANYONE and ((job.begin, job.end) not in found or job.entry in called):
            found[job.begin, job.end] = job
    return list(found.values())


def _is_industrial(profile: Profile, known: Trade | None) -> bool:
    """Return whether its work is for industry; a pitch says so only in a trade that industry buys from."""
    bought = {one.segment for one in known.customers} & {one.segment for one in industrial()} if known else None
    return of(profile.language).has(f"{profile.pitch if bought else ''} {profile.topic}", "industrial")


def _usual(profile: Profile, known: Trade | None) -> Sequence[Buyer]:
    """Return those who buy in a trade; where only this business sells to people nearby, those who send them."""
    if _is_industrial(profile, known):
        own = {one.segment: one for one in (known.customers if known else ()) if one.segment not in not_industrial()}
        first = [own.pop(one.segment, one) for one in industrial() if len(own) < ENOUGH or one.segment in own]
        return [*first, *own.values()][:FIVE]
    if known is None or (known.made_for and served(profile) and not _pitched(profile)):
        return ()  # machines for tanneries are bought by tanneries, of which no table knows
    if near(profile) and not known.near:
        return [one for one in known.customers if one.sends]
    return known.customers[:FIVE]


def _examples(profile: Profile, known: Trade | None) -> Iterator[tuple[Segment, str, str, str]]:
    """Yield the trades of good customers by their names, kinds of customers as they were typed, or companies alike."""
    untold, anyone, seen = [], segments()[ANY], set[str]()
    language, words = languages.base(profile.language), of(profile.language)
    names = [one for told in profile.examples for one in _each(told, profile.language)]
    kinds = {name for name in names if segments_in(name, language, share=1.0)}
    listed_small = any(name[:1].islower() for name in names[1:])  # then the first has a capital as a sentence has
    nouns = _SEVERAL_BESIDE if kinds else _SEVERAL
    for at, name in enumerate(names):
        head = name if words.adjectives_first else " ".join(name.split()[:2])  # “centros de mayores” are centres
        if words.has(head, "private") and not (segments_in(name) or words.is_one(name, "bodies")):
            continue  # people at home are not written to
        told = segments_in(name, language) or segments_in(name) or _in_compound(name, language)
        typed = name[:1].islower() or (at == 0 and listed_small) or name in kinds
        typed = typed or bool(_SMALL.match(name) and words.has(name, "several"))
        typed = typed or bool(words.large_nouns and (nouns.fullmatch(name) or _OF_SORT.match(name)))
        if name and told:
            code = f"{told[0].code}{at}" if typed and told[0].code in seen else ""
            yield told[0], f"You named {name}.", capital(name) if typed else "", code
            seen.add(told[0].code)
        elif typed:
            yield anyone, f"You named {name}.", capital(name), f"{NAMED}{at}"
        elif name:
            untold.append(name)
    if untold:
        alike = f"companies like {listed(untold[:2])}"
        for role in _who_decides(anyone, known, profile)[:2]:
            title = capital(f"{roles()[role].who} {roles()[role].at} {alike}")
            yield anyone, f"You named {listed(untold[:2])}.", title, ""


def _is_small(name: str, language: str) -> bool:
    """Return whether a kind of customers that no table knows is run by its owners; an authority or a plant has none."""
    shops = (segments()[one.code] for one in kinds_in(tokens(name), language))
    return any(one.broad and one.decides[0] == "owner" for one in shops) or bool({*tokens(name)} & {*clues("owners")})


def _in_compound(name: str, language: str) -> tuple[Segment, ...]:
    """Return the kind of company that the end of a German or Dutch word names, such as “Frauenarztpraxen”.

    Of a broad kind another noun makes a different one: “Hundeschulen” are no schools.
    """
    ends = range(SHORTEST_BEGIN, len(name) - SHORTEST_END) if of(language)["compounds"] and " " not in name else ()
    several = (segments_in(name[at:].capitalize(), language) for at in ends)
    return next((told for told in several if told and not told[0].broad), ())


def _each(example: str, language: str) -> list[str]:
    """Return the kinds of customers of an answer, “Shops and cafés that sell tea.” as “shops” and “cafés”, or it whole.

    A company's name has capitals further on, and stays as it is.
    """
    words, joint = of(language), ""
    letter = r"[^\W\d_]" if words.large_nouns else r"[^\W\d_A-ZÀ-Þ]"
    joined = rf"{AND}(?:{words.either('article')}\s)?(?={letter}{{4}})"  # “a sfera e a farfalla” is one
    whole = _ASIDE.sub("", harmless(re.sub(rf"^(?:{AND})", "", f" {example}"), LONGEST_ANSWER)).strip(" .")
    found = list[str]()
    for said, between in zip_longest(*[iter(re.split(rf"(,{joined}|,\s|{joined})", whole))] * 2, fillvalue=""):
        beside = re.search(r"\w", joint) if found and not words.adjectives_first and " " in found[-1] else None
        if beside and " " not in said.strip() and not segments_in(said, language):
            found[-1] += f"{joint}{said}".rstrip()  # “équipementiers automobiles et ferroviaires” are one kind
        elif said.strip():
            found.append(said.strip())
        joint = between
    small = [bool(_SMALL.match(one)) for one in (*found[0].split()[1:], *found[1:])] if found else []
    plain = words.large_nouns or (small or [whole[:1].islower()])[0]
    if not plain or not all(words.large_nouns or _SMALL.match(one) for one in found[1:]):
        return [harmless(whole)]
    several = [words.has(one, "several") for one in found]
    if not (any(several) if len(found) > 2 else all(several)):  # of three, some may be such as “bar”, which stays so
        return [harmless(whole)]
    begins = found[0].split()[0]
    first = found[0] if words.large_nouns or not begins[1:].islower() else f"{begins.lower()}{found[0][len(begins) :]}"
    return [harmless(re.sub(rf"^{words.either('article')}\s+", "", one)) for one in (first, *found[1:])]


def as_typed(brief: Brief) -> str:
    """Return the kind of customers that the customer type is, or works at, as the founder typed it, else ''."""
    title, language = brief.customer.title if brief.customer else "", brief.profile.language
    typed = {capital(one) for told in brief.profile.examples for one in _each(told, language)}
    return next((one for one in typed if title == one or title.endswith(f" {one.lower()}")), "")


def firms(brief: Brief) -> str:
    """Return the companies of the customer type for the middle of an English sentence, as the founder typed them."""
    segment, typed = segment_of(brief.customer), as_typed(brief)
    usual = segment.firms if segment else "companies"
    return small(typed) if typed and languages.base(brief.profile.language) == "en" else usual


def _named(profile: Profile, known: Trade | None) -> Iterator[tuple[Segment, str, str]]:
    """Yield the kinds of companies that the pitch or the website says it works for, each once, with the words."""
    usual = known.customers if known else ()
    own = (_own(known.code) if known else frozenset[str]()) - {one.segment for one in usual}
    pitched, language = Fact("", "owner", profile.pitch), languages.base(profile.language)
    places = [(segments_in(_about(profile), language), pitched), (_pitched(profile), pitched)]
    for kind, share in (("for", MOSTLY), ("customer", 0.0)):
        places += [(segments_in(one.text, language, share), one) for one in profile.facts if one.kind == kind]
    reasons = {one.segment: one.reason for one in reversed(usual)}
    seen: set[str] = set()
    for told, fact in places:
        for segment in told:
            # That it works for companies says who decides there only where its trade does.
            told_of = segment.code != ANY or (ANY in reasons and fact is pitched)
            if told_of and segment.code not in own | seen:
                seen.add(segment.code)
                yield segment, reasons.get(segment.code) or _said(fact, segment, language), ""


def _about(profile: Profile) -> str:
    """Return the topic of goods without the thing itself: who is asked about foundry tooling works at a foundry."""
    several = profile.topic.split() if kind_of(profile) == "goods" else []
    return " ".join(several[:-1] if of(profile.language).adjectives_first else several[1:])


def _spoken_of(segment: Segment, profile: Profile) -> bool:
    """Return whether the topic beside its head names such companies: “wedding flowers” are for weddings first."""
    words = of(profile.language)
    beside = profile.topic.split()[:-1] if words.adjectives_first else profile.topic.split()[1:]
    names = (segment.plural, *companies_in(languages.base(profile.language)).get(segment.code, ()))
    return words.has_any(" ".join(beside), words.told(" ".join(names)))


def _as_named(pitch: str, segment: Segment, language: str) -> str:
    """Return the words by which a pitch says that it is for a kind of company; '' when it says that otherwise."""
    there, spans, begin = tokens(pitch), list(WORD.finditer(pitch)), len(before_for(pitch).split())
    found = (one for one in kinds_in(there, language) if one.code == segment.code and one.begin > begin)
    return listed([pitch[spans[one.begin].start() : spans[one.end - 1].end()] for one in found])


def _said(fact: Fact, segment: Segment, language: str) -> str:
    if fact.page == "owner":
        said = _as_named(fact.quote, segment, language)
        return f"You name {said}." if said else f"You wrote: {quoted(fact.quote)}"
    who = "You wrote" if fact.page == DESCRIPTION else f"Your website names {segment.plural}"
    return f"{who}: {closed(quoted(fact.quote, LONGEST_QUOTE))}"


def _who_decides(segment: Segment, known: Trade | None, profile: Profile, title: str = "") -> list[str]:
    """Return the roles that decide at a kind of company.

    First come those that its name or the pitch names, then those to whom the trade sells, then those whose work the
    topic is. Advice is bought by those who do the work, not by purchasing.
    """
    language, buyers = languages.base(profile.language), known.customers if known else ()
    jobs = [one for one in _jobs_in(tokens(title), language) if " " in one.entry or one.code in segment.decides]
    departments = [one.code for one in longest(_teams().found(tokens(profile.pitch)))]
    built_in = kind_of(profile) == "goods" and segment.makes and " " in title  # into what they make
    there = [one.role for one in buyers if one.segment == segment.code and not built_in]
    times = Counter(one.role for one in buyers)  # of companies of any kind, one of them alone tells nothing
    elsewhere = {role for role, several in times.items() if several > (segment.code == ANY)}
    nouns = [one for one in profile.topic.split() if one[0].isupper() or not of(language).large_nouns]
    # A “sichere” thing is not about safety.
    theirs = {role for role in segment.decides if of(language).has_any(" ".join(nouns), _work(language)[role])}
    advises = is_advice(f"{profile.pitch} {profile.topic}")
    usual = sorted(
        segment.decides, key=lambda role: (role not in theirs, advises and role == "procurement", role not in elsewhere)
    )
    return list(dict.fromkeys([*(one.code for one in jobs), *departments, *there, *usual]))


@cache
def _work(language: str) -> Mapping[str, Sequence[str]]:
    """Return by role the words that tell its work, as hardly any other title has one that begins so."""
    titles = {role: " ".join((*one.titles, *titles_in(language).get(role, ()))) for role, one in roles().items()}
    told = {role: of(language).told(several) for role, several in titles.items()}
    times = Counter(beginning for several in told.values() for beginning in {*map(stem, several)})
    return {role: [one for one in several if times[stem(one)] <= MOST_ALIKE] for role, several in told.items()}


@cache
def _teams() -> Lexicon:
    return Lexicon((entry, role) for role, names in teams().items() for entry in names)


def title_of(segment: Segment, role: str) -> str:
    """Return what people call those who decide at a kind of company."""
    job = roles()[role]
    return capital(segment.called.get(role) or f"{job.who} {job.at} {segment.plural}")


def meant(customer: CustomerType | None) -> tuple[Segment | None, Role | None]:
    """Return the kind of company and the role of a customer type, as far as its id or else its title tells them."""
    if customer is None:
        return None, None
    code, _, role = customer.id.partition("-")
    code = code.rstrip(digits)
    if code == NAMED:
        return None, roles().get(role)
    if code in segments():
        segment = segments()[code]
        return segment, roles().get(role) or roles()[segment.decides[0]]
    named = segments_in(customer.title, "en")
    jobs = _jobs("en").found(tokens(customer.title))
    job = roles()[jobs[0].code] if jobs else None
    return (named[0], job or roles()[named[0].decides[0]]) if named else (None, job)


@cache
def _jobs(language: str) -> Lexicon:
    english = {one.code: (one.who, *one.titles) for one in roles().values()}
    several = (english, teams(), titles_in(language))
    return Lexicon((entry, code) for entries in several for code, names in entries.items() for entry in names)


def segment_of(customer: CustomerType | None) -> Segment | None:
    """Return the kind of company of a customer type; None when it tells none."""
    return meant(customer)[0]
