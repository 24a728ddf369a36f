"""Write a business profile in the sentences that its founder would say."""

import re

from app.core import languages
from app.ports import Refused, Site
from app.ports.writer import Candidate, Fact, Profile
from app.providers.writer.grammar import adds, closed, quoted, small
from app.providers.writer.reading import audience, buyers, extraction, signs
from app.providers.writer.reading.candidates import candidates, voice_of
from app.providers.writer.reading.topics import topic_of
from app.providers.writer.reading.words import Words, of, written
from app.providers.writer.taxonomy import called_as, is_told, trade_of

MANY, YEARS = 100, range(1800, 2100)
NOTHING = "There is nothing to go on. Give a website, or describe the business in a few sentences."


def understood(site: Site | None, description: str) -> Profile:
    """Return the profile from the pages, or from the owner's words."""
    found = extraction.passages(site, description)
    if not found or sum(len(one.words.split()) for one in found) < 3:
        raise Refused(NOTHING)
    language = (site.language if site else languages.detected(description)) or "en"
    words = of(language)
    name = extraction.name_in(site, description, words)
    voice = voice_of(site, description, name, words)
    chosen = candidates(site, description, name, language)
    counted = [one for one in chosen if not site and _counts(one.pitch, words)]
    proofs = [] if site else [one for one in chosen if not one.topic and words.has(one.pitch, "experience")]
    chosen = [one for one in chosen if one not in counted]  # “We have fitted 600 tables.” is a proof and no offer
    chosen = [one for one in chosen if one not in proofs] or chosen
    chosen = [one for one in chosen if site or one.topic] or chosen  # “I run a workshop in Utrecht.” sells nothing
    first = chosen[0] if chosen else Candidate("", found[0].page, found[0].words)
    own = [fact for fact in (signs.change_in(site, voice), signs.proof_in(found, voice)) if fact]
    told = {fact.kind: fact.text for fact in own}
    proof = counted[0].pitch if counted else told.get("proof", "")
    proof = proof or next((one.pitch for one in proofs if one is not first), "")
    customers = buyers.named(found, language)
    country, market = audience.market(description)
    served = "" if site else signs.area_in(first.pitch, language) or audience.market(first.pitch)[1]
    own += audience.told(description, language)
    facts = [
        *own,
        *customers,
        *extraction.facts(name, site.place if site else "", found, words),
    ]
    trade = trade_of(found)
    sold = f"{re.split(words.either('before'), first.pitch)[0]} . {first.topic} . {name}"
    if trade and first.pitch and not site and not is_told(trade.code, sold):
        trade = None  # whose hives stand “on the roofs of hotels” is no hotel
    code = trade.code if trade else ""
    top = (name, site.pages[0].title, *site.pages[0].headings[:2]) if site else ()  # SP Crane Hire is in crane hire
    called = next((said for line in top for said in called_as(code, line) if not words.has(said, "persons")), "")
    return Profile(
        business=_business(name, first.quote, facts),
        summary=first.pitch or closed(quoted(first.quote)),
        category=code,
        country=site.country if site else country,
        language=language,
        facts=tuple(facts),
        name=name,
        change=told.get("change", ""),
        proof=proof * adds(proof, first.pitch),
        examples=() if site else buyers.typed(description, first.pitch, language),
        pitch=first.pitch,
        topic=first.topic or (called if words.large_nouns else " ".join(map(small, called.split()))),
        kind=trade.kind if trade else signs.kind_of(first.pitch, site, voice),
        area=served or signs.area_of(site, description, voice, first.pitch, found if site else ()) or market,
        candidates=tuple(chosen),
    )


def topic(pitch: str, language: str) -> str:
    """Return what a subject line would call a sentence that its owner typed; '' where its words hold nothing clean."""
    return topic_of(pitch, None, voice_of(None, pitch, "", of(language))) if written(language) else ""


def _counts(pitch: str, words: Words) -> bool:
    """Return whether a sentence says how often something was done, in a number that is no year."""
    done = words.pattern("done").match(pitch)
    numbers = [int(re.sub(r"\D", "", one)) for one in re.findall(r"\d[\d.,]{0,12}", pitch)] if done else []
    return any(number >= MANY and number not in YEARS for number in numbers)


def _business(name: str, quote: str, facts: list[Fact]) -> str:
    """Return a paragraph of what the site or its owner says, each with quotation marks."""
    told = {kind: [one for one in facts if one.kind == kind] for kind in ("place", "outcome", "price", "customer")}
    said = [f"{name or 'The business'} says of itself: {closed(quoted(quote, 260))}"]
    said += [fact.text for fact in told["place"][:1]]
    said += [f"It also says: {closed(quoted(fact.quote))}" for fact in told["outcome"][:1] if fact.quote != quote]
    said += [f"On prices it says: {closed(quoted(fact.quote))}" for fact in told["price"][:1]]
    return " ".join([*said, *(fact.text for fact in told["customer"])])
