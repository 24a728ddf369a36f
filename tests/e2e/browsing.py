"""What tests do and ask in a browser, whichever page it shows."""

import re
from collections.abc import Iterable
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page, expect
from selectolax.parser import HTMLParser

from tests.conftest import PASSWORD

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES = {"desktop": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Half-faded text has half its contrast; what waits long before it moves, such as a message that will go away, may wait.
SETTLED = """async () => {
  const moving = document.getAnimations().filter(one => {
    const timing = one.effect.getComputedTiming();
    return timing.iterations !== Infinity && timing.delay < 1000;
  });
  await Promise.allSettled(moving.map(one => one.finished));
}"""
LOOK = """async ({ rules, within, without }) => {
  const options = { runOnly: rules, resultTypes: ['violations'], preload: false, iframes: false };
  const found = await axe.run({ include: [[within]], exclude: without.map(one => [one]) }, options);
  return found.violations.flatMap(one => one.nodes.map(node => `${one.id}: ${node.target} ${node.failureSummary}`));
}"""


def sign_in(page: Page, email: str = "ada@acme.example") -> None:
    """The browser has a session of that user, without a page having been drawn."""
    token = HTMLParser(page.request.get("/login").text()).css_first("meta[name=csrf]")
    assert token
    fields = {"csrf_token": token.attributes["content"] or "", "email": email, "password": PASSWORD}
    assert page.request.post("/login", form=fields, max_redirects=0).status == 303


def problems(page: Page, rules: list[str] = RULES, within: str = "html", without: Iterable[str] = ()) -> list[str]:
    """What axe finds on the page once nothing moves any more."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.evaluate(SETTLED)
    found: list[str] = page.evaluate(LOOK, {"rules": rules, "within": within, "without": list(without)})
    return found


def overflow(page: Page) -> int:
    """How far the page can be scrolled sideways."""
    return int(page.evaluate(SIDEWAYS))


def fits(page: Page) -> None:
    """The page is accessible in light and dark, and no screen has to be scrolled sideways."""
    assert problems(page) == []
    page.emulate_media(color_scheme="dark")
    assert problems(page, ["color-contrast"]) == []
    page.emulate_media(color_scheme="light")
    for width in (320, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) == 0, width


def focus_is_kept(page: Page) -> None:
    """Something on the page has the focus, not the page itself."""
    expect(page.locator("body :focus")).to_have_count(1)


def titled(page: Page, title: str) -> None:
    """The page has that title, behind the number of what waits, if something does."""
    expect(page).to_have_title(re.compile(rf"^(\(\d+\) )?{re.escape(title)} – Overture$"))


def loaded(page: Page, title: str) -> None:
    """The page with that title is there, and its scripts hear the keys that are struck now."""
    titled(page, title)
    page.wait_for_load_state()
