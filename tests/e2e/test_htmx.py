"""What pages may rely on when htmx asks for them: tokens, refusals, confirmation, focus, polling, the next page."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask, Response, render_template_string, request
from playwright.sync_api import Page, Route, expect

from app.core.errors import Conflict, Unavailable
from app.models.workspaces import Workspace
from app.pages.framework.base import show_toast, signed_in
from tests.e2e.browsing import sign_in

PAGE = """{% extends "base.html" %}
{% import "macros/controls.html" as controls %}{% import "macros/forms.html" as forms %}
{% import "macros/data.html" as data %}{% block title %}Try{% endblock %}
{% block page %}<div class="page"><h1>Try</h1>
<button hx-post="/try/taken" hx-swap="none">Taken</button>
<button hx-post="/try/busy" hx-swap="none">Busy</button>
<button hx-post="/try/save" hx-target="#answer" hx-confirm="Send to 42 people?" data-confirm-label="Send">Save</button>
<p id="answer">nothing yet</p>
<form id="form" hx-post="/try/form" hx-swap="outerHTML" novalidate>{{ forms.field("name", "Name") }}
{{ controls.button("Check", kind="primary") }}</form>
<div id="count" hx-get="/try/count" hx-trigger="every 50ms" hx-swap="outerMorph">0</div>
{% call data.table("rows", "Rows", [{"label": "Name"}]) %}<tr role="row"><td role="cell" class="key">First</td></tr>
{{ data.load_more("/try/more", 1, 2, columns=1) }}{% endcall %}</div>{% endblock %}"""
FORM = """{% import "macros/controls.html" as controls %}{% import "macros/forms.html" as forms %}
<form id="form" hx-post="/try/form" hx-swap="outerHTML" novalidate>
{{ forms.field("name", "Name", error="Give a name.", autofocus=true) }}{{ controls.button("Check") }}</form>"""
NEWS = '<div id="news" hx-get="/try/news" hx-trigger="every 50ms" hx-swap="outerMorph">before</div>'

# Whatever begins to move is held, for as long as a slow machine takes to look at it.
STILL = "addEventListener('animationstart', e => e.target.getAnimations().forEach(one => one.pause()))"
# Both answers have come; waiting from outside would evaluate text, which the pages forbid.
OVER = "async () => { while (over < 2) await new Promise(done => setTimeout(done, 10)); }"


def _refuse(error: Exception) -> Callable[..., Any]:
    def view(workspace: Workspace) -> Any:
        raise error

    return signed_in(view)


def _save(workspace: Workspace) -> str:
    return f"saved by {workspace.name}"


def _count(workspace: Workspace) -> Response:
    asked = int(request.cookies.get("asked", "0")) + 1
    last = asked >= 3
    again = "" if last else ' hx-get="/try/count" hx-trigger="every 50ms" hx-swap="outerMorph"'
    answer = Response(f'<div id="count"{again}>{"done after " if last else ""}{asked}</div>')
    answer.set_cookie("asked", str(asked))
    return answer


def _page(body: str) -> Callable[..., Any]:
    """A view that shows a page of its own."""
    whole = '{% extends "base.html" %}{% block page %}<h1>Try</h1>' + body + "{% endblock %}"
    return signed_in(lambda workspace: render_template_string(whole))


@pytest.fixture
def app(new_app: Flask) -> Flask:
    """The application with pages to try things on; all of them before it is served."""
    views: dict[str, Callable[..., Any]] = {
        "": signed_in(lambda workspace: render_template_string(PAGE)),
        "/taken": _refuse(Conflict("Marek approved this 8 s ago.", recovery="Look at the next one.")),
        "/busy": _refuse(Unavailable("The service is busy.", retry_after=9)),
        "/save": signed_in(_save),
        "/form": signed_in(lambda workspace: (render_template_string(FORM), 422)),
        "/count": signed_in(_count),
        "/more": signed_in(lambda workspace: '<tr role="row"><td role="cell" class="key">Second</td></tr>'),
        "/late": _page(NEWS + '<button hx-post="/try/change" hx-target="#news" hx-swap="outerMorph">Change</button>'),
        "/change": signed_in(lambda workspace: '<div id="news">after</div>'),
        "/twice": _page('<button hx-post="/try/gone" hx-swap="outerHTML">Once</button>'),
        "/say": signed_in(lambda workspace: (show_toast("Draft saved."), "")[1]),
    }
    for path, view in views.items():
        new_app.add_url_rule(f"/try{path}", f"try{path}", view, methods=["GET", "POST"])
    return new_app


@pytest.fixture
def ada(page: Page, acme: Workspace) -> Iterator[Page]:
    """Ada on the page to try things on; her browser refuses nothing."""
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if "Security Policy" in message.text else None)
    page.on("pageerror", lambda error: refused.append(str(error)))
    sign_in(page)
    page.goto("/try")
    yield page
    assert refused == []


def test_a_confirmed_form_answers_in_place_and_keeps_the_focus(ada: Page) -> None:
    ada.get_by_role("button", name="Save").click()
    dialog = ada.get_by_role("dialog")
    expect(dialog).to_contain_text("Send to 42 people?")
    dialog.get_by_role("button", name="Send").click()
    expect(ada.locator("#answer")).to_have_text("saved by Acme")
    expect(ada.get_by_role("button", name="Save")).to_be_focused()


def test_saying_no_sends_nothing(ada: Page) -> None:
    sent: list[str] = []
    ada.on("request", lambda asked: sent.append(asked.url) if "/save" in asked.url else None)
    ada.get_by_role("button", name="Save").click()
    ada.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(ada.get_by_role("dialog")).to_be_hidden()
    ada.get_by_role("button", name="Save").click()
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("dialog")).to_be_hidden()
    expect(ada.locator("#answer")).to_have_text("nothing yet")
    assert sent == []


def test_a_refusal_is_a_message_and_leaves_the_page(ada: Page) -> None:
    ada.get_by_role("button", name="Taken").click()
    expect(ada.get_by_role("alert").filter(has_text="Marek approved this 8 s ago.")).to_be_visible()
    expect(ada.get_by_role("heading", name="Try")).to_be_visible()
    expect(ada.get_by_role("button", name="Taken")).to_be_focused()


def test_a_busy_service_says_when_to_try_again(ada: Page) -> None:
    ada.get_by_role("button", name="Busy").click()
    expect(ada.get_by_role("alert").filter(has_text="Try again in 9 s.")).to_be_visible()


def test_a_session_that_ended_leads_to_sign_in_and_back(ada: Page) -> None:
    expect(ada.locator("#count")).to_have_text(re.compile("done after"))
    ada.context.clear_cookies()
    ada.get_by_role("button", name="Taken").click()
    expect(ada).to_have_url("/login?next=/try")
    ada.get_by_label("Email").fill("ada@acme.example")
    ada.get_by_label("Password", exact=True).fill("four unrelated quiet words")
    ada.get_by_role("button", name="Sign in").click()
    expect(ada).to_have_url("/try")


def test_a_wrong_form_comes_back_with_the_first_wrong_field_in_focus(ada: Page) -> None:
    ada.get_by_role("button", name="Check").click()
    expect(ada.get_by_text("Give a name.")).to_be_visible()
    expect(ada.get_by_label("Name", exact=True)).to_be_focused()


def test_polling_ends_with_the_last_fragment(ada: Page) -> None:
    expect(ada.locator("#count")).to_have_text(re.compile("done after"))
    expect(ada.locator("#count")).not_to_have_attribute("hx-get", "/try/count")


def test_what_a_poll_finds_late_does_not_undo_what_was_done_meanwhile(page: Page, acme: Workspace) -> None:
    """Its answer tells of before; it is dropped, and with it that there is still something to look for."""
    held: list[Route] = []
    page.route("**/try/news", lambda route: held.append(route))
    sign_in(page)
    with page.expect_request("**/try/news"):
        page.goto("/try/late")
    page.evaluate("() => { window.over = 0; document.addEventListener('htmx:finally:request', () => { over += 1; }); }")
    page.get_by_role("button", name="Change").click()
    expect(page.locator("#news")).to_have_text("after")
    held[0].fulfill(body=NEWS)
    page.evaluate(OVER)
    expect(page.locator("#news")).to_have_text("after")
    expect(page.locator("#news")).not_to_have_attribute("hx-get", "/try/news")


def test_a_second_press_of_what_is_gone_by_then_breaks_nothing(page: Page, acme: Workspace) -> None:
    """It waits for the first, whose answer takes the button away."""
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    answers: list[Route] = []
    page.route("**/try/gone", lambda route: answers.append(route))
    sign_in(page)
    page.goto("/try/twice")
    with page.expect_request("**/try/gone"):
        page.get_by_role("button", name="Once").click()
    page.get_by_role("button", name="Once").click()
    with page.expect_request("**/try/gone"):
        answers[0].fulfill(body="<p>done</p>")
    expect(page.get_by_text("done")).to_be_visible()
    assert broken == []


def test_the_next_page_comes_in_place(ada: Page) -> None:
    ada.get_by_role("link", name="Load more").click()
    expect(ada.get_by_role("row", name="Second")).to_be_visible()
    expect(ada.get_by_role("link", name="Load more")).to_be_hidden()


def test_a_message_fades_unless_someone_reads_it(page: Page, acme: Workspace) -> None:
    page.add_init_script(STILL)
    sign_in(page)
    page.goto("/try/say")
    page.goto("/")
    toast = page.locator(".toast", has_text="Draft saved.")
    expect(toast).to_be_visible()
    toast.hover()
    expect(toast).to_have_css("animation-play-state", "paused")
    page.mouse.move(0, 0)
    expect(toast).to_have_css("animation-play-state", "running, running")
    page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    expect(toast).to_be_hidden()
