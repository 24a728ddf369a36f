"""Suggest five customer types: those the business names, then those usual in its trade."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.ports.writer import CustomerType, Fact, Profile
from app.providers.writer.grammar import AND, capital, closed, listed, quoted
from app.providers.writer.reading.profile import of_kind
from app.providers.writer.tables.roles import ROLES
from app.providers.writer.tables.segments import SEGMENTS
from app.providers.writer.tables.shapes import Category, Role, Segment, words
from app.providers.writer.taxonomy import GENERIC, category, segments_in

FIVE = 5
# Roles that exist only in some kinds of companies, and who decides elsewhere.
_ONLY_AT = {
    "clinical": "clinics dentists vets care",
    "property": "property developers real_estate coworking public",
    "food": "restaurants cafes hotels caterers venues food_makers",
    "schools": "schools",
    "ecommerce": "ecommerce brands retail wholesalers food_makers",
    "projects": "construction developers architects public energy trades",
    "production": "manufacturers machinery medtech aerospace carmakers electronics food_makers pharma",
    "fleet": "fleets logistics trades care public wholesalers",
    "owner": " ".join(
        code for code in SEGMENTS if code not in ("hospitals", "public", "universities", "schools", "nonprofits")
    ),
}
_BETTER = {("food", "offices"): "facilities", ("food", "events"): "events", ("food", "coworking"): "facilities"}
# The title of a decision maker there.
_THERE = {
    ("operations", "schools"): "schools", ("owner", "schools"): "schools", ("legal", "schools"): "schools",
    ("operations", "nonprofits"): "charity", ("legal", "nonprofits"): "charity",
    ("operations", "clinics"): "clinical", ("owner", "clinics"): "clinical", ("operations", "hotels"): "hotel",
}  # fmt: skip
_ELSE = {"clinical": "procurement", "property": "facilities", "food": "facilities", "owner": "operations"}


def types(profile: Profile) -> Sequence[CustomerType]:
    """Return exactly five distinct types: those that the business or its owner names, then guesses with a reason."""
    trade = category(profile.category)
    found: dict[str, CustomerType] = {}
    for one in _named(profile):
        if len(found) < FIVE:
            found.setdefault(one.id, one)
    for code, reason in [*trade.customers.items(), *GENERIC.customers.items()]:
        if len(found) < FIVE and code not in found:
            found[code] = _type(trade, SEGMENTS[code], reason if reason.startswith("A first") else f"A guess: {reason}")
    return list(found.values())


def _named(profile: Profile) -> Iterator[CustomerType]:
    """Yield the types that the owner gave examples of or typed, and those that the website names."""
    trade = category(profile.category)
    if profile.examples:
        title = f"Companies like {listed(profile.examples[:3])}"
        yield CustomerType("examples", title, "You named them as good customers.", guess=False)
    typed = "for" in profile.typed
    several = [Fact(one, "", "") for one in split(profile.audience)] if typed else of_kind(tuple(profile.facts), "for")
    for number, fact in enumerate(several[:FIVE], 1):
        said = "Your description names them" if fact.page == "description" else "Your website names them"
        why = f"You said so: {fact.text}." if typed else f"{said} as “{fact.text}”: {closed(quoted(fact.quote, 140))}"
        segments = segments_in(fact.text) if profile.language == "en" else ()
        for segment in segments[:1]:
            yield replace(_type(trade, segment, why), guess=False)
        if not segments:
            slug = re.sub(r"[^a-z0-9]+", "-", fact.text.lower()).strip("-")[:40]
            yield CustomerType(slug or f"buyers-{number}", capital(fact.text), why, guess=False)


def split(audience: str) -> list[str]:
    """Return the kinds of customers in a list as people write it."""
    parts = re.split(rf"\s*[,;/]\s*|{AND}", audience)
    return [part.strip(" .") for part in parts if part.strip(" .")]


def _type(trade: Category, segment: Segment, reason: str) -> CustomerType:
    return CustomerType(segment.code, capital(f"{deciders(trade, segment)} {_at(segment)} {segment.plural}"), reason)


def _at(segment: Segment) -> str:
    return "of" if segment.small else "at"


def role(trade: Category, segment: Segment | None) -> Role:
    """Return the decision maker at the trade's customers: some roles exist only in some kinds of companies."""
    code = segment.code if segment else ""
    first = words(trade.roles)[0]
    here = (one for one in words(trade.roles) if not code or code in _ONLY_AT.get(one, code).split())
    chosen = _BETTER.get((first, code)) or next(here, _ELSE.get(first, "operations"))
    return ROLES[_THERE.get((chosen, code), chosen)]


def deciders(trade: Category, segment: Segment) -> str:
    """Return the people to reach, in the plural."""
    return "owners" if segment.small else role(trade, segment).plural


def segment_of(customer: CustomerType | None) -> Segment | None:
    """Return the segment of a customer type; None when it came from elsewhere and names none."""
    if customer is None:
        return None
    if customer.id in SEGMENTS:
        return SEGMENTS[customer.id]
    named = segments_in(customer.title)
    return named[0] if named else None
