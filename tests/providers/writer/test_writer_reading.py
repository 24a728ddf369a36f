"""Every message of every play, read by rule: what a critical reader once found in one of them, and the odd trades."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from app.domain.rules import message_templates
from app.ports import ANGLES
from app.ports.writer import Brief, PlayStep, Profile
from app.providers.writer.grammar import sentences
from app.providers.writer.sequences import LONGEST_NOTE
from app.providers.writer.taxonomy import segments_in
from tests.providers.website.websites import TRUTH, Truth, Web
from tests.providers.writer.test_writer import PERSON, WRITER, brief, profiles, sound

DRAW = message_templates.Draw(1, 0)

SAILING = (
    "Tidemark is booking software for sailing schools in Germany. It fills courses, takes payments and reminds "
    "students, so that the office answers fewer calls."
)
# What someone may type, the name in it, and how the invitation speaks of the business.
ODD = {
    SAILING: ("Tidemark", "I'm with Tidemark, and we offer booking software."),
    "Stillwater Crematorium offers dignified cremations and memorial services for funeral directors in Kent.": (
        "Stillwater Crematorium", "We offer dignified cremations and memorial services."),
    "We are Hempstead Ropes. We make ropes and rigging by hand for sailing yachts, theatres and playgrounds.": (
        "Hempstead Ropes", "I'm with Hempstead Ropes. We make ropes and rigging by hand."),
    "blockforge.gg hosts Minecraft servers for schools, streamers and clans. Set up in two minutes.": (
        "blockforge.gg", "I'm with blockforge.gg. We host Minecraft servers."),
    "Baltica Translations is a translation bureau for Estonian and Latvian. We work with law firms and exporters.": (
        "Baltica Translations", "we offer translation."),
    "Okafor & Brandt is a two-person law firm in Hamburg. We advise startups on contracts and hiring.": (
        "Okafor & Brandt", "we offer legal advice."),
    "Quillbase is an open-source database for time series. It is maintained by volunteers.": (
        "Quillbase", "I'm with Quillbase, an open-source database."),
    "The Marlborough Church Choir sings at weddings, funerals and company events. 24 singers, one organist.": (
        "The Marlborough Church Choir", "I'm with the Marlborough Church Choir. We sing at weddings, funerals and"),
    "we repair vintage synthesizers in a small workshop in leeds and ship them back within two weeks": (
        "", "we repair vintage synthesizers in a small workshop in leeds"),
    "The Society for the Preservation, Promotion and Careful Restoration of Steam Locomotives restores engines.": (
        "", "I'd like to tell you what we do."),
    "🐝 Bee Happy 🐝 rents beehives to companies that want honey and better air on their roofs! 🍯🍯": (
        "Bee Happy", "We rent beehives to companies that want honey"),
    "“The \"Real\" Deal” sells used forklifts to warehouses and builders' merchants in Ohio.": (
        "The Real Deal", "I'm with the Real Deal. We sell used forklifts"),
    "mySQL2 & Söhne is a managed database company. We look after databases for online shops and banks.": (
        "mySQL2 & Söhne", "I'm with mySQL2 & Söhne, a managed database company."),
    "We run an escape room in Lyon. Team events for companies, 2 to 40 people, in English and French.": (
        "", "we run an escape room in Lyon."),
    "Nordic Hull divers clean ship hulls under water for shipping companies and ports in Norway and Denmark.": (
        "", "I'd like to tell you what we do."),
    "LABOR KÖNIG GMBH tests drinking water for hotels, care homes and landlords.": (
        "LABOR KÖNIG", "I'm with LABOR KÖNIG. We test drinking water."),
    "Dot & Line prints menus, maps and books in Braille for restaurants, museums and city councils.": (
        "Dot & Line", "We print menus, maps and books in Braille."),
    "A-1 24/7 Locksmiths: opening doors, changing locks, master key systems. Hotels call us day and night.": (
        "A-1 24/7 Locksmiths", "I'm with A-1 24/7 Locksmiths."),
    "Wir sind die Schreinerei Holzmann aus Freiburg und bauen Küchen und Büromöbel für Kanzleien und Praxen.": (
        "", "I'd like to tell you what we do."),
    "Zwischenwasserkraftwerksbetriebsgesellschaftsverwaltungsberatungsdienstleistungshaus is a consulting company.": (
        "Zwischenwasserkraftwerksbetriebsgesellschaftsverwaltungsberatungsdienstleistungshaus", "business consulting."),
}  # fmt: skip


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The web of the small websites."""
    web = Web()
    yield web
    web.stop()


def read(profile: Profile, given: Brief) -> None:
    """Every sequence for the customer holds against every rule."""
    for idea in WRITER.plays(given, ANGLES):
        steps = WRITER.sequence(given, idea)
        if given.country:
            assert not re.search(r"(recently|positions|news|technology|website) in ", idea.reaches), idea.reaches
        nothing_twice(steps)
        for step in steps:
            for known in (PERSON, {}):
                written = "\n".join(message_templates.fill(step.text, known, DRAW).parts)
                in_order(written)
                in_its_language(profile, given, written)
                assert written.count("?") <= 1, written
                if step.kind == "invite":
                    assert len(written) <= LONGEST_NOTE


def nothing_twice(steps: Sequence[PlayStep]) -> None:
    """No one reads the same sentence in two messages; greetings and farewells apart."""
    said = Counter(
        sentence
        for step in steps
        for line in step.text.split("\n")
        for sentence in sentences(line.replace("Hi {{first_name|there}}, ", ""))
        if not re.match(r"Hi |Hallo |Best regards|Viele Grüße|\{\{sender|---", sentence)
    )
    assert said.most_common(1)[0][1] == 1, said.most_common(2)


def in_order(written: str) -> None:
    """Every sentence begins with a capital letter, whoever gets it; no number of minutes or noun is said twice."""
    for line in filter(None, written.split("\n")):
        sound(line)
        for sentence in sentences(line):
            assert not re.match(r"(your company|there|a new colleague|several tools|in the news)\b", sentence), written
    assert "few minutes. Could we talk for a few" not in written
    assert not re.search(r"\b(i|diver|wa|ha) ", written), written


def in_its_language(profile: Profile, given: Brief, written: str) -> None:
    """A quotation speaks English, and to this kind of customer."""
    for quotation in re.findall(r"“([^”]*)”", written):
        assert profile.language == "en"
        others = {one.code for one in segments_in(quotation)} - {given.customer.id if given.customer else ""}
        assert not others or not profile.sells, quotation


@pytest.mark.parametrize("truth", TRUTH.values(), ids=TRUTH)
def test_every_sequence_reads_well_for_each_customer_type(web: Web, truth: Truth) -> None:
    """The small websites, for every kind of customer and over every channel."""
    profile = profiles(web, truth.domain)
    for customer in range(5):
        read(profile, brief(profile, customer, channel="social_email", offer_kind="call"))
        read(profile, brief(profile, customer, channel="social", offer_kind="other", offer="A free sample."))


@pytest.mark.parametrize("description", ODD)
def test_odd_trades_and_odd_names(description: str) -> None:
    """The name is the business's, whole or not at all, and what it does is said in its own words."""
    name, _ = ODD[description]
    profile = WRITER.profile(None, description)
    assert profile.name == name
    given = brief(profile, channel="social_email")
    assert not profile.sells or profile.sells.casefold() in description.casefold() or " of " in profile.sells
    read(profile, given)
    read(profile, brief(profile, 4, channel="social_email", offer_kind="other"))
    for text in (profile.business, profile.summary):
        assert not text.startswith(("It ", "it "))


def test_software_is_sold_by_who_says_so() -> None:
    """A law firm that speaks of contracts sells no contract software."""
    profile = WRITER.profile(None, "Okafor & Brandt is a law firm for contracts, signatures and clauses in Hamburg.")
    assert "software" not in profile.sells
    assert "software" not in profile.business


def test_what_tools_someone_uses_matters_to_who_sells_tools() -> None:
    """No one is written to by a baker because of a program; whoever asks for just that gets it."""
    baker, coder = (
        brief(WRITER.profile(None, text)) for text in ("Rye & Co sells bread and pastries to cafés.", SAILING)
    )
    technology = [angle for angle in ANGLES if angle.code == "technology"]
    assert len(WRITER.plays(baker, ANGLES)) == len(ANGLES) - 1
    assert len(WRITER.plays(coder, ANGLES)) == len(ANGLES)
    assert len(WRITER.plays(baker, technology)) == 1


def test_a_country_in_a_description_is_the_first_answer() -> None:
    """When there is one, and no other."""
    assert WRITER.profile(None, SAILING).country == "DE"
    assert WRITER.profile(None, "Halm Freight moves goods between Norway and Denmark for wholesalers.").country == ""


def test_chips_are_different_words(web: Web) -> None:
    """Not the same one in the singular, without its accent or in small letters."""
    for truth in TRUTH.values():
        for customer in range(5):
            targeting = brief(profiles(web, truth.domain), customer).targeting
            assert targeting is not None
            labels = [chip.label for chip in targeting.rows["companyType"]]
            roots = [re.sub(r"(ies|y|s|es)$", "", label.lower().replace("é", "e")) for label in labels]
            assert len(set(roots)) == len(roots), labels
            assert "Saas" not in labels
            assert " with " not in targeting.summary.partition(" with ")[2]
