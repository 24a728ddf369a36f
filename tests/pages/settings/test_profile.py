"""One's own account on its pages: sessions, password, second factor, appearance; and the audit log."""

import html
import re

import pyotp
import pytest
from flask import Flask

from app.domain.platform import audit_log, jobs
from app.domain.senders import accounts
from app.domain.workspace import sessions, two_factor
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, found_in, must_have
from tests.support.mailed import house_mail, link_in, read
from tests.support.members import owner
from tests.support.movable import Movable

SECRET = re.compile(r'id="secret">([A-Z2-7 ]+)<')
CODE = re.compile(r"(?:^|<code>)([2-9a-z]{5}-[2-9a-z]{5})(?=$|</code>)", re.MULTILINE)
PAGES = ["/settings", "/settings/profile", "/settings/appearance", "/settings/two-factor", "/settings/audit"]


def set_up(web: Web, clock: Movable) -> tuple[pyotp.TOTP, list[str]]:
    """The app of whoever is signed in, and their recovery codes."""
    found = SECRET.search(web.get("/settings/two-factor").text)
    assert found
    app = pyotp.TOTP(found[1].replace(" ", ""))
    shown = web.post("/settings/two-factor", code=app.at(clock.at))
    assert shown.status_code == 201
    clock.forward(seconds=60)
    return app, CODE.findall(shown.text)


@pytest.fixture
def ada(clock: Movable, web: Web) -> Web:
    """Ada, signed in on a clock that stands."""
    return web


def test_a_session_is_ended_from_the_list(web: Web, visitor: Web, acme: Workspace) -> None:
    visitor.sign_in("ada@acme.example")
    assert web.get("/settings/you").text.count("This browser") == 1
    (other,) = [one.id for one in sessions.every(owner(acme))][:1]
    web.post(f"/settings/profile/sessions/{other}/end")
    assert visitor.get("/").headers["Location"] == "/login"
    assert web.get("/").status_code == 200
    visitor.sign_in("ada@acme.example")
    assert web.post("/settings/profile/sign-out-everywhere").headers["Clear-Site-Data"] == '"cache"'
    assert {one.get("/").headers["Location"] for one in (web, visitor)} == {"/login"}


def test_the_password_is_changed_with_the_old_one(web: Web, visitor: Web) -> None:
    visitor.sign_in("ada@acme.example")
    wrong = web.post("/settings/profile/password", old="no", new="short")
    must_have(wrong, 422, "Wrong password.", "Use at least 12 characters.")
    web.post("/settings/profile/password", old=PASSWORD, new="another four quiet words")
    assert web.get("/").status_code == 200
    assert visitor.get("/").headers["Location"] == "/login"
    assert visitor.sign_in("ada@acme.example", "another four quiet words").status_code == 303


def test_name_and_workspace_are_changed(web: Web, acme: Workspace) -> None:
    web.post("/settings/profile", name="Ada  Byron", email="ada@acme.example")
    assert "Ada Byron" in web.get("/").text
    assert web.post("/settings/profile", name="x" * 201, email="no").status_code == 422
    must_have(web.post("/settings/workspace", workspace="Engine", timezone="Mars/Base"), 422, 'value="Engine"')
    web.post("/settings/workspace", workspace="Engine", timezone="Europe/Lisbon")
    assert "Engine" in web.get("/").text


def test_an_address_is_confirmed_with_the_link_that_was_sent_to_it(web: Web, stranger: Web, visitor: Web) -> None:
    assert "Send link" not in web.get("/settings/you").text  # no email is set up
    with house_mail() as post:
        assert "Send link" in web.get("/settings/you").text
        web.post("/settings/profile/email")
        assert "sending a link to ada@acme.example" in web.get("/settings/you").text
        jobs.run_due()
        ((recipient, _, text),) = read(post)
    assert recipient == "ada@acme.example"
    path = link_in(text)
    assert stranger.get(path).status_code == 404
    assert visitor.get(path).headers["Location"].startswith("/login")
    assert web.get(path).headers["Location"] == "/settings/profile"
    assert ">Confirmed<" in web.get("/settings/you").text


def test_the_second_step_is_asked_for(ada: Web, visitor: Web, clock: Movable, acme: Workspace) -> None:
    app, codes = set_up(ada, clock)
    assert len(codes) == 10
    assert ada.get("/").status_code == 200
    asked = visitor.post("/login", email="ada@acme.example", password=PASSWORD, next="/lists")
    assert asked.headers["Location"] == "/login/code?next=/lists"
    assert visitor.get("/lists").headers["Location"].startswith("/login")
    assert visitor.post("/login/code", code="000000").status_code == 422
    code = app.at(clock.at)
    assert visitor.post("/login/code", code=code, next="/lists").headers["Location"] == "/lists"
    visitor.post("/logout")
    visitor.post("/login", email="ada@acme.example", password=PASSWORD)
    assert visitor.post("/login/code", code=code).status_code == 422
    assert visitor.post("/login/code", code=codes[0]).status_code == 303
    assert two_factor.left(owner(acme)) == 9


def test_the_second_step_waits_ten_minutes(ada: Web, visitor: Web, clock: Movable) -> None:
    app, _ = set_up(ada, clock)
    visitor.sign_in("ada@acme.example")
    clock.forward(minutes=11)
    assert visitor.post("/login/code", code=app.at(clock.at)).headers["Location"] == "/login"
    assert visitor.get("/login/code").headers["Location"] == "/login"


def test_a_second_step_that_waits_ends_with_the_password(ada: Web, visitor: Web, clock: Movable) -> None:
    app, _ = set_up(ada, clock)
    visitor.sign_in("ada@acme.example")
    ada.post("/settings/profile/password", old=PASSWORD, new="another four quiet words")
    clock.forward(minutes=1)
    assert visitor.post("/login/code", code=app.at(clock.at)).headers["Location"] == "/login"


def test_a_wrong_first_code_turns_nothing_on(ada: Web, acme: Workspace) -> None:
    page = ada.get("/settings/two-factor")
    assert page.headers["Cache-Control"] == "no-store"
    assert re.search(r'class="qr"><path [^>]*class="ink"[^>]* d="M[^"]{500}', page.text)
    assert ada.post("/settings/two-factor", code="000000").status_code == 422
    assert not two_factor.is_on(owner(acme))


def test_turning_it_off_needs_the_password(ada: Web, clock: Movable, acme: Workspace) -> None:
    set_up(ada, clock)
    assert ada.post("/settings/two-factor/off", password="no").status_code == 422
    assert two_factor.is_on(owner(acme))
    assert len(CODE.findall(ada.post("/settings/two-factor/codes").text)) == 10
    ada.post("/settings/two-factor/off", password=PASSWORD)
    assert not two_factor.is_on(owner(acme))


def test_appearance_is_kept_in_the_browser(web: Web) -> None:
    assert "<body data-keys>" in web.get("/").text
    web.post("/settings/appearance", theme="dark", density="compact")
    must_have(web.get("/"), '<html lang="en" data-theme="dark" data-density="compact">', "<body>")
    web.post("/settings/appearance", theme="", density="", keys="1")
    must_have(web.get("/"), '<html lang="en">', "<body data-keys>")


def test_the_audit_log_tells_who_did_what(web: Web, visitor: Web, acme: Workspace, app: Flask) -> None:
    visitor.post("/login", email="ada@acme.example", password="wrong")
    web.post("/developers/keys", name="Zapier <b>", preset="full")
    page = web.get("/settings/audit").text
    must_have(page, "Signed in", "Failed to sign in", "Created the key", html.escape("Zapier <b>"), "127.0.0.1")
    assert "Failed to sign in" not in web.get("/settings/audit?kind=key").text
    assert "No matches" in web.get("/settings/audit?who=nobody").text
    accounts.edit(acme, accounts.every(acme)[0].id, end="15:00", days=[1, 2, 3, 4])
    changed = "hours: 09:00–17:30 UTC → 09:00–15:00 UTC, days: Mon–Fri → Mon–Thu</span>"
    must_have(web.get("/settings/audit"), changed, without=("True", "None", "daily limits"))


def test_the_audit_log_is_read_page_by_page(web: Web, stranger: Web, acme: Workspace) -> None:
    for number in range(30):
        audit_log.record(acme, "key.created", f"Key {number}.")
    page = web.get("/settings/audit").text
    must_have(page, "Key 29.", without="Key 0.")
    assert "Key 0." in web.get(found_in(page, r'href="([^"]*cursor=[^"]*)"'), htmx=True).text
    assert "Key 29." not in stranger.get("/settings/audit").text
