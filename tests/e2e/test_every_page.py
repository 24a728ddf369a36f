"""Every page there is, full and empty: it answers, says something, and every number that is a link is right."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from selectolax.parser import HTMLParser
from werkzeug.test import TestResponse

from app.core import clock
from app.core.db import end_read
from app.domain.operations import demo
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.e2e import filled
from tests.support.clients import Client

INLINE = re.compile(r"\sstyle=|<style|\son[a-z]+=\"|hx-on|<script(?![^>]*\ssrc=)", re.IGNORECASE)
COUNTED = re.compile(r"^/(campaigns/\d+/people|conversations|approvals|lists/\d+)(\?|$)")
# Opened by someone, a conversation has been read, and every number of unread ones is less.
READS = {"pages.conversations.show"}
NUMBER = re.compile(r"^\s*(\d[\d\u2009\u202f\u00a0,]*)\s*(?:people|person|replies|drafts|conversations)?\s*$")


@pytest.fixture
def addresses(app: Flask, full: Workspace) -> Iterator[dict[str, list[str]]]:
    """What to open, by endpoint, while time stands still: what is counted is listed a moment later."""
    found = filled.signed_in_pages(app, full)
    clock.use(clock.Movable(clock.now()))
    yield found
    clock.use(None)
    end_read()


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


def assert_decided(app: Flask, addresses: dict[str, list[str]]) -> None:
    """Every page is opened, or stands among the skipped with a reason; nothing stands there that is gone."""
    pages = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    pages = {endpoint for endpoint in pages if endpoint.startswith("pages.")}
    assert pages - {*addresses} - {*filled.SKIPPED} == set()
    assert all(addresses.values()), [endpoint for endpoint, some in addresses.items() if not some]
    assert {*filled.SKIPPED} - {rule.endpoint for rule in app.url_map.iter_rules()} == set()


def test_what_is_counted_is_what_is_listed_on_every_page(app: Flask, addresses: dict[str, list[str]]) -> None:
    """People, conversations and drafts: what is counted is what is listed, on every page that counts it."""
    assert_decided(app, addresses)
    browser = signed_in_client(app, demo.EMAIL)
    found: dict[tuple[str, int], str] = {}
    faults: list[str] = []
    for endpoint in sorted(addresses, key=lambda one: one not in READS):
        for address in addresses[endpoint]:
            answer = opened(browser, address)
            if answer.mimetype == "text/html":
                found |= {(href, number): address for number, href in numbers(answer.text)}
                faults += faults_of_html(answer.text, address)
    assert faults == []
    assert len(found) >= 11
    lengths = {href: length(browser, href) for href, _ in found}
    wrong = [
        f"{address} says {number}, {href} has {lengths[href]}"
        for (href, number), address in found.items()
        if number != lengths[href]
    ]
    assert wrong == []
