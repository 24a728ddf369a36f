"""The way in and out: set-up once, sign-in that tells nothing, a session of its own, sign-out."""

import re
from collections.abc import Callable

from flask import Flask

from app.core.db import session
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, must_have
from tests.support.mailed import house_mail, link_in, read
from tests.support.movable import Movable

OWNER = {"email": "ines@tidemark.example", "password": PASSWORD, "name": "Tidemark", "sandbox": "1"}


def test_an_empty_installation_leads_to_the_set_up(visitor: Web) -> None:
    assert visitor.get("/").headers["Location"] == "/login"
    assert visitor.get("/login").headers["Location"] == "/setup"
    assert 'name="sandbox" value="1" checked' in visitor.get("/setup").text


def test_the_first_workspace_is_what_was_asked_for(visitor: Web) -> None:
    visitor.post("/setup", OWNER, timezone="Europe/Lisbon")
    workspace = session().query(Workspace).one()
    assert (workspace.name, workspace.sandbox, workspace.timezone) == ("Tidemark", True, "Europe/Lisbon")
    assert len(accounts.every(workspace)) == 3
    must_have(visitor.get("/"), "Tidemark", "Your workspace is ready. Nothing is sent until you start a campaign.")


def test_only_address_and_password_are_needed(visitor: Web) -> None:
    visitor.post("/setup", email="ines@tidemark.example", password=PASSWORD, timezone="Nowhere/Else")
    workspace = session().query(Workspace).one()
    assert (workspace.name, workspace.sandbox, workspace.timezone) == ("Tidemark", False, "UTC")


def test_set_up_names_every_wrong_field_and_keeps_what_was_typed(visitor: Web) -> None:
    answer = visitor.post("/setup", email="ines", password="short", name="Tidemark")
    must_have(answer, 422, 'aria-describedby="f-email-error"', "Use at least 12 characters.", 'value="ines"')
    assert "short" not in answer.text.replace("shorter", "").replace("one short form", "")
    assert answer.text.count(" autofocus") == 1
    assert not workspaces.any_exist()


def test_set_up_is_gone_once_there_is_a_workspace(visitor: Web, acme: Workspace) -> None:
    for answer in (visitor.get("/setup"), visitor.post("/setup", OWNER)):
        assert answer.status_code == 404
        assert "already set up" in answer.text
        assert "Sign in" in answer.text


def test_set_up_can_be_switched_off(make_app: Callable[..., Flask]) -> None:
    app = make_app(OVERTURE_SIGNUP=False)
    with app.app_context():
        assert app.test_client().get("/setup").status_code == 404
        assert app.test_client().get("/login").status_code == 200


def test_signing_in_returns_to_the_page_it_came_from(visitor: Web, acme: Workspace) -> None:
    for back, place in [
        ("/lists?q=a", "/lists?q=a"),
        ("", "/"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
    ]:
        answer = visitor.post("/login", email="ada@acme.example", password=PASSWORD, next=back)
        assert (answer.status_code, answer.headers["Location"]) == (303, place)
        assert visitor.get("/login?next=" + place).headers["Location"] == place


def test_a_refusal_never_says_which_part_was_wrong(visitor: Web, acme: Workspace) -> None:
    known = visitor.post("/login", email="ada@acme.example", password="Wrong password")
    unknown = visitor.post("/login", email="eve@acme.example", password="Wrong password")
    assert known.status_code == unknown.status_code == 422
    assert "Wrong email or password." in known.text
    assert known.text.replace("ada@", "eve@").replace(_token(known.text), "") == unknown.text.replace(
        _token(unknown.text), ""
    )
    assert "Wrong password" not in known.text


def test_after_five_tries_the_wait_grows_and_counts_down(visitor: Web, acme: Workspace, clock: Movable) -> None:
    for _ in range(5):
        assert visitor.post("/login", email="ada@acme.example", password="wrong").status_code == 422
    answer = visitor.post("/login", email="ada@acme.example", password=PASSWORD)
    must_have(answer, 429, "<x-countdown")
    assert int(answer.headers["Retry-After"]) >= 1
    clock.forward(seconds=int(answer.headers["Retry-After"]))
    assert visitor.post("/login", email="ada@acme.example", password=PASSWORD).status_code == 303


def test_a_session_planted_before_is_worth_nothing_after_signing_in(visitor: Web, acme: Workspace) -> None:
    visitor.get("/login")
    before = visitor.client.get_cookie("overture")
    token = visitor.token()
    visitor.sign_in("ada@acme.example")
    after = visitor.client.get_cookie("overture")
    assert before is not None
    assert after is not None
    assert before.value != after.value
    assert visitor.client.post("/theme", data={"theme": "dark", "csrf_token": token}).status_code == 400


def test_the_session_cookie_is_out_of_reach(visitor: Web, acme: Workspace) -> None:
    header = visitor.sign_in("ada@acme.example").headers["Set-Cookie"]
    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert "Secure" not in header
    visitor.sign_in("ada@acme.example")
    page = visitor.get("/")
    assert "Set-Cookie" not in visitor.get("/lists").headers
    with visitor.get(re.findall(r'"(/static/[^"]+css)"', page.text)[0]) as sheet:
        assert "public" in sheet.headers["Cache-Control"]
        assert "Set-Cookie" not in sheet.headers
        assert "Cookie" not in sheet.headers["Vary"]


def test_signing_out_leaves_nothing_behind(web: Web) -> None:
    """The session ends, and not only the cookie."""
    assert web.get("/logout").status_code == 405
    kept = web.client.get_cookie("overture")
    assert kept
    answer = web.post("/logout")
    assert answer.headers["Location"] == "/login"
    assert answer.headers["Clear-Site-Data"] == '"cache"'
    web.client.set_cookie("overture", kept.value)
    assert web.get("/").headers["Location"] == "/login"


def _token(page: str) -> str:
    return page.split('<meta name="csrf" content="')[1].split('"')[0]


def test_a_forgotten_password_is_set_anew_by_mail(visitor: Web, acme: Workspace) -> None:
    assert "/login/forgot" in visitor.get("/login").text
    assert "Ask a workspace owner" in visitor.get("/login/forgot").text
    with house_mail() as post:
        assert visitor.post("/login/forgot", email="ada").status_code == 422
        for email in ("nobody@acme.example", "ada@acme.example"):
            assert (
                "has an account, we sent a reset link. The link works once and expires after one hour."
                in visitor.post("/login/forgot", email=email).text
            )
        jobs.run_due()
        ((_, _, text),) = read(post)
    visitor.post(link_in(text), password="other words nobody guesses")
    assert visitor.sign_in("ada@acme.example", "other words nobody guesses").headers["Location"] == "/"


def test_a_browser_that_signed_in_before_never_waits_for_tries_elsewhere(web: Web, visitor: Web) -> None:
    web.post("/logout")
    for number in range(60):
        address = {"REMOTE_ADDR": f"203.0.113.{number}"}
        visitor.client.post(
            "/login",
            data={"email": "ada@acme.example", "password": "wrong", "csrf_token": visitor.token()},
            environ_overrides=address,
        )
    assert visitor.sign_in("ada@acme.example").status_code == 429
    assert web.sign_in("ada@acme.example").status_code == 303
