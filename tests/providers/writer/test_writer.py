"""The built-in writer on small websites of many trades: right names, five customers, and nothing without a source."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from app.domain.autopilot import play_steps
from app.domain.autopilot.serialization import steps_json
from app.domain.rules import message_templates
from app.ports import ANGLES, Refused, Site
from app.ports.writer import Brief, PlayStep, Profile
from app.providers.writer import BuiltInWriter, sequences
from app.providers.writer.sequences import LONGEST_NOTE, LONGEST_SUBJECT
from tests.providers.website.websites import TRUTH, Web

DRAW = message_templates.Draw(1, 0)

WRITER = BuiltInWriter()
PERSON = {
    "first_name": "Alexandra",
    "company_name": "Northwind Logistics",
    "sender_name": "Maya Lind",
    "custom.opening": "Operations Manager",
    "custom.round": "Series A",
    "custom.technology": "HubSpot",
    "custom.news": "opening an office in Lyon",
}
SAILING = (
    "Tidemark is booking software for sailing schools in Germany. It fills courses, takes payments and reminds "
    "students, so that the office answers fewer calls."
)
# What someone may type, and the name in it; where the trade is plain, its category.
DESCRIPTIONS = {
    "We are Bright Desk. We sell office furniture to coworking spaces and law firms in Vienna.": (
        "Bright Desk",
        "furniture",
    ),
    "I run a small studio called Kite & Co. We make websites for clinics and restaurants.": ("Kite & Co", "web_design"),
    "Penn Logistics provides freight services and warehousing for food producers.": ("Penn Logistics", "freight"),
    "We clean offices in Leeds. Office cleaning for schools and property managers, with a report after each visit.": (
        "",
        "cleaning",
    ),
    "We do all kinds of things for nice people and we do them well.": ("", ""),
}
ODD = {
    SAILING: "Tidemark",
    "blockforge.gg hosts Minecraft servers for schools, streamers and clans. Set up in two minutes.": "blockforge.gg",
    "The Marlborough Church Choir sings at weddings, funerals and company events. 24 singers, one organist.":
        "The Marlborough Church Choir",
    "we repair vintage synthesizers in a small workshop in leeds and ship them back within two weeks": "",
    "The Society for the Preservation, Promotion and Careful Restoration of Steam Locomotives restores engines.": "",
    "🐝 Bee Happy 🐝 rents beehives to companies that want honey and better air on their roofs! 🍯🍯": "Bee Happy",
    "“The \"Real\" Deal” sells used forklifts to warehouses and builders' merchants in Ohio.": "The Real Deal",
    "LABOR KÖNIG GMBH tests drinking water for hotels, care homes and landlords.": "LABOR KÖNIG",
    "A-1 24/7 Locksmiths: opening doors, changing locks, master key systems. Hotels call us day and night.":
        "A-1 24/7 Locksmiths",
    "Wir sind die Schreinerei Holzmann aus Freiburg und bauen Küchen und Büromöbel für Kanzleien und Praxen.": "",
    "Zwischenwasserkraftwerksbetriebsgesellschaftsverwaltungsberatungsdienstleistungshaus is a consulting company.":
        "Zwischenwasserkraftwerksbetriebsgesellschaftsverwaltungsberatungsdienstleistungshaus",
}  # fmt: skip


@cache
def sites(web: Web, domain: str) -> Site:
    return web.reader().read(domain, lambda page, read: None)


@cache
def profiles(web: Web, domain: str) -> Profile:
    return WRITER.profile(sites(web, domain), "")


def brief(profile: Profile, customer: int = 0, **changes: object) -> Brief:
    types = WRITER.customer_types(profile)
    chosen = types[customer] if types else None
    one = Brief(profile, chosen, country=profile.country, sender_name="Maya Lind")
    one = replace(one, targeting=WRITER.targeting(one))
    documents = WRITER.documents(one)
    return replace(one, icp=documents["icp"], style=documents["style"], **changes)  # type: ignore[arg-type]


def known(given: Brief) -> list[str]:
    """What is known of a person, and of former customers by their source."""
    return [*PERSON.values(), sequences.texts(given.profile.language)["former_customers"]["fact"]]


def sound(text: str) -> None:
    assert not re.search(r" {2}| [,.;:?!](?!\.)|\.\.(?!\.)|,,|\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]\w\b", text), text
    assert not re.search(r"\b(\w{2,}) \1\b", re.sub(r"“[^”]*”", "", text), re.IGNORECASE), text
    assert "{" not in text, text
    assert text.count("“") == text.count("”") + text.count("„"), text


def fillable(given: Brief) -> Iterator[tuple[PlayStep, str]]:
    """The steps of every play, each of which may be sent, with what someone reads of whom everything is known."""
    for idea in WRITER.plays(given, ANGLES):
        steps = WRITER.sequence(given, idea)
        assert play_steps.check(steps_json(steps), note_length=LONGEST_NOTE)
        for step in steps:
            full, empty = (message_templates.fill(step.text, known, DRAW) for known in (PERSON, {}))
            assert full.missing == empty.missing == ()
            for written in map("\n".join, (full.parts, empty.parts)):
                [sound(line) for line in written.split("\n")]
                assert written.count("?") <= 1, written
                assert step.kind != "invite" or len(written) <= LONGEST_NOTE
            subject = message_templates.fill_line(step.subject, PERSON, DRAW).parts
            assert step.kind != "email" or 0 < len(subject[0]) <= LONGEST_SUBJECT
            yield step, "\n".join((*full.parts, *subject))


def test_a_business_is_named_and_five_customer_types_told_apart(web: Web) -> None:
    """Its trade is found, the customers that the site names come first, and each fact's words stand on its page."""
    for truth in TRUTH.values():
        profile = profiles(web, truth.domain)
        assert (profile.name, profile.category, profile.country) == (truth.name, truth.category, truth.country)
        types = WRITER.customer_types(profile)
        for names in ([one.id for one in types], [one.title for one in types], [one.detail for one in types]):
            assert len(set(names)) == 5
        assert set(truth.customers) <= {one.id.partition("-")[0] for one in types}
        for text in (profile.business, profile.summary, *(one.title for one in types), *(one.detail for one in types)):
            sound(text)
            assert text[0].isupper() or text[0] == "“"
        pages = {page.url: page for page in sites(web, truth.domain).pages}
        for fact in profile.facts:
            page = pages[fact.page]
            said = f"{page.title}\n{page.description}\n{page.text}\n{' '.join(page.headings)}"
            assert " ".join(fact.quote.split()) in " ".join(said.split())


def test_no_message_claims_what_is_not_known(web: Web) -> None:
    """Whatever the customer, angle and channel, the check finds nothing."""
    for (number, truth), customer in product(enumerate(TRUTH.values()), range(5)):
        if (number + customer) % 2:
            continue
        channel, kind = ("social_email", "call") if customer % 3 else ("social", "other")
        more = {"channel": channel, "offer_kind": kind, "offer": "a free sample" * (customer == 2)}
        given = brief(profiles(web, truth.domain), customer, **more)
        if not (given.profile.pitch and given.profile.topic):
            said = {"pitch": given.profile.pitch or "We paint boats.", "topic": given.profile.topic or "boats"}
            given = replace(given, profile=replace(given.profile, **said))
        for idea in WRITER.plays(given, ANGLES):
            told = (idea.name, idea.pitch, idea.why, idea.strategy, idea.reaches)
            [sound(text) for text in told]
        for written in {written for _, written in fillable(given)}:  # most stand in several plays
            assert WRITER.check(given, written, known(given)) == []
            assert len(written.split()) <= 95


def test_a_description_is_enough() -> None:
    """No website: the owner's words are the source, and the page of every fact is the description."""
    for description, (name, category) in DESCRIPTIONS.items():
        profile = WRITER.profile(None, description)
        assert (profile.name, profile.category) == (name, category)
        assert {fact.page for fact in profile.facts} <= {"description"}
        sound(profile.business)
        assert len(WRITER.customer_types(profile)) == (5 if category else 0)
        if profile.pitch and profile.topic:
            given = brief(profile)
            for written in {written for _, written in fillable(given)}:
                assert WRITER.check(given, written, known(given)) == []
                assert "Our website" not in written


def test_a_list_of_customers_and_an_own_training_are_read_from_a_description() -> None:
    told = (
        "I tune and repair pianos in Leeds. Most of my customers are music schools, primary and secondary schools, and "
        "church halls with one to fifteen pianos. I have been a tuner for 18 years and trained in Newark."
    )
    profile = WRITER.profile(None, told)
    assert profile.examples == ("music schools", "primary and secondary schools", "church halls")
    assert profile.proof == "I have been a tuner for 18 years and trained in Newark."
    assert [one.pitch for one in profile.candidates] == ["I tune and repair pianos in Leeds."]
    kinds = WRITER.customer_types(profile)
    assert [one.title for one in kinds][:2] == ["Owners of music schools", "School principals"]
    assert len(kinds) == 3
    assert all(one.detail.startswith("You wrote: “Most of my customers are") for one in kinds)
    names = {one.angle: one.name for one in WRITER.plays(brief(profile, 1), ANGLES)}
    assert names["cold"] == "School principals in Leeds"
    unclear = WRITER.profile(None, "We make software. Our customers are shops, people with dogs, and the moon.")
    assert unclear.examples == ()
    alone = WRITER.profile(None, "I have been a tuner for 18 years and trained in Newark.")
    assert [one.pitch for one in alone.candidates] == ["I have been a tuner for 18 years and trained in Newark."]
    assert alone.proof == ""


def test_a_typed_sentence_keeps_its_words_and_a_count_is_a_proof_and_no_offer() -> None:
    """What the founder wrote with a hyphen stays one word, in the sentence and behind “a question about”."""
    felt = "We re-cover snooker and pool tables for sports bars in Leeds."
    for description, pitch, topic, proof in (
        (f"{felt} We have fitted over 600 tables.", felt, "snooker and pool tables", "We have fitted over 600 tables."),
        ("Used forklifts for warehouses. We have sold 1,200 trucks.", "", "", "We have sold 1,200 trucks."),
        ("Wir re-zertifizieren Kessel für Brauereien.", "Wir re-zertifizieren Kessel für Brauereien.", "Kessel", ""),
    ):
        profile = WRITER.profile(None, description)
        assert (profile.pitch, profile.topic, profile.proof) == (pitch, topic, proof)


def test_odd_names_and_trades_are_told_in_their_own_words_or_not_at_all() -> None:
    """A law firm that speaks of contracts sells no contract software; of two countries, none is the firm's."""
    for description, name in ODD.items():
        profile = WRITER.profile(None, description)
        assert profile.name == name
        assert not profile.pitch or profile.pitch[0].isupper()
    law = WRITER.profile(None, "Okafor & Brandt is a law firm for contracts, signatures and clauses in Hamburg.")
    assert "software" not in law.pitch + law.business
    assert WRITER.profile(None, SAILING).country == "DE"
    assert WRITER.profile(None, "Halm Freight moves goods between Norway and Denmark for wholesalers.").country == ""


def test_nothing_to_go_on_is_refused_and_a_book_is_written_from_in_seconds() -> None:
    for nothing in ("", "   ", "hm", "\n\n"):
        with pytest.raises(Refused, match="nothing to go on"):
            WRITER.profile(None, nothing)
    begun = time.process_time()
    assert list(fillable(brief(WRITER.profile(None, "We sell office furniture to law firms. It is good. " * 2000))))
    assert time.process_time() - begun < 3
