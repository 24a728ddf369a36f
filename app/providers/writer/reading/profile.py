"""Write a business profile in the business's own words."""

import re

from app.core import languages
from app.ports import Refused, Site
from app.ports.writer import Fact, Profile
from app.providers.writer.grammar import capital, closed, quoted
from app.providers.writer.reading import extraction, own_words
from app.providers.writer.tables.places import COUNTRIES
from app.providers.writer.taxonomy import Passage, trade_of

NOTHING = "There is nothing to go on. Give a website, or describe the business in a few sentences."


def understood(site: Site | None, description: str) -> Profile:
    """Return the profile from the pages, or from the owner's words."""
    found = extraction.passages(site, description)
    if not found or sum(len(one.words.split()) for one in found) < 3:
        raise Refused(NOTHING)
    name = extraction.name_in(site, description)
    language = (site.language if site else languages.detected(description)) or "en"
    said = own_words.facts(site, description, name, language)
    facts = [*said, *extraction.facts(name, site.place if site else "", found)]
    own = extraction.own_words(found, name)
    if own and not any(fact.quote == own.words for fact in facts if fact.kind in ("outcome", "claim", "own")):
        facts.insert(min(2, len(facts)), Fact(f"It says: {quoted(own.words)}", own.page, own.words, "claim"))
    trade = trade_of(found)
    told = {fact.kind: fact.text for fact in reversed(said)}
    sells = told.get("sells", "")
    return Profile(
        business=_business(name, sells, own, facts),
        summary=_summary(name, sells, own or found[0]),
        category=trade.category.code if trade else "",
        country=site.country if site else _country(description),
        language=language,
        facts=tuple(facts),
        name=name,
        sells=sells,
        audience=", ".join(fact.text for fact in said if fact.kind == "for"),
        change=told.get("change", ""),
        proof=told.get("proof", ""),
    )


def _country(description: str) -> str:
    """Return the code of the only country that a description names, or ''."""
    named = [code for code, name in COUNTRIES.items() if re.search(rf"\b{name}\b", description)]
    return named[0] if len(named) == 1 else ""


def of_kind(facts: list[Fact] | tuple[Fact, ...], kind: str) -> list[Fact]:
    """Return the facts of a kind."""
    return [fact for fact in facts if fact.kind == kind]


def _business(name: str, sells: str, own: Passage | None, facts: list[Fact]) -> str:
    who = name or "The business"
    place = [extraction.subject(fact) for fact in of_kind(facts, "place")]
    said = [f"{who} says what it sells: {closed(quoted(sells))}"] if sells else []
    said += [f"It is based in {place[0]}."] if place else []
    if own and own.words != sells:
        said.append(f"{'In its own words' if said else f'{who} says of itself'}: {closed(quoted(own.words, 260))}")
    outcome = [fact for fact in of_kind(facts, "outcome") if not own or fact.quote != own.words]
    if outcome:
        said.append(f"It also says: {closed(quoted(outcome[0].quote))}")
    said += [f"On prices it says: {closed(quoted(fact.quote))}" for fact in of_kind(facts, "price")[:1]]
    said += [fact.text for fact in of_kind(facts, "customer")]
    if not said:
        said = [f"{who} is described like this: {closed(quoted(facts[0].quote if facts else '', 260))}"]
    return " ".join(said)


def _summary(name: str, sells: str, own: Passage) -> str:
    if sells:
        return closed(f"{name}: {sells}" if name else capital(sells))
    said = closed(own.words if len(own.words) <= 200 else quoted(own.words))
    return said if name and said.startswith(name) else capital(said)
