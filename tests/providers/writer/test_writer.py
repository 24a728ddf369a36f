"""The built-in writer on small websites of many trades: right names, five customers, and nothing without a source."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from app.domain.autopilot import play_steps
from app.domain.autopilot.serialization import steps_json
from app.domain.rules import message_templates
from app.ports import ANGLES, FoundPerson, Refused
from app.ports.writer import ROWS, Brief, Profile
from app.providers.writer import BuiltInWriter, material
from app.providers.writer.customers import role
from app.providers.writer.sequences import LONGEST_NOTE, LONGEST_SUBJECT
from app.providers.writer.tables.native_companies import NATIVE_COMPANIES
from app.providers.writer.tables.native_titles import NATIVE
from app.providers.writer.tables.roles import ROLES
from app.providers.writer.tables.segments import SEGMENTS
from app.providers.writer.tables.shapes import words
from app.providers.writer.taxonomy import CATEGORIES
from tests.providers.website.websites import TRUTH, Truth, Web

DRAW = message_templates.Draw(1, 0)

WRITER = BuiltInWriter()
KNOWN = "was our customer, has worked with us before and knows us already"  # as the source of former customers says
PERSON = {
    "first_name": "Alexandra",
    "company_name": "Northwind Logistics",
    "sender_name": "Maya Lind",
    "custom.opening": "Operations Manager",
    "custom.round": "Series A",
    "custom.technology": "HubSpot",
    "custom.news": "opening an office in Lyon",
}
DESCRIPTIONS = {
    "We are Bright Desk. We sell office furniture to coworking spaces and law firms in "
    "Vienna.": ("Bright Desk", "furniture"),
    "I run a small studio called Kite & Co. We make websites for clinics and restaurants.": ("Kite & Co", "web_design"),
    "Penn Logistics provides freight services and warehousing for food producers.": ("Penn Logistics", "freight"),
    "We clean offices in Leeds. Office cleaning for schools and property managers, with a report after each "
    "visit.": ("", "cleaning"),
    "We do all kinds of things for nice people and we do them well.": ("", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The web of the small websites."""
    web = Web()
    yield web
    web.stop()


@cache
def profiles(web: Web, domain: str) -> Profile:
    """The business of a small website."""
    return WRITER.profile(web.reader().read(domain, lambda page, read: None), "")


def brief(profile: Profile, customer: int = 0, **changes: object) -> Brief:
    """Everything known at the time of writing messages."""
    one = Brief(profile, WRITER.customer_types(profile)[customer], country=profile.country, sender_name="Maya Lind")
    one = replace(one, targeting=WRITER.targeting(one))
    documents = WRITER.documents(one)
    return replace(one, icp=documents["icp"], style=documents["style"], **changes)  # type: ignore[arg-type]


def sound(text: str) -> None:
    """What can be said of English by rule."""
    assert not re.search(r" {2}| [,.;:?!](?!\.)|\.\.(?!\.)|,,|\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]\w\b", text), text
    assert not re.search(r"\b(\w{2,}) \1\b", re.sub(r"“[^”]*”", "", text), re.IGNORECASE), text
    assert "{" not in text, text
    assert text.count("“") == text.count("”"), text


@pytest.mark.parametrize("truth", TRUTH.values(), ids=TRUTH)
def test_a_business_is_named_and_five_customer_types_told_apart(web: Web, truth: Truth) -> None:
    """The business is named, its trade found, and five customers told apart, those that the site names first."""
    profile = profiles(web, truth.domain)
    assert (profile.name, profile.category, profile.country) == (truth.name, truth.category, truth.country)
    types = WRITER.customer_types(profile)
    assert (
        len({one.id for one in types}) == len({one.title for one in types}) == len({one.detail for one in types}) == 5
    )
    assert set(truth.customers) <= {one.id for one in types[: len(truth.customers) + 1]}
    for text in (profile.business, profile.summary, *(one.title for one in types), *(one.detail for one in types)):
        sound(text)
        assert text[0].isupper() or text[0] == "“"


@pytest.mark.parametrize("truth", TRUTH.values(), ids=TRUTH)
def test_every_fact_stands_on_its_page(web: Web, truth: Truth) -> None:
    """The words that a fact rests on can be found where it says."""
    site = web.reader().read(truth.domain, lambda page, read: None)
    for fact in profiles(web, truth.domain).facts:
        page = next(page for page in site.pages if page.url == fact.page)
        said = " ".join(f"{page.title}\n{page.description}\n{page.text}\n{' '.join(page.headings)}".split())
        assert " ".join(fact.quote.split()) in said


@pytest.mark.parametrize("truth", TRUTH.values(), ids=TRUTH)
def test_no_message_claims_what_is_not_known(web: Web, truth: Truth) -> None:
    """Whatever the customer, angle and channel, the check finds nothing, and every step may be sent."""
    profile = profiles(web, truth.domain)
    for customer in range(5):
        channel, kind = ("social_email", "call") if customer % 2 else ("social", "other")
        given = brief(profile, customer, channel=channel, offer_kind=kind, offer="a free sample" * (customer == 2))
        for idea in WRITER.plays(given, ANGLES):
            told = (idea.name, idea.pitch, idea.why, idea.strategy, idea.reaches)
            for text in told:
                sound(text)
            assert material.linked(told) == []
            sequence = WRITER.sequence(given, idea)
            assert play_steps.check(steps_json(sequence), note_length=LONGEST_NOTE)
            for step in sequence:
                full, empty = (
                    message_templates.fill(step.text, PERSON, DRAW),
                    message_templates.fill(step.text, {}, DRAW),
                )
                assert full.missing == empty.missing == ()
                written = "\n".join((*full.parts, *message_templates.fill_line(step.subject, PERSON, DRAW).parts))
                [sound(line) for line in written.split("\n")]
                assert WRITER.check(given, written, [*PERSON.values(), KNOWN]) == []
                assert len(written.split()) <= 95
                if step.kind == "invite":
                    assert len(full.parts[0]) <= LONGEST_NOTE
                if step.kind == "email":
                    assert 0 < len(message_templates.fill_line(step.subject, PERSON, DRAW).parts[0]) <= LONGEST_SUBJECT


def test_plays_differ(web: Web) -> None:
    """Eight angles do not send the same words eight times, and the same angle always sends the same."""
    given = brief(profiles(web, TRUTH["tidewater"].domain))
    ideas = WRITER.plays(given, ANGLES)
    assert [idea.angle for idea in ideas] == [angle.code for angle in ANGLES]
    firsts = [WRITER.sequence(given, idea)[2].text for idea in ideas]
    assert len(set(firsts)) == len(ANGLES)
    assert [WRITER.sequence(given, idea)[2].text for idea in ideas] == firsts


def test_the_rows_say_which_people_to_reach(web: Web) -> None:
    """Chips of all four rows, some on, and a sentence that names the same titles."""
    for truth in TRUTH.values():
        for customer in range(5):
            targeting = brief(profiles(web, truth.domain), customer).targeting
            assert targeting is not None
            assert set(targeting.rows) == set(ROWS)
            on = [chip.label for chip in targeting.rows["titles"] if chip.on]
            assert on[0] in targeting.summary
            assert any(chip.on for chip in targeting.rows["companyType"])
            assert len(targeting.even_better) >= 2
            for chips in targeting.rows.values():
                assert len({chip.label for chip in chips}) == len(chips)
            sound(targeting.summary)


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_a_description_is_enough(description: str) -> None:
    """No website: the owner's words are the source, and the page of every fact is the description."""
    name, category = DESCRIPTIONS[description]
    profile = WRITER.profile(None, description)
    assert (profile.name, profile.category) == (name, category)
    assert {fact.page for fact in profile.facts} <= {"description"}
    sound(profile.business)
    given = brief(profile)
    assert len(WRITER.customer_types(profile)) == 5
    for idea in WRITER.plays(given, ANGLES):
        for step in WRITER.sequence(given, idea):
            written = "\n".join(message_templates.fill(step.text, PERSON, DRAW).parts)
            assert WRITER.check(given, written, [*PERSON.values(), KNOWN]) == []
            assert "Our website" not in written


def test_nothing_to_go_on_is_refused() -> None:
    """With the way out."""
    for nothing in ("", "   ", "hm", "\n\n"):
        with pytest.raises(Refused, match="nothing to go on"):
            WRITER.profile(None, nothing)


def test_a_long_description_is_written_from_in_seconds(web: Web) -> None:
    """Everything for one business in less than a second, also when someone describes it in a book."""
    begun = time.process_time()
    profile = WRITER.profile(None, "We sell office furniture to law firms. It is good. " * 2000)
    given = brief(profile)
    for idea in WRITER.plays(given, ANGLES):
        WRITER.sequence(given, idea)
    assert time.process_time() - begun < 3


def test_people_are_judged_with_a_reason(web: Web) -> None:
    """Title, company and place decide; votes on someone, and on others like them, decide more."""
    given = brief(profiles(web, TRUTH["northcut"].domain))
    idea = WRITER.plays(given, ANGLES)[2]
    one = FoundPerson("ann", "", "Ann", "Oak", "Head of Procurement", "Oak Machines", industry="Machine builders",
                      location="Chicago, United States")  # fmt: skip
    verdict = WRITER.judge(given, idea, one, {})
    assert verdict.fits
    assert verdict.reason == (
        "Head of Procurement at Oak Machines: has one of the titles you look for, works in "
        "the right kind of company, is in a target location and works for a company that is "
        "hiring."
    )
    assert not WRITER.judge(given, idea, replace(one, title="Purchasing Intern"), {}).fits
    assert not WRITER.judge(given, idea, replace(one, industry="Hair and beauty salons"), {}).fits
    assert not WRITER.judge(given, idea, one, {"ann": "bad"}).fits
    assert not WRITER.judge(given, idea, one, {"title: head of procurement": "bad"}).fits
    assert WRITER.judge(given, idea, replace(one, industry="Hotels"), {"industry: Hotels": "good"}).fits


def test_the_tables_are_whole() -> None:
    """At least forty trades, each with five kinds of customers, roles and segments that exist."""
    assert len(CATEGORIES) >= 40
    for category in CATEGORIES.values():
        assert len(category.customers) == 5
        assert set(category.customers) <= set(SEGMENTS)
        assert set(words(category.roles)) <= set(ROLES)
        assert len(words(category.pains)) == 2
        assert all(role(category, SEGMENTS[code]) for code in category.customers)
        assert all(re.match(r"(not )?\w+ing\b|[a-z]", pain) for pain in words(category.pains))
        for reason in category.customers.values():
            assert re.fullmatch(r"[A-Z].*\.", reason)


@pytest.mark.parametrize(
    ("language", "country", "native"),
    [
        ("de", "Germany", "Geschäftsführer"),
        ("en", "AT", "Geschäftsführer"),
        ("fr", "", "Directeur général"),
        ("es", "MX", "Director general"),
        ("it", "Italy", "Titolare"),
        ("en", "NL", "Directeur"),
        ("pt", "BR", "Diretor-geral"),
        ("de", "US", ""),
        ("en", "", ""),
    ],
)
def test_titles_are_those_of_the_market(language: str, country: str, native: str) -> None:
    """The country decides, and without one the business's language; English titles stay beside them."""
    profile = replace(BuiltInWriter().profile(None, "We sell machine parts to manufacturers."), language=language)
    profile = replace(profile, country="")
    brief = Brief(profile, BuiltInWriter().customer_types(profile)[0], country=country)
    titles = [chip.label for chip in BuiltInWriter().targeting(brief).rows["titles"] if chip.on]
    known = {title.strip() for several in NATIVE.values() for one in several.values() for title in one.split(";")}
    english = [title for title in titles if title not in known]
    assert english
    assert (native in titles) if native else titles == english


@pytest.mark.parametrize(
    ("language", "country", "on"),
    [
        ("de", "Germany", ["Hersteller", "Manufacturers"]),
        ("en", "CH", ["Hersteller", "Fabricants", "Manufacturers"]),
        ("es", "", ["Fabricantes", "Manufacturers"]),
        ("it", "US", ["Manufacturers"]),
        ("en", "", ["Manufacturers"]),
    ],
)
def test_kinds_of_companies_are_named_in_the_market_s_language(language: str, country: str, on: list[str]) -> None:
    """English words stay beside them, by which directories file companies; no word stands twice."""
    profile = replace(BuiltInWriter().profile(None, "We sell machine parts to manufacturers."), language=language)
    brief = Brief(replace(profile, country=""), BuiltInWriter().customer_types(profile)[0], country=country)
    chips = BuiltInWriter().targeting(brief).rows["companyType"]
    assert [chip.label for chip in chips if chip.on] == on
    assert len({chip.label.casefold() for chip in chips}) == len(chips)


@pytest.mark.parametrize("language", NATIVE_COMPANIES)
def test_native_kinds_are_of_known_segments_and_named_once(language: str) -> None:
    """A word that stood for two kinds would search for both."""
    kinds = NATIVE_COMPANIES[language]
    assert kinds.keys() <= SEGMENTS.keys()
    named = [word.casefold() for several in kinds.values() for word in words(several)]
    assert len(set(named)) == len(named)
