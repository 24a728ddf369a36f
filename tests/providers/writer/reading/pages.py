"""Websites of one page, for tests of what is read in them."""

from pathlib import Path

from app.ports import Site, SitePage
from app.providers.website.address import located
from app.providers.website.business_name import name_of
from app.providers.website.character_sets import text
from app.providers.website.page_selection import kind_of
from app.providers.website.parsing import parse
from app.providers.writer.reading.candidates import candidates

SITES = Path(__file__).parents[3] / "sites"


def site(language: str, description: str, title: str = "Ridge", body: str = "", **more: str) -> Site:
    """A site whose home page has every word of its description once more in its text."""
    said = "\n".join([body, *description.split(), *title.split()])
    page = SitePage("https://ridge.example/", title, description, said, (), "home")
    return Site("ridge.example", "Ridge", language, [page], **more)


def pitch(language: str, description: str, title: str = "Ridge", body: str = "") -> str:
    """The first sentence that is offered; '' when there is none."""
    found = candidates(site(language, description, title, body), "", "Ridge", language)
    return found[0].pitch if found else ""


def lying(folder: str) -> Site:
    """One of the small websites under tests/sites."""
    files = sorted((SITES / folder).glob("*.htm*"), key=lambda file: (file.stem != "index", file.name))
    parsed = [parse(text(file.read_bytes(), "text/html"), f"https://{folder}.example/{file.name}") for file in files]
    pages = [
        SitePage(page.url, page.title, page.description, page.text, tuple(page.headings), kind_of(page.url) or "home")
        for page in parsed
    ]
    country, place = located(parsed, parsed[0].language)
    return Site(f"{folder}.example", name_of(parsed[0]), parsed[0].language, pages, country, place)
