"""What tests do and ask in a browser, whichever page it shows."""

import re
from pathlib import Path

import axe_playwright_python
from axe_playwright_python.sync_playwright import Axe
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
# What axe says of contrast depends on what is written and on what lies behind it, and takes most of its time: of all
# that is written in the same colours before the same grounds it judges the first two that a tab shows. Of targets it
# judges those that are small, or lie over each other: no other can fail it.
FRESH = """(within, without) => {
  const judged = new Map(JSON.parse(sessionStorage.getItem('judged'))), grounds = new Map();
  const mix = (sum, sign) => Math.imul(sum ^ sign.codePointAt(0), 16777619);
  const add = (number, words) => [...words.join()].reduce(mix, number);
  const ground = one => {
    if (one && !grounds.has(one)) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(one);
      const own = [backgroundColor, backgroundImage, opacity, filter];
      const behind = ground(one.parentElement);
      grounds.set(one, own.join() === 'rgba(0, 0, 0, 0),none,1,none' ? behind : add(behind, own));
    }
    return one ? grounds.get(one) : 0;
  };
  const says = one => one.matches('input, select, textarea')
    || [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
  document.querySelectorAll('[data-fresh]').forEach(one => one.removeAttribute('data-fresh'));
  document.querySelectorAll('body *').forEach(one => {
    if (!says(one) || !one.closest(within) || (without && one.closest(without)) || !one.checkVisibility()) return;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
    const own = [one.localName, one.getAttribute('class'), color, fontSize, fontWeight, textShadow];
    const kind = add(ground(one), [...own, one.ariaDisabled, one.disabled]);
    judged.set(kind, (judged.get(kind) || 0) + 1);
    one.toggleAttribute('data-fresh', judged.get(kind) < 3);
  });
  sessionStorage.setItem('judged', JSON.stringify([...judged]));
  const pressed = 'a[href], button, input, select, textarea, summary, [tabindex], [role]';
  const placed = one => [one, one.getBoundingClientRect()];
  const places = [...document.querySelectorAll(pressed)].map(placed).filter(([, place]) => place.width);
  places.forEach(([one, place]) => one.toggleAttribute('data-small', place.width < 24 || place.height < 24
    || places.some(([other, its]) => other !== one && !other.contains(one) && !one.contains(other)
      && place.left < its.right && its.left < place.right && place.top < its.bottom && its.top < place.bottom)));
}"""
LOOK = f"""async ({{ rules, within, without }}) => {{
  await new Promise(done => {{ requestAnimationFrame(done); setTimeout(done, 100); }}); // a tab behind draws nothing
  ({FRESH})(within, without.join());
  const narrowed = [['color-contrast', '[data-fresh]'], ['target-size', '[data-small]']];
  axe.configure({{ rules: narrowed.map(([id, selector]) => ({{ id, selector }})) }});
  const options = {{ runOnly: rules, resultTypes: ['violations'], preload: false, iframes: false }};
  const found = await axe.run({{ include: [[within]], exclude: without.map(one => [one]) }}, options);
  const said = one => one.nodes.map(node => `${{one.id}}: ${{node.target}} ${{node.failureSummary}}`);
  return [found.violations.flatMap(said), {SIDEWAYS}];
}}"""


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
