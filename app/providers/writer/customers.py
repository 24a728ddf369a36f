"""Suggest five customer types: those the business names, then those usual in its trade."""

from collections.abc import Sequence

from app.ports.writer import CustomerType, Profile
from app.providers.writer.grammar import capital, closed, quoted
from app.providers.writer.profile import of_kind
from app.providers.writer.tables.roles import ROLES
from app.providers.writer.tables.segments import SEGMENTS
from app.providers.writer.tables.shapes import Category, Role, Segment, words
from app.providers.writer.taxonomy import category, segments_in

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
    """Return exactly five distinct types, the likeliest first."""
    trade = category(profile.category)
    found: dict[str, CustomerType] = {}
    for fact in of_kind(tuple(profile.facts), "audience"):
        for segment in segments_in(fact.text):
            if len(found) < FIVE and segment.plural in fact.text and segment.code not in found:
                found[segment.code] = _type(trade, segment, _said(trade, segment, fact.quote, fact.page))
    for code, reason in trade.customers.items():
        if len(found) < FIVE and code not in found:
            found[code] = _type(trade, SEGMENTS[code], reason)
    return list(found.values())


def _said(trade: Category, segment: Segment, quote: str, page: str) -> str:
    source = "Your description names them" if page == "description" else "Your website names them"
    reason = trade.customers.get(segment.code, f"That makes {segment.plural} a good place to begin.")
    return f"{source}: {closed(quoted(quote, 140))} {reason}"


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
