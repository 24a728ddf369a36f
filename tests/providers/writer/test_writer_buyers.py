"""Which customers a website is understood to name, and what is too vague for an offer."""

from app.ports import Site, SitePage
from app.ports.writer import Profile
from app.providers.writer import BuiltInWriter

WRITER = BuiltInWriter()


def read(text: str, language: str = "en", title: str = "Ridge") -> Profile:
    page = SitePage(f"https://ridge.example/{language}", "home", title, text, "", [])
    return WRITER.profile(Site("ridge.example", "Ridge", language, [page], "", ""), "")


def named(profile: Profile) -> list[str]:
    return [fact.text for fact in profile.facts if fact.kind == "for"]


def test_customers_that_a_site_speaks_of_are_found() -> None:
    """Also where no word says that something is for them; a passing word below the first heading is too little."""
    for language, found, text in (
        ("en", "Students", "Students ask us first. Many students come back each year."),
        ("fr", "automobilistes", "Une promesse que les automobilistes connaissent. Les automobilistes reviennent."),
        ("es", "hotel", "¿Quiere pan en su hotel? Llevamos pan a su hotel cada mañana."),
        ("nl", "huisartsen", "Voor huisartsen en scholen in de regio."),
        ("it", "sposi", "Un giorno che gli sposi ricordano. Gli sposi scelgono il menu."),
        ("ja", "店舗", "店舗と学校の清掃を行います。店舗の床も学校の窓も。"),
    ):
        assert found in named(read(text, language))
    assert named(read("We paint walls. Our studio stands behind two schools in Ulm.")) == []


def test_customers_are_those_for_whom_something_is_done() -> None:
    """Not the trade of the business, nor what someone builds or wants; each is named once, and everyone comes last."""
    text = "Ridge is a firm of lawyers. Our lawyers answer at once. Lawyers of Ridge work for restaurants."
    assert named(read(text, title="Ridge, lawyers in Ulm")) == ["restaurants"]
    text = "Ridge writes plans for regional retailers seeking growth. We help to build a consulting firm. Plans."
    assert named(read(text)) == ["regional retailers"]
    text = "We print for companies and wineries. We print labels for vineyards, companies and restaurants."
    assert named(read(text))[-1] == "companies"
    text = "Ridge packs for online shops. Packing for shops of any size, and parcels for online shops."
    assert len(named(read(text))) == 1


def test_words_that_every_business_says_of_itself_are_no_offer() -> None:
    for said in ("Business solutions", "Technology Solutions for Danish Businesses", "Design and Production"):
        text = f"{said} from Ridge. Ridge brings {said.lower()} to Danish people. {said}, every day, from Ridge."
        assert read(text, title=said).sells == ""
