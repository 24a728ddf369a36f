"""What can be done on a page without leaving it: found, and pressed by keyboard, each kind once."""

import re

from playwright.sync_api import Error, Page
from selectolax.parser import HTMLParser, Node

# Something is typed into each field, a row is picked, and everything that scrolls is scrolled.
FILL = """() => {
  const free = field => field.checkVisibility() && !field.readOnly && !field.disabled && !field.closest('.reveal');
  const all = selector => [...document.querySelectorAll(selector)].filter(free);
  all('main :is(input:not([type]), input[type=text], input[type=search], textarea)')
    .filter(field => field.autocomplete !== 'one-time-code').slice(0, 12)
    .forEach((field, at) => { field.value = `typed ${at}`; });
  all('main .pick input:not([data-all])').slice(1, 3).forEach(box => { box.click(); });
  scrollTo(0, 240);
  all('main div, main section').filter(part => part.scrollHeight > part.clientHeight + 30)
    .forEach(part => { part.scrollTop = 25; });
}"""
SEEN = """() => {
  const open = 'main :is(input:not([type=hidden], [type=password]), textarea, select)';
  const fields = [...document.querySelectorAll(open)];
  const value = one => /checkbox|radio/.test(one.type) ? one.checked : one.value;
  const parts = [...document.querySelectorAll('main div, main section')].filter(part => part.scrollTop);
  // By its address: a row also says how long ago something was.
  const chosen = [...document.querySelectorAll('main [aria-current]')]
    .map(one => one.href || one.querySelector('a')?.href || one.textContent.trim());
  return [location.pathname + location.search, ...chosen, `scrolled ${Math.round(scrollY)}`,
    ...fields.map(one => `${one.name || one.id} ${value(one)}`),
    ...parts.map(one => `${one.className} scrolled ${Math.round(one.scrollTop)}`),
    ...[...document.querySelectorAll('[data-picked]')].map(one => one.textContent)];
}"""
LISTEN = """
window.busy = window.acted = 0;
const counts = by => e => {
  if (/every/.test(e.target.getAttribute?.('hx-trigger'))) return;
  window.busy += by;
  window.acted += by > 0;
};
document.addEventListener('htmx:before:request', counts(1));
document.addEventListener('htmx:finally:request', counts(-1));
document.addEventListener('htmx:after:request', e => {
  if (e.detail.ctx.response.headers.has('HX-Redirect')) window.busy += 1; // until the next page is there
});
"""
# What asks for a piece of the page when it is pressed: links and buttons themselves, and the buttons of such forms.
PRESSED = "main :is(a[hx-get], button)"
ACTIONS = f"""[...document.querySelectorAll('{PRESSED}')].map(one => {{
  const form = one.type === 'submit' && one.form?.matches('[hx-post]') && one.form;
  const source = one.matches('[hx-get], [hx-post]') ? one : form;
  if (!source || !one.checkVisibility() || one.disabled || one.ariaDisabled === 'true') return '';
  const address = source.getAttribute('hx-post') || source.getAttribute('hx-get') || source.getAttribute('action');
  return `${{address.replace(/[?].*/, '')}} ${{one.name || ''}} ${{one.value || ''}}`.replace(/[0-9]+/g, 'N');
}})"""
FOCUS = """at => {
  const one = document.querySelectorAll('main :is(a[hx-get], button)')[at];
  if (one.form) one.form.noValidate = true;
  one.focus();
}"""
# Neither can be waited for from outside: that would evaluate text, which the pages forbid.
ANSWERED = """async () => {
  const asks = () => document.querySelector('#confirm[open]');
  const over = () => (window.acted && !window.busy) || asks();
  for (let tries = 0; tries < 6000 && !over(); tries++) await new Promise(done => setTimeout(done, 10));
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [!!asks(), window.acted ? document.activeElement.localName : ''];
}"""
# Playwright's own wait may still see the state of the page before.
LOADED = "() => new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))"
MISSING = f"""async before => {{
  const missing = () => {{ const now = ({SEEN})(); return before.filter(one => !now.includes(one)); }};
  for (let tries = 0; tries < 1000 && missing().length; tries++) await new Promise(done => setTimeout(done, 20));
  return missing();
}}"""


def _kinds(html: HTMLParser) -> list[str]:
    """The kinds of actions on the page, seen or not, as ACTIONS calls them."""
    found = []
    forms = {form.id: form for form in html.css("main form[hx-post]") if form.id}
    for one in html.css("main a[hx-get], main button"):
        source: Node | None = one
        if not {"hx-get", "hx-post"} & set(one.attributes):
            source = forms.get(one.attributes.get("form")) or _form_around(one)
        if source is not None:
            given = source.attributes
            address = given.get("hx-post") or given.get("hx-get") or given.get("action") or ""
            words = (
                f"{address.partition('?')[0]} {one.attributes.get('name') or ''} {one.attributes.get('value') or ''}"
            )
            found.append(re.sub("[0-9]+", "N", words))
    return list(dict.fromkeys(found))


def _form_around(button: Node) -> Node | None:
    around = button.parent
    while around is not None and around.tag != "form":
        around = around.parent
    return around if around is not None and "hx-post" in around.attributes else None


class Acting:
    """Presses each kind of action once, and remembers after which of them the focus was nowhere."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.pressed: list[str] = []
        self.unfocused: list[str] = []
        self._seen: set[str] = set()
        page.add_init_script(LISTEN)

    def press_all(self, address: str, html: HTMLParser) -> None:
        """What the page can do and was not done yet is done, each on a page as it was opened."""
        shown: list[str] | None = None
        for kind in _kinds(html):
            if kind not in self._seen:
                self._seen.add(kind)
                if shown is None:
                    self._page.goto(address)
                    shown = self._page.evaluate(ACTIONS)
                if kind in shown:
                    self._press(kind, shown.index(kind))
                    shown = None

    def _press(self, kind: str, at: int) -> None:
        page = self._page
        page.evaluate(FOCUS, at)
        page.keyboard.press("Enter")
        asked, focused = self._answered()
        if asked:
            page.locator("#confirm [value=yes]").press("Enter")
            _, focused = self._answered()
        if focused:  # else another page was opened, from its top
            self.pressed.append(kind)
        if focused == "body":
            self.unfocused.append(f"{page.url}: {kind}")

    def _answered(self) -> tuple[bool, str]:
        """Whether it asks first; what has the focus once the answer is there, '' on another page."""
        try:
            asked, focused = self._page.evaluate(ANSWERED)
            return asked, focused
        except Error:  # the page it was asked of is gone
            self._arrived()
            return False, ""

    def _arrived(self) -> None:
        """The next page is there, whole: one that is opened before that may never come."""
        for _ in range(100):
            try:
                return self._page.evaluate(LOADED)
            except Error:  # asked of the page that is gone, still
                continue
        raise AssertionError(f"{self._page.url} leads to no page.")
