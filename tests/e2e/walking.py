"""A walk through pages: each is opened once, and looked at on a phone and on a desk, with all that it folds away.

What is wrong is collected, not asserted on the way. With OVERTURE_EVERY_LOOK=1 axe looks in both sizes and colours.
"""

import os
import re
from typing import Any

from playwright.sync_api import Page

from tests.e2e.browsing import RULES, SIDEWAYS, overflow, problems

EVERY_LOOK = "OVERTURE_EVERY_LOOK" in os.environ
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 320, "height": 640}
SHELL = (".sidebar", ".tabbar")

# A long list is more of the same, and what rules cost grows with the square of it: of all that is built alike its first
# stays, and the one that says most; and folds after the first dozen stay folded.
UNFOLD = """() => {
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
# What looks or acts as if it could be pressed, and cannot be reached with Tab; and the buttons that a message covers.
FEEL = f"""() => {{
  const reached = 'a[href], button, input, select, textarea, summary, label, [tabindex="0"], dialog, [popover]';
  const acts = one => one.matches(':not(form):is([hx-get], [hx-post])')
    && !/every|revealed|load|change/.test(one.getAttribute('hx-trigger'));
  const all = [...document.querySelectorAll('main *')].filter(one => one.checkVisibility());
  const found = all.filter(one => one.tabIndex > 0 || ((acts(one) || getComputedStyle(one).cursor === 'pointer')
    && !one.closest(reached) && !one.querySelector(reached)));
  const model = document.querySelector('#toast-model');
  if (!model) return [{SIDEWAYS}, found.map(one => one.outerHTML.slice(0, 90)), []];
  const toast = model.content.firstElementChild.cloneNode(true);
  toast.querySelector('span').textContent = 'Saved. This message is as long as many of them are.';
  document.querySelector('#toasts').append(toast);
  const place = toast.getBoundingClientRect();
  const under = one => one.left < place.right && one.right > place.left
    && one.top < place.bottom && one.bottom > place.top;
  const covered = [...document.querySelectorAll('.dock .btn, .decide .btn, .tabbar > *')]
    .filter(one => one.checkVisibility() && under(one.getBoundingClientRect()));
  toast.remove();
  return [{SIDEWAYS}, found.map(one => one.outerHTML.slice(0, 90)), covered.map(one => one.textContent.trim())];
}}"""
LARGER = "size => document.documentElement.style.setProperty('font-size', size)"


class Walk:
    """The pages that were opened in one browser, and everything wrong that was seen on them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: list[str] = []
        self._seen: set[str] = set()
        self._where = ""
        self._stand(PHONE, "light")

    def open(self, address: str, looked_at: bool = False, whole: bool = False) -> None:
        """See whether the page fits a phone and a desk and needs no mouse.

        `looked_at` also asks axe, in both colours, and at dialogs and menus that were not seen before; `whole` asks it
        about the frame around every page.
        """
        self.page.goto(address)
        for size in (PHONE, DESK):
            self._stand(size, "light")
            sideways, mouse_only, covered = self.page.evaluate(FEEL)
            self._note("runs off sideways", [sideways] if sideways else [])
            self._note("needs a mouse", mouse_only)
            self._note("is under a message", covered)
        if looked_at or whole:
            self._look_into(whole)
        self._stand(PHONE, "light")

    def _look_into(self, whole: bool) -> None:
        hidden = self.page.evaluate(UNFOLD)
        self.look(dark=True, without=() if whole else SHELL)
        for name in hidden:
            kind = re.sub(r"\d+", "N", name)
            if kind not in self._seen:
                self._seen.add(kind)
                self.page.evaluate(SHOW, name)
                self.look(within=f"#{name}")
                self.page.evaluate(HIDE, name)

    def look(self, dark: bool = False, within: str = "html", without: tuple[str, ...] = SHELL) -> None:
        """What is on the screen now is accessible, and nothing of it runs off sideways."""
        looks: list[tuple[dict[str, int], Any, list[str]]] = [(DESK, "light", RULES)]
        if EVERY_LOOK:
            looks = [(size, colours, RULES) for size in (PHONE, DESK) for colours in ("dark", "light")]
        elif dark:
            looks = [(DESK, "dark", ["color-contrast"]), *looks]
        for size, colours, rules in looks:
            self._stand(size, colours)
            self._note("breaks a rule", problems(self.page, rules, within, without))
            self._note("runs off sideways, unfolded", [over] if (over := overflow(self.page)) else [])

    def enlarge(self) -> None:
        """With letters twice as large nothing runs off sideways."""
        self._stand(DESK, "light")
        self.page.evaluate(LARGER, "200%")
        self._note("runs off sideways at 200% text", [over] if (over := overflow(self.page)) else [])
        self.page.evaluate(LARGER, "")

    def _stand(self, size: dict[str, int], colours: Any) -> None:
        where = f"{size['width']} px, {colours}"
        if where != self._where:
            self._where = where
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
            self.page.emulate_media(reduced_motion="reduce", color_scheme=colours)

    def _note(self, what: str, several: list[Any]) -> None:
        self.found += [f"{self.page.url} at {self._where} {what}: {one}" for one in several]
