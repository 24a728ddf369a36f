"""Which customers a website is understood to name, and what is too vague for an offer."""

import pytest

from app.ports import Site, SitePage
from app.ports.writer import Profile
from app.providers.writer import BuiltInWriter

WRITER = BuiltInWriter()


def read(text: str, language: str = "en", title: str = "Ridge") -> Profile:
    """The profile of a site of one page."""
    page = SitePage(f"https://ridge.example/{language}", "home", title, text, "", [])
    return WRITER.profile(Site("ridge.example", "Ridge", language, [page], "", ""), "")


def named(profile: Profile) -> list[str]:
    """The kinds of customers that it names."""
    return [fact.text for fact in profile.facts if fact.kind == "for"]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Students ask us first. Many students come back each year.", "en", "Students"),
        (
            "Une promesse simple, que les automobilistes connaissent. Les automobilistes reviennent.",
            "fr",
            "automobilistes",
        ),
        ("¿Quiere pan en su hotel? Llevamos pan a su hotel cada mañana.", "es", "hotel"),
        ("Voor huisartsen en scholen in de regio.", "nl", "huisartsen"),
        ("Un giorno che gli sposi ricordano. Gli sposi scelgono il menu.", "it", "sposi"),
        ("店舗と学校の清掃を行います。店舗の床も学校の窓も。", "ja", "店舗"),
    ],
)
def test_customers_that_a_site_speaks_of_are_found(text: str, language: str, found: str) -> None:
    """Also where no word says that something is for them."""
    assert found in named(read(text, language))


def test_a_passing_word_names_no_customers() -> None:
    """One mention below the first heading is too little."""
    assert named(read("We paint walls. Our studio stands behind two schools in Ulm.")) == []


def test_the_trade_of_the_business_is_not_its_customers() -> None:
    """A law firm whose pages speak of lawyers writes to others."""
    text = "Ridge is a firm of lawyers. Our lawyers answer at once. Lawyers of Ridge work for restaurants."
    assert named(read(text, title="Ridge, lawyers in Ulm")) == ["restaurants"]


def test_an_english_kind_of_customers_ends_with_its_noun() -> None:
    """What they want is not part of it, and what someone builds is no customer."""
    text = (
        "Ridge writes plans for regional retailers seeking growth. We help to build a consulting firm. Plans for tea."
    )
    assert named(read(text)) == ["regional retailers"]


def test_everyone_counts_less_than_someone() -> None:
    """Companies of all kinds come after the kind that is named."""
    text = "We print for companies and wineries. We print labels for vineyards, companies and restaurants."
    assert named(read(text))[-1] == "companies"


@pytest.mark.parametrize(
    "said",
    ["Business solutions", "Technology Solutions for Danish Businesses", "Quality & Success", "Design and Production"],
)
def test_words_that_every_business_says_of_itself_are_no_offer(said: str) -> None:
    """It is asked for instead."""
    text = f"{said} from Ridge. Ridge brings {said.lower()} to Danish people. {said}, every day, from people of Ridge."
    assert read(text, title=said).sells == ""


def test_a_kind_of_customers_is_named_once() -> None:
    """Not by its noun alone as well."""
    text = "Ridge packs for online shops. Packing for shops of any size, and parcels for online shops."
    assert len(named(read(text))) == 1
