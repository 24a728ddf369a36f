"""The bars of the interface that hold on every page: nothing typed is lost, nor the focus, and actions are undone."""

import re

import pytest
from flask import Flask
from playwright.sync_api import Page, expect
from selectolax.parser import HTMLParser

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.exclusions import never_contact
from app.domain.operations import demo
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_list, email
from tests.domain.reviewing import drafts, held
from tests.e2e import filled
from tests.e2e.acting import FILL, MISSING, SEEN, Acting
from tests.e2e.browsing import focus_is_kept, sign_in, titled
from tests.e2e.test_every_page import signed_in_client
from tests.support.clients import Client

# What leads away or ends the session; and what opens in a dialog over any page, which test_palette.py looks at.
ELSEWHERE = ("pages.auth.", "pages.invitations.", "pages.unsubscribing.", "health.", *filled.PIECES)
TYPED = "input:not([type]), input[type=text], input[type=email], input[type=search], textarea"
HIDDEN = "input[type=hidden][name]"
TOO_LONG = "too long " * 1000
UNDO_SECONDS = """() => {
  const [last] = [...document.querySelectorAll('.toast:has([data-key=z])')].slice(-1);
  return Math.min(...last.getAnimations().filter(one => one.animationName === 'leave')
    .map(one => one.effect.getComputedTiming().delay)) / 1000;
}"""


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("401", "403", "404", "409", "422", "503")


@pytest.fixture
def addresses(app: Flask, full: Workspace) -> list[str]:
    """A page of every kind of a workspace that has everything."""
    pages = filled.signed_in_pages(app, full)
    end_read()
    return [some[0] for endpoint, some in pages.items() if not endpoint.startswith(ELSEWHERE)]


@pytest.fixture
def owner(page: Page, addresses: list[str]) -> Page:
    """The owner of that workspace, signed in."""
    sign_in(page, demo.EMAIL)
    return page


def test_reload_and_back_keep_what_was_typed_and_the_focus(owner: Page, app: Flask, addresses: list[str]) -> None:
    """Reload and Back bring back what was typed, picked and scrolled to; no action takes the focus away."""
    client = signed_in_client(app, demo.EMAIL)
    pages = {address: HTMLParser(client.get(address).text) for address in addresses}
    acting, lost, known, filled_in = Acting(owner), [], set[str](), 0
    for address, page in pages.items():
        if (fields := _fields(page)) - known:
            known |= fields
            filled_in += 1
            lost += _lost(owner, address, "Back" if filled_in % 2 else "Reload")
        acting.press_all(address, page)
    assert filled_in >= 20
    assert lost == []
    assert len(acting.pressed) >= 30
    assert acting.unfocused == []
    _silent(client, pages)


def _fields(page: HTMLParser) -> set[str]:
    """What can be typed into on the page, and which rows can be picked, by kind."""
    places = ", ".join(f"main {each}" for each in (*TYPED.split(", "), ".pick input"))
    return {f"{one.attributes.get('name')} {one.attributes.get('form')}" for one in page.css(places)}


def _lost(page: Page, address: str, how: str) -> list[str]:
    """What the page forgets when it is loaded again, or when someone comes back to it."""
    page.goto(address)
    page.evaluate(FILL)
    before = page.evaluate(SEEN)
    if how == "Reload":
        page.reload()
    else:
        page.goto("about:blank")
        page.go_back()
    missing = page.evaluate(MISSING, before)
    return [f"{address} after {how}: {missing}"] if missing else []


def _silent(client: Client, pages: dict[str, HTMLParser]) -> None:
    """Every form, empty and far too long: it is taken, or it comes back with words, and never breaks."""
    silent, sent = [], set()
    for address, page in pages.items():
        for form in page.css("main form[method=post]"):
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
                    silent.append(f"{action} with {words[:8] or 'nothing'}: {answer.status_code}")
    assert len(sent) >= 20
    assert silent == []


def test_an_edited_draft_survives(page: Page, acme: Workspace) -> None:
    """A reload, a server that does not answer, and the end of the session."""
    held(acme, ["quiet-ada"], [email("Hi {{first_name}}, a question.")])
    (draft,) = drafts(acme, "pending")
    sign_in(page)
    page.goto("/approvals")
    box, survived = page.locator(f"#text-{draft.id}"), []

    def types(words: str, how: str) -> None:
        expect(page.locator(f"#heading-{draft.id}")).to_be_focused()
        page.keyboard.press("e")
        expect(box).to_be_focused()
        page.keyboard.insert_text(words)  # at once: a session that ends takes the page away while one still types
        survived.append(how)

    types(" One.", "a reload")
    page.reload()
    expect(box).to_have_value("Hi Ada, a question. One.")
    page.route("**/approvals/**", lambda route: route.fulfill(status=503, headers={"Retry-After": "9"}))
    types(" Two.", "an answer of 503")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").filter(has_text="Nothing was lost. Try again in 9 s.").first).to_be_visible()
    page.unroute("**/approvals/**")
    page.reload()
    expect(box).to_have_value("Hi Ada, a question. One. Two.")
    page.context.clear_cookies()
    types(" Three.", "the end of the session")
    titled(page, "Sign in")
    page.get_by_label("Email").fill("ada@acme.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(box).to_have_value("Hi Ada, a question. One. Two. Three.")
    assert len(survived) >= 3


def test_actions_can_be_undone(page: Page, acme: Workspace) -> None:
    """For ten seconds at least by the message that tells of them; then everything is as it was."""
    held(acme, ["quiet-ada"], [email("Hi {{first_name}}, a question.")])
    (draft,) = drafts(acme, "pending")
    list_id = a_list(acme, ["bob"], "Tagged")
    never_contact.add(acme, ["someone@blocked.example"])
    end_read()
    sign_in(page)
    seconds: dict[str, float] = {}

    def undone(action: str) -> None:
        undo = page.locator(".toast").get_by_role("button", name="Undo").last
        expect(undo).to_be_visible()
        seconds[action] = page.evaluate(UNDO_SECONDS)
        undo.click()
        expect(undo).to_be_hidden()

    page.goto("/approvals")
    for action in ("Approve", "Skip"):
        page.locator(".decide").get_by_role("button", name=action).click()
        undone(action)
        expect(page.locator(f"#heading-{draft.id}")).to_be_focused()
    page.goto(f"/lists/{list_id}")
    page.get_by_label("Select Bob").check()
    page.get_by_label("Tag", exact=True).fill("VIP")
    page.get_by_role("button", name="Add tag").click()
    undone("tag")
    expect(page.get_by_text("“VIP” removed from 1 person.")).to_be_visible()
    expect(page.get_by_role("row", name="Bob")).not_to_contain_text("VIP")
    focus_is_kept(page)
    page.goto("/never-contact")
    page.get_by_role("button", name="Remove someone@blocked.example").click()
    undone("remove")
    expect(page.get_by_role("row", name="someone@blocked.example")).to_be_visible()
    assert len(seconds) == 4
    assert min(seconds.values()) >= 10
    assert approvals.UNDO.total_seconds() >= 10
