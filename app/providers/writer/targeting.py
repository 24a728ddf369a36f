"""Suggest the target audience of a customer type: titles, company types, sizes and locations."""

import re
import unicodedata
from collections.abc import Sequence

from app.core import languages
from app.ports.writer import Brief, Chip, Targeting
from app.providers.writer.customers import role, segment_of
from app.providers.writer.grammar import capital, listed
from app.providers.writer.tables.native_companies import NATIVE_COMPANIES
from app.providers.writer.tables.native_titles import NATIVE, SPOKEN
from app.providers.writer.tables.places import COUNTRIES, NEAR
from app.providers.writer.tables.roles import ROLES
from app.providers.writer.tables.shapes import Category, Role, Segment, words
from app.providers.writer.taxonomy import category

SIZES = ("1-10", "11-50", "51-200", "201-500", "501-1000", "1001-5000", "5001-10000", "10001+")
_SPELT = {"saas": "SaaS", "it services": "IT services", "it provider": "IT provider", "msp": "MSP", "ngo": "NGO",
          "d2c": "D2C", "sme": "SME", "smes": "SMEs", "e-commerce": "E-commerce"}  # fmt: skip
NO_PLACE = "everywhere"
MOST_NATIVE = 4  # titles in the languages of the market
_CODES = {name.casefold(): code for code, name in COUNTRIES.items()}


def country_name(country: str) -> str:
    """Return a country as people write it; an unknown code stays as it is."""
    return COUNTRIES.get(country.upper(), country)


def rows(brief: Brief) -> Targeting:
    """Return the chips of each row, the obvious ones on, and a sentence that says the same."""
    trade, segment = category(brief.profile.category), segment_of(brief.customer)
    titles = _titles(trade, segment, spoken(brief))
    kinds = _kinds(trade, segment, brief)
    sizes = words(segment.sizes) if segment else ["11-50", "51-200"]
    code = (brief.country or brief.profile.country).upper()
    places = [Chip(country_name(brief.country or brief.profile.country))] if code else []
    places += [Chip(place, on=False) for place in words(NEAR.get(code, ""))]
    on = [chip.label for chip in titles if chip.on]
    target = Targeting(
        "",
        {
            "titles": titles,
            "companyType": kinds,
            "size": [Chip(size, on=size in sizes) for size in SIZES if size in sizes or _next_to(size, sizes)],
            "location": places,
        },
        _even_better(brief, segment),
    )
    return Targeting(summary(on, segment, kinds, sizes, places), target.rows, target.even_better)


def spoken(brief: Brief) -> list[str]:
    """Return the languages of the market whose words are known: of its country, else of the business."""
    named = (brief.country or brief.profile.country).strip()
    code = named.upper() if named.upper() in SPOKEN else _CODES.get(named.casefold(), named.upper())
    languages_there = SPOKEN.get(code, "").split() or ([] if named else [languages.base(brief.profile.language)])
    return [one for one in languages_there if one in NATIVE]


def _titles(trade: Category, segment: Segment | None, spoken_there: Sequence[str]) -> list[Chip]:
    """Return the titles as people there write them: their own language's first, and English ones beside them."""
    main = role(trade, segment)
    code = "owner" if segment and segment.small else main.code
    own = [words(NATIVE[one][code]) for one in spoken_there]
    most = MOST_NATIVE // max(1, len(own))
    native = [title for several in own for title in several[:most]]
    chips = [Chip(title) for title in native] + _english_titles(trade, segment, main)
    return list({chip.label: chip for chip in reversed(chips)}.values())[::-1]


def _english_titles(trade: Category, segment: Segment | None, main: Role) -> list[Chip]:
    if segment and segment.small:
        own = words(segment.owners) or ["Owner", "Managing Director", "General Manager"]
        more = [title for title in words(main.titles)[:2] if title not in own]
        return [Chip(title) for title in own] + [Chip(title, on=False) for title in more]
    second = next((ROLES[code] for code in words(trade.roles) if ROLES[code] is not main), main)
    spare = [title for title in words(main.more) + words(second.titles)[:2] if title not in words(main.titles)]
    return [Chip(title) for title in words(main.titles)] + [Chip(title, on=False) for title in dict.fromkeys(spare)]


def _kinds(trade: Category, segment: Segment | None, brief: Brief) -> list[Chip]:
    if segment is None:
        title = brief.customer.title if brief.customer else ""
        inner = re.split(r"\s+(?:at|of|in)\s+", title)[-1].strip()
        return [Chip(inner[:1].upper() + inner[1:])] if inner else []
    native = [words(NATIVE_COMPANIES[one].get(segment.code, "")) for one in spoken(brief)]
    # People write their own language in their profiles, while directories file companies under English words.
    on = list(dict.fromkeys([*(several[0] for several in native if several), segment.label]))
    terms = [term for several in native for term in several[1:]]
    terms += [_SPELT.get(term, capital(term)) for term in words(segment.words)]
    spare: list[str] = []
    for term in terms:
        if not any(_root(term) in _root(other) for other in (*on, *spare)):
            spare.append(term)
    return [*(Chip(label) for label in on), *(Chip(term, on=False) for term in spare[:2])]


def _root(term: str) -> str:
    """Return a term without accents, hyphens and the plural."""
    bare = unicodedata.normalize("NFKD", term.lower())
    return re.sub(r"(ie|y)(?=s|$)", "i", re.sub(r"[^a-z ]", "", bare)).replace(" ", "").rstrip("s")


def _next_to(size: str, chosen: Sequence[str]) -> bool:
    at = SIZES.index(size)
    return any(0 <= near < len(SIZES) and SIZES[near] in chosen for near in (at - 1, at + 1))


def summary(
    titles: Sequence[str], segment: Segment | None, kinds: Sequence[Chip], sizes: Sequence[str], places: Sequence[Chip]
) -> str:
    """Return the rows as one sentence."""
    who = listed(titles[:3], "or") if titles else "People who decide"
    kind = segment.plural if segment else (kinds[0].label.lower() if kinds else "companies")
    low, high = sizes[0].split("-")[0], sizes[-1].rstrip("+").split("-")[-1]
    where = f" in {_the(places[0].label)}" if places else ""
    return f"{who} at {kind} {'and' if ' with ' in kind else 'with'} {low} to {high} people{where}."


def _the(place: str) -> str:
    return f"the {place}" if place.startswith(("United", "Netherlands")) else place


def _even_better(brief: Brief, segment: Segment | None) -> list[str]:
    kind = segment.plural if segment else "companies"
    better = [
        "People who started in their role in the last 90 days",
        f"{kind[:1].upper()}{kind[1:]} that are hiring now",
    ]
    if not (brief.country or brief.profile.country):
        better.append("One country to begin with")
    return [*better, "People who posted in the last month"]
