"""Find where a business is: the country and the town of the addresses on its website."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from app.core import countries, languages
from app.providers.website.parsing import WORDS, Page, clean, host


def _bare(told: str) -> str:
    """Return a text of the same length without accents."""
    return "".join(unicodedata.normalize("NFKD", letter)[0] for letter in told)


LEAST_TOWN, MOST_TOWNS, SURE = 3, 2, 2  # letters; towns that are told equally often; how often a bare one is told
BESIDE, BEFORE, MOST_FOUND = 200, 120, 50  # letters between addresses and before one; those that are looked at
SMALL_NOUNS = ("fr", "es", "it", "nl", "pt")  # languages in which a large word after a code is a town
UNMISTAKABLE = ("GB", "IE", "US", "CA")  # countries that alone have such postal codes
_OTHERS = re.compile("|".join(WORDS["others"]), re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w+])\+(\d{2,3}(?:[\s().-]{0,2}\d){7,11})(?!\d)")
_COUNTRIES = {"uk": "GB"} | {name: name.upper() for name in WORDS["top_level"].split()}
_SPOKEN_IN = {"de": "DE", "it": "IT", "nl": "NL", "br": "BR"}  # where nearly all businesses with such a website are
# The number of a company, a postal code or a telephone number as only Brazil writes it.
_BRAZILIAN = re.compile(r"(?<!\d)(?:\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\d{5}-\d{3}|\(\d{2}\) ?9?\d{4}-\d{4})(?!\d)")
_WORD = r"[A-Z](?:[a-zß’'][A-Za-zß’']*|[A-Z’']+)(?![A-Za-z])"  # and no unit, such as MPa
_TOWN = rf"{_WORD}\.?(?:[ -](?:(?:{'|'.join(WORDS['in_towns'].split())})[ -]){{0,2}}(?:[dl]['’])?{_WORD}){{0,3}}"
_PART = rf"(?:^|[,·|–-] ?)({_TOWN})"  # one that is a part of a line
_END = r"(?=\s*(?:$|[,;|·•()/–—.-]|(?i:tel|fon|phone|fax|mobil|e-?mail|mail)))"
_CODE = r"(?!(?:19|20)\d\d[ ,])(?:\d{4}-\d{3}|\d{4,5})(?:,| [-–])? "
_HOUSE = r"[a-z.ß],? ?\d{1,4}(?:[/–-]\d{1,4})? ?[a-z]?[,.]? ?(?:[|·–-] ?|\s)"  # a street with the number of a house
# The towns of whole addresses, by the country that has such, '' for several.
_POSTAL = [
    ("GB", re.compile(rf"{_PART},?\s[A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}}(?!\w)", re.MULTILINE)),
    ("IE", re.compile(rf"{_PART},?\s[A-Z]\d[\dW] ?[A-Z\d]{{4}}(?!\w)", re.MULTILINE)),
    ("US", re.compile(rf"{_PART},? [A-Z]{{2}},? \d{{5}}(?!\d)", re.MULTILINE)),
    ("CA", re.compile(rf"{_PART},? [A-Z]{{2}},? [A-Z]\d[A-Z] ?\d[A-Z]\d(?!\w)", re.MULTILINE)),
    ("AU", re.compile(rf"{_PART},? [A-Z]{{2,3}},? \d{{4}}(?!\d)", re.MULTILINE)),
    ("BR", re.compile(rf"{_PART} ?[-/–,] ?(?:{'|'.join(WORDS['states'].split())})(?![\w-])", re.MULTILINE)),
    ("IT", re.compile(rf"(?:^|[,·|–-] ?| a | in | di )({_TOWN}) \([A-Z]{{2}}\)", re.MULTILINE)),
    ("NL", re.compile(rf"(?<!\w)(?<!© )[1-9]\d{{3}} ?[A-Z]{{2}},?\s({_TOWN}){_END}", re.MULTILINE)),
    ("", re.compile(rf"(?:{_HOUSE}|(?<!\w)[A-Z]{{1,2}}-){_CODE}({_TOWN}){_END}", re.MULTILINE)),
]
_LONG_CODE = r"(?:\d{4}-\d{3}|\d{5})(?:,| [-–])? "
_AFTER_CODE = re.compile(rf"(?<![\w.,+/-])(?<!ISO )(?<!EN ){_LONG_CODE}({_TOWN}){_END}", re.MULTILINE)
# Without a postal code, as the last part of a line, or before the name of a country.
_BARE = [
    re.compile(rf"\d ?[a-z]?, ({_TOWN})(?= ?[|·•]|$)", re.MULTILINE),
    re.compile(rf"{_PART}, (?:{_TOWN}\s)?\d{{5}}(?= ?[|·•]|$)", re.MULTILINE),
    re.compile(
        rf"{_PART}(?:, ({_TOWN}))?, (?:[A-Z]{{2}}$|(?i:{_bare('|'.join(countries.CODES))}|uae|uk)(?!\w))", re.MULTILINE
    ),
]


def located(pages: Sequence[Page], language: str) -> tuple[str, str]:
    """Return the country of a business, by its ISO code, and its town, from its home page and others with addresses."""
    language, home = languages.base(language), pages[0]
    claimed, _, region = home.language.upper().partition("-")  # “en-US” over a German text is left from a template
    region = region if claimed.lower() == language else ""
    brazilian = language == "pt" and any(_BRAZILIAN.search(page.ending) for page in pages)
    spoken = (region if region in _COUNTRIES.values() else "") or _SPOKEN_IN.get("br" if brazilian else language, "")
    country = country_of(home) or ("" if language == "en" else spoken)
    found, town = _town(pages, language, country)
    return country or found or spoken, town


def _town(pages: Sequence[Page], language: str, country: str) -> tuple[str, str]:
    """Return the town of structured data, else of the address told most often, and the country that has such addresses.

    Of a list of branches, or of customers, none is where the business is, and two seats side by side are not sure.
    """
    for address in (one for page in pages for thing in page.things for one in _addresses(thing)):
        if town := _locality(address):
            return "", town
    told = "\n".join(line for page in pages for line in (page.title, page.description, page.ending))
    plain = _bare(told)
    found = list(_towns(plain, language, country))
    least = 1 if found else SURE
    bare = (match.groups() for pattern in _BARE for match in pattern.finditer(plain))
    found = found or [("", town) for several in bare for town in several if town]
    towns = [(code, _without_state(town)) for code, town in found[:MOST_FOUND]]
    codes = {town.lower(): code for code, town in reversed(towns) if _is_town(town)}
    written = {town: starts for town in codes if (starts := _starts(town, plain))}
    first, *others = sorted(written, key=lambda town: (-len(written[town]), written[town])) or [""]
    often = len(written.get(first, ()))
    tied = [town for town in others if len(written[town]) == often and first not in town]
    beside = any(written[town][0] - written[first][0] < BESIDE for town in tied)
    if often < least or len(tied) + 1 > MOST_TOWNS or beside:
        return "", ""
    spelled = [told[at : at + len(first)] for at in written[first]]
    shown = next((one for one in spelled if not one.isupper() and one[0].isupper()), spelled[0].title())
    return codes[first], shown


def _towns(told: str, language: str, country: str) -> Iterator[tuple[str, str]]:
    """Yield the towns of postal addresses, but for those of who hosts the website or supervises the business."""
    fitting = [
        (code, pattern) for code, pattern in _POSTAL if not code or code in ([country] if country else UNMISTAKABLE)
    ]
    for code, pattern in [*fitting, *([("", _AFTER_CODE)] if language in SMALL_NOUNS else [])]:
        for match in pattern.finditer(told):
            if not _OTHERS.search(told, max(0, match.start() - BEFORE), match.start()):
                yield code, match[1]


def _addresses(thing: dict[str, Any]) -> list[dict[str, Any]]:
    told = thing.get("address")
    return [one for one in (told if isinstance(told, list) else [told]) if isinstance(one, dict)]


def _locality(address: dict[str, Any]) -> str:
    """Return the town of an address in structured data, else its region: the town may hold a street instead."""
    named = (clean(str(address.get(name) or ""), 60) for name in ("addressLocality", "addressRegion"))
    return next((one for one in named if one and not any(map(str.isdigit, one))), "")


def _without_state(town: str) -> str:
    """Return a town without the state after it and the letters of a Dutch code before it."""
    return re.sub(r"^[A-Z]{2} | [A-Z]{2,3}$", "", town)


def _is_town(name: str) -> bool:
    return len(name) >= LEAST_TOWN + name.isupper() and not countries.is_known(name)


def _starts(town: str, told: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<!\w){re.escape(town)}(?!\w)", told, re.IGNORECASE)]


def country_of(home: Page) -> str:
    """Return the country's ISO code from the page's metadata, domain, footer or telephone; '' where none tells it."""
    named = [one.get("addressCountry") for thing in home.things for one in _addresses(thing)]
    plain = [one.get("name") if isinstance(one, dict) else one for one in named]
    country = next(filter(None, (_code(clean(str(one or ""), 40)) for one in plain)), "")
    country = country or _COUNTRIES.get(host(home.url).rsplit(".", 1)[-1], "")
    if not country:  # after the domain, since streets are named after countries, too
        found = [code for word, code in countries.CODES.items() if re.search(rf"\b{word}\b", home.footer.lower())]
        country = found[0] if len(set(found)) == 1 else ""
    if not country:
        calls = list(filter(None, map(_called, _PHONE.findall(f"{home.text} {home.footer}"))))
        country = calls[0] if len(set(calls)) == 1 else ""
    return country


def _called(number: str) -> str:
    """Return the country of an international number without its plus; '' for a calling code that is not known."""
    return countries.CALLS.get(number[:3]) or countries.CALLS.get(number[:2], "")


def _code(named: str) -> str:
    if named.upper() == "UK":
        return "GB"
    return named.upper() if len(named) == 2 and named.isalpha() else countries.CODES.get(named.lower(), "")
