"""Suggest the target audience of a customer type: titles, company types, sizes and locations."""

import re
from collections.abc import Iterable, Sequence

from app.core import languages
from app.ports.writer import Brief, Chip, Targeting
from app.providers.writer.customers import as_typed, firms, meant
from app.providers.writer.grammar import capital, listed
from app.providers.writer.reading import audience, signs
from app.providers.writer.tables.loader import (
    Role,
    Segment,
    companies_in,
    countries,
    countries_near,
    languages_of,
    roles,
    root,
    titles_in,
    tokens,
)
from app.providers.writer.taxonomy import segments_in

SIZES = ("1-10", "11-50", "51-200", "201-500", "501-1000", "1001-5000", "5001-10000", "10001+")
USUAL_SIZES = ("11-50", "51-200")
MOST_NATIVE = 4  # titles in the languages of the market
MOST_SPARE = 2


def country_name(country: str) -> str:
    """Return a country as people write it; an unknown code stays as it is."""
    return countries().get(country.upper(), country)


def place_of(brief: Brief) -> str:
    """Return where the business looks for customers: where it works, else its country, or another that was chosen."""
    home, chosen = country_name(brief.profile.country), country_name(brief.country)
    abroad = home and chosen and home != chosen
    told = brief.profile.area.strip() or signs.area_in(brief.profile.pitch, brief.profile.language)
    return chosen if abroad else told or chosen or home


def rows(brief: Brief) -> Targeting:
    """Return the chips of each row, the obvious ones on, and a sentence that says the same."""
    segment, role = meant(brief.customer)
    titles, kinds = _titles(role or roles()["md"], spoken(brief)), _kinds(segment, brief)
    sizes = _told_sizes(brief) or (segment.sizes if segment else USUAL_SIZES)
    at = [SIZES.index(size) for size in sizes]
    near = SIZES[max(0, min(at) - 1) : max(at) + 2]
    places = _places(brief)
    return Targeting(
        _summary(brief, segment, titles, kinds, sizes),
        {
            "titles": titles,
            "companyType": kinds,
            "size": [Chip(size, on=size in sizes) for size in near],
            "location": places,
        },
        [
            "People who started in their role in the last 90 days",
            f"{capital(firms(brief))} that are hiring now",
            *([] if places else ["One country to begin with"]),
            "People who posted in the last month",
        ],
    )


def _told_sizes(brief: Brief) -> Sequence[str]:
    """Return the sizes that hold what the founder said, or none."""
    told = audience.sizes(brief.profile)
    if not told:
        return ()
    bounds = {size: [int(one) for one in size.rstrip("+").split("-")] for size in SIZES}
    return [size for size, ends in bounds.items() if ends[0] < told[1] and (size == SIZES[-1] or ends[-1] > told[0])]


def spoken(brief: Brief) -> list[str]:
    """Return the languages of the market whose words are known: the business's own where it is spoken there."""
    named = (brief.country or brief.profile.country).strip()
    code = next((code for code, name in countries().items() if name.casefold() == named.casefold()), named.upper())
    own, there = languages.base(brief.profile.language), languages_of(code)
    return [one for one in ((own,) if own in there or not named else there) if titles_in(one)]


def _titles(role: Role, spoken_there: Sequence[str]) -> list[Chip]:
    """Return the titles as people there write them: their own language's first, and English ones beside them."""
    most = MOST_NATIVE // max(1, len(spoken_there))
    on = [title for language in spoken_there for title in titles_in(language)[role.code][:most]]
    on = list(dict.fromkeys([*on, *role.titles]))
    return [*(Chip(title) for title in on), *(Chip(title, on=False) for title in role.more if title not in on)]


def _kinds(segment: Segment | None, brief: Brief) -> list[Chip]:
    """Return the kinds of companies: people write their own language, while directories file under English words."""
    if segment is None:
        title = brief.customer.title if brief.customer else ""
        inner = re.split(r"\s(?:at|of|in)\s", title)[-1].strip()
        return [Chip(capital(inner))] if inner else []
    native, typed = [companies_in(one).get(segment.code, ()) for one in spoken(brief)], as_typed(brief)
    on = _distinct([*([typed] if typed else [several[0] for several in native if several]), segment.label])
    wider = " and " in segment.label and typed != segment.label  # nor are theatres “Museums and theatres”
    if typed and (wider or segment not in segments_in(typed, share=1.0)):  # riding clubs are not any sports clubs
        return [Chip(label, on=label == typed) for label in on]
    spare = _distinct([*on, *(term for several in native for term in several)])[len(on) :]
    return [*(Chip(label) for label in on), *(Chip(term, on=False) for term in spare[:MOST_SPARE])]


def _distinct(terms: Iterable[str]) -> list[str]:
    """Leave out a term that differs from an earlier one only in its spelling or number."""
    return list({" ".join(root(one) for one in tokens(term)): term for term in reversed(list(terms))}.values())[::-1]


def _places(brief: Brief) -> list[Chip]:
    country = country_name(brief.country or brief.profile.country)
    place = place_of(brief)
    code = next((code for code, name in countries().items() if name == country), "")
    wider = [country] if country and place != country else [country_name(one) for one in countries_near(code)]
    told = audience.places(place, brief.profile.language) if place else []
    return [*map(Chip, told), *(Chip(one, on=False) for one in wider if one not in place)]


def _summary(
    brief: Brief, segment: Segment | None, titles: Sequence[Chip], kinds: Sequence[Chip], sizes: Sequence[str]
) -> str:
    """Return the rows as one sentence."""
    who = listed([chip.label for chip in titles if chip.on][:3], "or")
    kind = firms(brief) if segment or not kinds else kinds[0].label.lower()
    low, high = sizes[0].split("-")[0], sizes[-1].rstrip("+").split("-")[-1]
    place = place_of(brief)
    return f"{who} at {kind} {'and' if ' with ' in kind else 'with'} {low} to {high} people{located(place)}."


def located(place: str) -> str:
    """Return ` in …` for the end of a phrase; '' without a place."""
    return f" in {'the ' if place.startswith(('United', 'Netherlands')) else ''}{place}" if place else ""
