"""Every page there is, full and empty: it counts right, everyone can use it, and it forgets nothing that was typed.

With OVERTURE_EVERY_LOOK=1 axe looks at every page, and what is typed and focused is tried on each; without it, on those
that people work on most.
"""

import re
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Page, expect
from selectolax.parser import HTMLParser
from werkzeug.test import TestResponse

from app.core import clock
from app.core.db import end_read, session
from app.domain.autopilot import plays
from app.domain.enrichment.crm import lists as crm_lists
from app.domain.installation.sandbox import demo
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.e2e import filled
from tests.e2e.acting import FILL, MISSING, SEEN, Acting
from tests.e2e.browsing import titled
from tests.e2e.walking import EVERY_LOOK, Walk
from tests.pages.framework.test_icons import SPRITE
from tests.support.clients import Client
from tests.support.crms import tame
from tests.support.movable import Movable

INLINE = re.compile(r"\sstyle=|<style|\son[a-z]+=\"|hx-on|<script(?![^>]*\ssrc=)", re.IGNORECASE)
COUNTED = re.compile(r"^/(campaigns/\d+/people|conversations|approvals|lists/\d+)(\?|$)")
OPENED = re.compile(r"^/conversations/\d+")
NUMBER = re.compile(r"^\s*(\d[\d\u2009\u202f\u00a0,]*)\s*(?:people|person|replies|drafts|conversations)?\s*$")
# The same pages when they have nothing to show, or something else than usual.
MORE = (
    "/nothing-here",
    "/approvals?show=approved",
    "/approvals?kind=inmail",
    "/campaigns?status=failed",
    "/campaigns/{campaign}/people?q=nobody",
    "/conversations?q=nobody",
    "/developers/requests?state=refused",
    "/search?q=nobody-at-all",
    "/plays/{play}?as=template",
)
LIVE = ("/settings/crm", "/settings/crm/lists", "/settings/services", "/settings/meetings")
# What leads to a page that is opened anyway.
PASSED_BY = {
    *filled.PIECES,
    "pages.auth.login",
    "pages.auth.second_step",
    "pages.autopilot.index",
    "pages.campaigns.edit",
}
# Where people spend their days.
CENTRAL = {
    "pages.home.index",
    "pages.approvals.index",
    "pages.autopilot.targeting",
    "pages.campaigns.new",
    "pages.campaigns.people",
    "pages.campaigns.revise",
    "pages.campaigns.show",
    "pages.conversations.show",
    "pages.developers.webhooks.show",
    "pages.lists.people.show",
    "pages.lists.show",
    "pages.monitors.show",
    "pages.plays.show",
    "pages.senders.show",
    "pages.settings.index",
}
# Forms that are sent empty, so that they come back with what is wrong.
FORMS = (
    "/lists/new",
    "/campaigns/new",
    "/senders/new",
    "/developers/keys/new",
    "/developers/webhooks/new",
    "/settings/profile",
    "/settings/team",
    "/settings/billing/cancel",
    "/never-contact",
    "/signals",
)
TYPED = "input:not([type]), input[type=text], input[type=email], input[type=search], textarea"
HIDDEN = "input[type=hidden][name]"
TOO_LONG = "too long " * 1000
SEND_EMPTY = """() => {
  const form = document.querySelector('main form[method=post]:not([data-sent])');
  form.noValidate = true;
  const typed = 'input:not([type=hidden], [type=radio], [type=checkbox]), textarea';
  form.querySelectorAll(typed).forEach(field => { field.value = ''; });
  form.requestSubmit();
}"""


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application as developers run it, so that the components can be seen."""
    return build_app(OVERTURE_DEVELOPMENT=True)


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("401", "403", "404", "409", "422")


def test_an_empty_workspace_says_what_will_be_there(app: Flask, acme: Workspace) -> None:
    """Every page without an id answers, with words where nothing is yet."""
    browser = signed_in_client(app, "ada@acme.example")
    found = []
    for rule in app.url_map.iter_rules():
        skipped = rule.endpoint in filled.SKIPPED or not rule.endpoint.startswith("pages.")
        if skipped or rule.arguments or "GET" not in (rule.methods or ()):
            continue
        answer = opened(browser, rule.rule)
        if answer.status_code != 200:
            found.append(f"{rule.rule}: {answer.status_code}")
        elif answer.mimetype == "text/html":
            found += faults_of_html(answer.text, rule.rule)
    assert found == []


@pytest.fixture
def pages(app: Flask, full: Workspace) -> dict[str, list[str]]:
    """The addresses of every page of a workspace that has everything, with a play approved, so that no step is shut."""
    plays.approve(full, plays.every(full)[0].id)
    found = filled.signed_in_pages(app, full)
    end_read()
    return found


def test_every_page_counts_right_and_answers_its_forms(app: Flask, pages: dict[str, list[str]]) -> None:
    """A number leads to as many; a form that is sent empty or far too long comes back with words."""
    assert undecided(app, pages) == []
    client = signed_in_client(app, demo.EMAIL)
    shown, found = miscounted(client, pages)
    found += silent(client, [(some[0], shown[some[0]]) for endpoint, some in pages.items() if is_inside(endpoint)])
    assert found == []


def test_pages_shut_no_one_out_and_forget_nothing(
    app: Flask, full: Workspace, pages: dict[str, list[str]], page: Page, complaints: list[str]
) -> None:
    """By mouse or keyboard, on a desk or a phone, with large letters; what was typed and the focus stay.

    `make test` opens the pages where people spend their days, `make verify ARGS=pages` every page.
    """
    play = plays.every(full)[0].id
    campaign = session().scalar(sa.select(sa.func.min(Campaign.id)).where(Campaign.workspace_id == full.id))
    end_read()
    walk = Walk(page)
    sign_in_after_a_wrong_try(walk)
    for address in FORMS:  # first, as some ask for the password again long after signing in
        page.goto(address)
        page.evaluate(SEND_EMPTY)
        wrong = page.locator("main [aria-invalid=true], main [role=alert]").locator("visible=true")
        expect(wrong.first).to_be_visible()
        walk.look()
    opened_here = [name for name in pages if name not in PASSED_BY and (EVERY_LOOK or worked_on(name))]
    for number, endpoint in enumerate(opened_here):
        walk.open(pages[endpoint][0], looked_at=worked_on(endpoint), whole=number < 2)
    for address in MORE:
        walk.open(address.format(campaign=campaign, play=play))
    page.goto("/dev/components")
    walk.look(dark=True, without=())
    walk.enlarge()
    client = signed_in_client(app, demo.EMAIL)
    central = {some[0]: HTMLParser(opened(client, some[0]).text) for name, some in pages.items() if worked_on(name)}
    found = forgotten(page, central) + unfocused(page, central)
    tame(full)  # only a live workspace has these pages
    crm_lists.follow(workspaces.get(full.id), "31")
    end_read()
    for address in LIVE:
        walk.open(address)
    assert found + walk.found + complaints == []


def is_inside(endpoint: str) -> bool:
    """Whether it is a page of its own of someone who is signed in."""
    return not endpoint.startswith(("pages.auth.", "pages.invitations.", "pages.unsubscribing.", *filled.PIECES))


def worked_on(endpoint: str) -> bool:
    """Whether axe looks at it, and what is typed there and the focus are tried."""
    return endpoint in CENTRAL or (EVERY_LOOK and is_inside(endpoint))


def undecided(app: Flask, pages: dict[str, list[str]]) -> list[str]:
    """Pages that are neither opened nor among the skipped with a reason, and reasons for what is gone."""
    rules = {rule.endpoint: "GET" in (rule.methods or ()) for rule in app.url_map.iter_rules()}
    there = {endpoint for endpoint, got in rules.items() if got and endpoint.startswith("pages.")}
    nowhere = [endpoint for endpoint, some in pages.items() if not some]
    return [*(there - {*pages} - {*filled.SKIPPED}), *({*filled.SKIPPED} - {*rules}), *nowhere]


def signed_in_client(app: Flask, email: str) -> Client:
    """A browser without a screen."""
    client = app.test_client()
    assert isinstance(client, Client)
    token = HTMLParser(client.get("/login").text).css_first("meta[name=csrf]")
    assert token
    fields = {"csrf_token": token.attributes["content"], "email": email, "password": PASSWORD}
    assert client.post("/login", data=fields).status_code == 303
    return client


def opened(client: Client, address: str) -> TestResponse:
    """The page, at the end of every redirect."""
    answer = client.get(address)
    while answer.status_code in (302, 303):
        answer = client.get(answer.headers["Location"])
    return answer


def faults_of_html(html: str, address: str) -> list[str]:
    """What no page may have, whatever it shows."""
    tree, found = HTMLParser(html), []
    title = tree.css_first("title")
    if not title or not title.text().removesuffix("– Overture").strip():
        found.append("no title")
    if not tree.css_first("h1"):
        found.append("no first heading")
    if inline := INLINE.search(html):
        found.append(f"inline: {html[inline.start() : inline.end() + 60]}")
    if len(ids := [node.id for node in tree.css("[id]")]) != len(set(ids)):
        found.append(f"ids twice: {sorted({one for one in ids if ids.count(one) > 1})}")
    if len(main := primary(tree)) > 1:
        found.append(f"more than one primary button: {main}")
    drawn = {str(use.attributes["href"]).rpartition("#")[2] for use in tree.css("use[href*='icons.svg']")}
    found += [f"no such icon: {name}" for name in drawn - SPRITE]
    found += [f"an empty table: {node.id}" for node in tree.css("tbody") if not node.css("tr, template")]
    return [f"{address}: {one}" for one in found]


def primary(tree: HTMLParser) -> list[str]:
    """The primary buttons that are seen at once and can be pressed; a dialog, a menu and a fold have their own."""
    found = []
    for node in tree.css("main .btn.primary:not([aria-disabled])"):
        above, seen = node.parent, True
        while above is not None and seen:
            kept = above.attributes
            folded = above.tag == "details" and "open" not in kept
            seen = not (above.tag in ("dialog", "template", "noscript") or folded or {"popover", "hidden"} & set(kept))
            above = above.parent
        if seen:
            found.append(" ".join(node.text().split()))
    return found


def miscounted(client: Client, pages: dict[str, list[str]]) -> tuple[dict[str, HTMLParser], list[str]]:
    """Every page, its faults, and numbers of people, conversations and drafts that lead to another number.

    Time stands still, so that what is counted is listed a moment later; and a conversation is opened last, because it
    has been read then, and every number of unread ones is less: the numbers there are not followed.
    """
    shown: dict[str, HTMLParser] = {}
    counted: dict[tuple[str, int], str] = {}
    faults: list[str] = []
    clock.use(Movable(clock.now()))
    try:
        last = {name: [one for one in some if OPENED.match(one)] for name, some in pages.items()}
        for address in (one for name, some in pages.items() for one in some if one not in last[name]):
            answer = opened(client, address)
            shown[address] = HTMLParser(answer.text)
            if answer.mimetype == "text/html":
                counted |= {(href, number): address for number, href in numbers(answer.text)}
                faults += faults_of_html(answer.text, address)
        lengths = {href: length(client, href) for href, _ in counted}
        for address in (one for some in last.values() for one in some):
            answer = opened(client, address)
            shown[address] = HTMLParser(answer.text)
            faults += faults_of_html(answer.text, address) if answer.mimetype == "text/html" else []
    finally:
        clock.use(None)
    assert len(counted) >= 11
    faults += [
        f"{address} says {number}, {href} has {lengths[href]}"
        for (href, number), address in counted.items()
        if number != lengths[href]
    ]
    return shown, faults


def numbers(html: str) -> Iterator[tuple[int, str]]:
    """Links that say how many, and what they lead to."""
    for link in HTMLParser(html).css("main a[href]"):
        part = link.css_first("b, .n, .count") or link
        if (said := NUMBER.match(part.text().strip())) and COUNTED.match(href := link.attributes["href"] or ""):
            yield int(re.sub(r"\D", "", said[1])), href


def length(client: Client, href: str) -> int:
    """How many rows the list has, with every page of it."""
    counted, seen = 0, set()
    while href and href not in seen:
        seen.add(href)
        tree = HTMLParser(opened(client, href).text)
        main = tree.css_first("main")
        assert main, href
        counted += len(main.css("tbody tr:not(.more-row), #rows > li, .row-link"))
        more = main.css_first("a[href*='cursor=']")
        href = more.attributes["href"] or "" if more else ""
    return counted


def sign_in_after_a_wrong_try(walk: Walk) -> None:
    """The owner signs in; the refusal before it is looked at, too."""
    page = walk.page
    walk.open("/login")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="Wrong email or password.")).to_be_visible()
    walk.look(dark=True)
    walk.enlarge()
    page.get_by_label("Email").fill(demo.EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    titled(page, "Home")


def forgotten(page: Page, shown: dict[str, HTMLParser]) -> list[str]:
    """What was typed, picked or scrolled to, and is not there again after Reload or Back."""
    lost, known = [], set[str]()
    places = ", ".join(f"main {each}" for each in (*TYPED.split(", "), ".pick input"))
    for address, html in shown.items():
        fields = {f"{one.attributes.get('name')} {one.attributes.get('form')}" for one in html.css(places)}
        if not fields - known:
            continue
        known |= fields
        page.goto(address)
        expect(page.locator(".htmx-request")).to_have_count(0)  # the inbox opens its first conversation
        page.evaluate(FILL)
        before = page.evaluate(SEEN)
        if len(known) % 2:
            page.reload()
        else:
            page.goto("about:blank")
            page.go_back()
        if missing := page.evaluate(MISSING, before):
            lost.append(f"{address} forgets {missing}")
    assert len(known) >= 20
    return lost


def unfocused(page: Page, shown: dict[str, HTMLParser]) -> list[str]:
    """Actions after which nothing has the focus, each kind pressed once by keyboard."""
    acting = Acting(page)
    for address, html in shown.items():
        acting.press_all(address, html)
    assert len(acting.pressed) >= 20
    return acting.unfocused


def silent(client: Client, shown: list[tuple[str, HTMLParser]]) -> list[str]:
    """Forms that break, or come back without a word, when they are sent empty and far too long."""
    found, sent = [], set()
    for address, html in shown:
        for form in html.css("main form[method=post]"):
            action = form.attributes.get("action") or address
            typed = [str(one.attributes["name"]) for one in form.css(TYPED) if one.attributes.get("name")]
            kind = re.sub(r"\d+", "N", action)
            if not typed or kind in sent:
                continue
            sent.add(kind)
            known = {one.attributes["name"]: one.attributes.get("value") for one in form.css(HIDDEN)}
            for words in ("", TOO_LONG):
                answer = client.post(action, data=known | dict.fromkeys(typed, words))
                said = HTMLParser(answer.text).css_first("[role=alert], [aria-invalid=true], .error, main h1")
                if answer.status_code >= 500 or (answer.status_code >= 400 and not said):
                    found.append(f"{action} with {words[:8] or 'nothing'}: {answer.status_code}")
    assert len(sent) >= 20
    return found
