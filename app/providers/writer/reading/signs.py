"""Find plain signs on a website: where a business works, since when, of which kind it is, and what gets better."""

import re
from collections.abc import Sequence

from app.core import clock
from app.core.text import url_parts
from app.ports import Site
from app.ports.writer import Fact
from app.providers.writer.grammar import sentences
from app.providers.writer.reading.sayings import Voice, cleaned, is_loud, pieces, sayable
from app.providers.writer.reading.words import Words, of
from app.providers.writer.tables.loader import countries, country_words
from app.providers.writer.taxonomy import Passage

FEWEST_YEARS, CHANGE, TOP = 3, range(25, 91), 2  # the weight of what stands above the text of a page
_PROPER = (
    r"[A-ZÀ-Þ][\w’'-]*(?:\s(?:am|an der|de|del|di|of|the|la|upon|sur|sous|aan den|do|da)?\s?[A-ZÀ-Þ][\w’'-]+){0,3}"
)


def kind_of(pitch: str, site: Site | None, voice: Voice) -> str:
    """Return software, goods or service."""
    titles = [page.title for page in site.pages[:1]] if site else []
    for said in (pitch, *titles):
        for kind in ("software", "goods"):
            if voice.words.has(said, kind) and not voice.words.has(said, "made_to_order"):
                return kind
    return "service"


def area_of(site: Site | None, description: str, voice: Voice, pitch: str, passages: Sequence[Passage]) -> str:
    """Return where they work, with the country; '' when the site does not say it."""
    words, country = voice.words, countries().get(site.country, "") if site else ""
    home = site.pages[0] if site and site.pages else None
    own = [pitch] if pitch else []
    said = [home.title, home.description, *home.headings[:3], *own] if home else [*own, *sentences(description)[:3]]
    for at, one in enumerate(said):
        if at == 1 and any(words.has(each, "nationwide") for each in said):
            return country  # unless the title names a town
        for match in re.finditer(_named(words), f" {one}"):
            parts = re.split(f"({_both(words)})", match[1])
            while len(parts) > 1 and _no_place(parts[-1], voice):
                parts = parts[:-2]
            found = "".join(parts).replace("&", words["and"])
            sure = at == 0 or one is pitch or all(voice.known(stem) for stem in words.stems(found.partition(",")[0]))
            if at > 1 and is_loud(one):  # “Keep Your Piano in Peak Performance”
                sure = not voice.small & {*found.casefold().split()}
            if sure and not any(_no_place(part, voice) for part in parts[::2]):
                return _with(found, country)
    alone = [one for one in (pieces(home.title) if home else ()) if {*one.casefold().split()} <= voice.places]
    found = (alone or [site.place if site else ""])[0] or based_in(passages, voice)
    return _with(found, country) if found and not any(map(str.isdigit, found)) else ""


def based_in(found: Sequence[Passage], voice: Voice) -> str:
    """Return where a sentence of the business says that it is; '' when none does."""
    for passage in found:
        match = re.search(rf"(?i:{voice.words.either('based')})\s({_PROPER})", passage.words)
        if match and not _no_place(match[1], voice) and _tells_of_us(passage, voice):
            return match[1]
    return ""


def area_in(pitch: str, language: str) -> str:
    """Return where a whole sentence says that the business works; '' in a language that writes all nouns large."""
    words = of(language)
    plain = re.sub(rf"{words.either('compass')}\s(?={_PROPER})", "", pitch)  # nobody lives in “southern Sweden”
    found = [] if words.large_nouns else re.findall(rf"{_named(words)}(?=[.,;]|\s{words['and']}\s)", f" {plain}")
    return next((one for one in found if not one.isupper() and not words.has(one, "no_place")), "")


def _both(words: Words) -> str:
    return rf"(?:,|\s{words['and']}|\s&)\s"


def _named(words: Words) -> str:
    """Return the pattern of up to four proper names after the words that stand before a town."""
    return rf"(?<=\s)(?i:{words.either('town')})\s(?:the\s)?({_PROPER}(?:{_both(words)}{_PROPER}){{0,3}})"


def _with(place: str, country: str) -> str:
    return f"{place}, {country}" if country and country not in place else place


def _no_place(found: str, voice: Voice) -> bool:
    """Return whether words in capitals are a noun, a country, a name of the business, or only “and surroundings”."""
    words, lower = voice.words, found.casefold()
    first = re.split(r"[\s,]", found)[0]
    whole = voice.names[0] if voice.names else ""
    begins = " " in lower and whole.startswith(f"{lower} ")  # Las Vegas Piano Tuning is in Las Vegas
    named = any(lower.startswith(one) or f"{one} ".startswith(f"{lower} ") for one in voice.names) and not begins
    noun = words.has(first, "deeds", "generic", "no_place", "praise", "orders") or first.casefold() in voice.small
    country = words.is_one(found, "countries") or found in {*countries().values(), *country_words()}
    unit = re.match(r"[A-ZÀ-Þ]{2,}[a-zß-ÿ]", first)  # MPa
    return bool(named or noun or country or unit) or any(map(str.isdigit, found))


def proof_in(found: Sequence[Passage], voice: Voice) -> Fact | None:
    """Return since when, or for how many years, they have done it, as a whole sentence."""
    words = voice.words
    for passage in found:
        said = passage.words
        if re.search(r"©|copyright", said, re.IGNORECASE) or not _tells_of_us(passage, voice):
            continue
        year = re.search(rf"(?i:{words.either('since')})\s((?:18|19|20)\d\d)(?!\d)", said)
        more = words.either("more_than")
        years = re.search(rf"(?:(?i:({more})) )?(?<![\d.,])(\d{{1,2}})(\+?)\s(?i:{words.either('years')})", said)
        if year and int(year[1]) <= clock.now().year - FEWEST_YEARS:  # a younger one is the page's own, or no proof
            return Fact(voice.lead("since_year").format(year[1]), passage.page, said, "proof")
        if years and int(years[2]) >= FEWEST_YEARS:
            several = f"{(years[1] or '').lower()} {years[2]}{years[3]}".strip()
            return Fact(voice.lead("for_years").format(several), passage.page, said, "proof")
    return None


def _tells_of_us(passage: Passage, voice: Voice) -> bool:
    """Return whether a sentence with a year or a number of years is about the business, not one of its people."""
    words, said = voice.words, passage.words
    if words.has(said, "joined") or (words.has(said, "i") and not voice.alone):
        return False
    begin = said if passage.weight >= TOP else " ".join(said.split()[:5])
    if words.has(begin, "us") or any(one in begin.casefold() for one in voice.names):
        return True
    other = re.match(rf"(?i:{words.either('since')})\s\d{{4}},?\s(?:\w{{1,3}}\s)?{_PROPER}", said)
    home = not url_parts(passage.page).path.strip("/")  # elsewhere “since 2014” begins what one of its people did
    since = home and re.match(words.either("since"), said, re.IGNORECASE) and not (other and not words.large_nouns)
    return bool(since or voice.alone or passage.weight > TOP)


def change_in(site: Site | None, voice: Voice) -> Fact | None:
    """Return a sentence of the home page that says what is better for its reader afterwards."""
    for page in site.pages[:1] if site else ():
        for one in sentences(page.text)[:60]:
            said = cleaned(one, voice).rstrip(".")
            you = voice.words.pattern("formal").match(said)
            better = voice.words.has(said, "better") and not voice.words.has(said, "wish")
            if you and better and len(said) in CHANGE and sayable(said, voice, you[0]):
                return Fact(f"{said}.", page.url, one, "change")
    return None
