"""What tests do and ask in a browser, whichever page it shows."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from selectolax.parser import HTMLParser

from tests.conftest import PASSWORD

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES = {"desktop": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
# Half-faded text has half its contrast; what waits long before it moves, such as a message that will go away, may wait.
SETTLED = """async () => {
  const moving = document.getAnimations().filter(one => {
    const timing = one.effect.getComputedTiming();
    return timing.iterations !== Infinity && timing.delay < 1000;
  });
  await Promise.allSettled(moving.map(one => one.finished));
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def sign_in(page: Page, email: str = "ada@acme.example") -> None:
    """The browser has a session of that user, without a page having been drawn."""
    token = HTMLParser(page.request.get("/login").text()).css_first("meta[name=csrf]")
    assert token
    fields = {"csrf_token": token.attributes["content"] or "", "email": email, "password": PASSWORD}
    assert page.request.post("/login", form=fields, max_redirects=0).status == 303


def problems(page: Page) -> list[str]:
    """What axe finds on the page once nothing moves any more."""
    page.evaluate(SETTLED)
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]


def overflow(page: Page) -> int:
    """How far the page can be scrolled sideways."""
    return int(page.evaluate(SIDEWAYS))


def focused(page: Page) -> str:
    """The name of the element that has the focus; it is never the page itself."""
    return str(page.evaluate("document.activeElement.tagName"))
