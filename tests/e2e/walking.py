"""A walk through pages in one browser: each is opened once, and looked at in both colours, on a desk and on a phone.

What axe finds, what scrolls sideways, and what the browser complains about is collected, not asserted on the way.
"""

import re
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from tests.e2e.browsing import AXE, LOOK, RULES, SIDEWAYS, overflow

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 320, "height": 640}
EXPECTED = ("404", "409", "422")

LAYOUT = ["color-contrast", "target-size", "scrollable-region-focusable", "region", "link-in-text-block"]
SHELL = [".sidebar", ".tabbar"]

# A long list is more of the same, and what rules cost grows with the square of it: of all that is built alike its first
# stays, and the one that says most; and folds after the first dozen stay folded.
SHORTEN = """() => {
  const says = one => [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const part = one => [one.localName, one.getAttribute('class'), ...one.getAttributeNames(), says(one)].join();
  const build = one => [one, ...one.querySelectorAll('*')].map(part).join(';');
  const most = (one, other) => other.textContent.length > one.textContent.length ? other : one;
  document.querySelectorAll('main *').forEach(one => {
    const listed = [...one.children].filter(each => each.matches('section, article, li, tr, details'));
    if (listed.length < 3 || !one.isConnected) return;
    Map.groupBy(listed, build).forEach(([first, ...others]) => {
      const kept = others.length && others.reduce(most);
      others.forEach(each => each === kept || each.remove());
    });
  });
  [...document.querySelectorAll('main details:not([open])')].slice(0, 12).forEach(fold => { fold.open = true; });
  return [...document.querySelectorAll('dialog:not([open])[id], [popover][id]')].map(one => one.id);
}"""
SHOW = "id => { const one = document.getElementById(id); one.popover ? one.showPopover() : one.showModal(); }"
HIDE = "id => { const one = document.getElementById(id); one.popover ? one.hidePopover() : one.close(); }"
# What looks or acts as if it could be pressed, and cannot be reached with Tab.
MOUSE_ONLY = f"""() => {{
  const reached = 'a[href], button, input, select, textarea, summary, label, [tabindex="0"], dialog, [popover]';
  const acts = one => one.matches(':not(form):is([hx-get], [hx-post])')
    && !/every|revealed|load|change/.test(one.getAttribute('hx-trigger'));
  const all = [...document.querySelectorAll('main *')].filter(one => one.checkVisibility());
  const found = all.filter(one => one.tabIndex > 0 || ((acts(one) || getComputedStyle(one).cursor === 'pointer')
    && !one.closest(reached) && !one.querySelector(reached))).map(one => one.outerHTML.slice(0, 90));
  return [{SIDEWAYS}, found];
}}"""
LARGER = "size => document.documentElement.style.setProperty('font-size', size)"


class Walk:
    """One page of one browser, and everything wrong that was seen in it."""

    def __init__(self, context: BrowserContext) -> None:
        context.add_init_script(AXE)
        context.set_default_timeout(120_000)  # one test of a hundred pages on a busy machine
        self.page: Page = context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error}"))
        self.found: list[str] = []
        self.complaints: list[str] = []
        self.sideways: list[str] = []
        self.mouse_only: list[str] = []
        self.looks, self._pages, self._seen = 0, 0, set[str]()
        self._size, self._colours = DESK, "light"
        self.page.set_viewport_size(DESK)  # type: ignore[arg-type]
        self.page.emulate_media(reduced_motion="reduce", color_scheme="light")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(code in message.text for code in EXPECTED):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def stand(self, size: dict[str, int], colours: Any) -> None:
        """The screen has this size and these colours."""
        if size != self._size:
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
        if colours != self._colours:
            self.page.emulate_media(color_scheme=colours)
        self._size, self._colours = size, colours

    def open(self, address: str, whole: bool = False) -> None:
        """The page is looked at on a desk and on a phone, once in each colours, with folds, dialogs and menus open.

        It begins where the last one ended, because a change of size costs as much as a look. With which size and which
        colours all rules come changes from page to page. `whole` also judges the frame around every page.
        """
        self.page.goto(address)
        self._pages += 1
        here, there = (DESK, PHONE) if self._size == DESK else (PHONE, DESK)
        first, second = ("light", "dark") if self._colours == "light" else ("dark", "light")
        rules, others = (RULES, LAYOUT) if self._pages // 2 % 2 else (LAYOUT, RULES)
        self._feel()
        self.stand(there, first)
        self._feel()
        hidden = self.page.evaluate(SHORTEN)
        self.look(rules, whole=whole)
        self.stand(here, second)
        self.look(others, whole=whole)
        self._look_into_dialogs(hidden)

    def everywhere(self, whole: bool = False) -> None:
        """What is on the screen now is looked at from all four sides, and in letters twice as large."""
        for size in (DESK, PHONE):
            for colours, rules in (("light", RULES), ("dark", LAYOUT)):
                self.stand(size, colours)
                self.look(rules, whole=whole)
        self.stand(DESK, "light")
        self.page.evaluate(LARGER, "200%")
        self._measured(overflow(self.page), "at 200% text")
        self.page.evaluate(LARGER, "")

    def look(self, rules: list[str] = RULES, within: str = "html", whole: bool = True) -> None:
        """The rules are held against what is on the screen, and nothing of it runs off sideways."""
        self.looks += 1
        asked = {"rules": rules, "within": within, "without": [] if whole else SHELL}
        found, over = self.page.evaluate(LOOK, asked)
        self.found += [f"{self._where()} {within}: {one}" for one in found]
        self._measured(over, "unfolded")

    def _look_into_dialogs(self, hidden: list[str]) -> None:
        """Each dialog and menu that was not seen before is opened and judged by itself, in both colours."""
        for name in hidden:
            kind = re.sub(r"\d+", "N", name)
            if kind in self._seen:
                continue
            self._seen.add(kind)
            self.page.evaluate(SHOW, name)
            for colours, rules in (("light", RULES), ("dark", ["color-contrast"])):
                self.stand(self._size, colours)
                self.look(rules, f"#{name}")
            self.page.evaluate(HIDE, name)

    def _feel(self) -> None:
        over, mouse_only = self.page.evaluate(MOUSE_ONLY)
        self.mouse_only += [f"{self._where()}: {one}" for one in mouse_only]
        self._measured(over)

    def _measured(self, over: int, how: str = "") -> None:
        if over:
            self.sideways.append(f"{self._where()} {how}: runs off sideways by {over} px")

    def _where(self) -> str:
        return f"{self.page.url} {self._size['width']} px, {self._colours}"
