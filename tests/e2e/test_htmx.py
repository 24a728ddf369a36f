"""What pages may rely on when htmx asks for them: tokens, refusals, confirmation, focus, polling, the next page."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask, Response, render_template_string, request
from playwright.sync_api import Page, Route, expect

from app.core.errors import Conflict, Unavailable
from app.models.workspaces import Workspace
from app.pages.framework.base import show_toast, signed_in

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


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application with pages to try things on."""
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
    app = build_app()
    for path, view in views.items():
        app.add_url_rule(f"/try{path}", f"try{path}", view, methods=["GET", "POST"])
    return app


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("409", "422", "503")


def test_answers_come_in_place_and_the_focus_stays(ada: Page) -> None:
    """A question before an act, refusals, a wrong form, the next rows of a table, and the end of a poll."""
    sent: list[str] = []
    ada.on("request", lambda asked: sent.append(asked.url) if "/save" in asked.url else None)
    ada.goto("/try")
    save, dialog = ada.get_by_role("button", name="Save"), ada.get_by_role("dialog")
    for refuse in (lambda: dialog.get_by_role("button", name="Cancel").click(), lambda: ada.keyboard.press("Escape")):
        save.click()
        expect(dialog).to_contain_text("Send to 42 people?")
        refuse()
        expect(dialog).to_be_hidden()
    assert sent == []
    save.click()
    dialog.get_by_role("button", name="Send").click()
    expect(ada.locator("#answer")).to_have_text("saved by Acme")
    expect(save).to_be_focused()
    for name, words in (("Taken", "Marek approved this 8 s ago."), ("Busy", "Try again in 9 s.")):
        ada.get_by_role("button", name=name).click()
        expect(ada.get_by_role("alert").filter(has_text=words)).to_be_visible()
        expect(ada.get_by_role("button", name=name)).to_be_focused()
    ada.get_by_role("button", name="Check").click()
    expect(ada.get_by_text("Give a name.")).to_be_visible()
    expect(ada.get_by_label("Name", exact=True)).to_be_focused()
    ada.get_by_role("link", name="Load more").click()
    expect(ada.get_by_role("row", name="Second")).to_be_visible()
    expect(ada.get_by_role("link", name="Load more")).to_be_hidden()
    expect(ada.locator("#count")).to_have_text(re.compile("done after"))
    expect(ada.locator("#count")).not_to_have_attribute("hx-get", "/try/count")


def test_what_a_poll_finds_late_does_not_undo_what_was_done_meanwhile(ada: Page) -> None:
    """Its answer tells of before; it is dropped, and with it that there is still something to look for."""
    held: list[Route] = []
    ada.route("**/try/news", lambda route: held.append(route))
    with ada.expect_request("**/try/news"):
        ada.goto("/try/late")
    ada.evaluate("() => { window.over = 0; document.addEventListener('htmx:finally:request', () => { over += 1; }); }")
    ada.get_by_role("button", name="Change").click()
    expect(ada.locator("#news")).to_have_text("after")
    held[0].fulfill(body=NEWS)
    ada.evaluate(OVER)
    expect(ada.locator("#news")).to_have_text("after")
    expect(ada.locator("#news")).not_to_have_attribute("hx-get", "/try/news")


def test_a_second_press_of_what_is_gone_by_then_breaks_nothing(ada: Page) -> None:
    """It waits for the first, whose answer takes the button away."""
    answers: list[Route] = []
    ada.route("**/try/gone", lambda route: answers.append(route))
    ada.goto("/try/twice")
    with ada.expect_request("**/try/gone"):
        ada.get_by_role("button", name="Once").click()
    ada.get_by_role("button", name="Once").click()
    with ada.expect_request("**/try/gone"):
        answers[0].fulfill(body="<p>done</p>")
    expect(ada.get_by_text("done", exact=True)).to_be_visible()


def test_a_message_fades_unless_someone_reads_it(ada: Page) -> None:
    ada.add_init_script(STILL)
    ada.goto("/try/say")
    ada.goto("/try/twice")
    toast = ada.locator(".toast", has_text="Draft saved.")
    expect(toast).to_be_visible()
    toast.hover()
    expect(toast).to_have_css("animation-play-state", "paused")
    ada.mouse.move(0, 0)
    expect(toast).to_have_css("animation-play-state", "running, running")
    ada.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    expect(toast).to_be_hidden()
