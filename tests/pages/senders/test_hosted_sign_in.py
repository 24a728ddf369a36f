"""Signing in to a network at its own page, as its pages show it; and accounts that need it again."""

from urllib.parse import urlsplit

import pytest
from flask import Flask

from app.core.db import end_read
from app.domain.engine.inbound import poll
from app.domain.platform import services
from app.domain.senders import accounts, provider_credentials
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have, signed_in
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked
from tests.support.networked import live, there

__all__ = ["live", "there"]


@pytest.fixture
def lena(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    return signed_in(app, "lena@live.example")


def begin(web: Web, **form: str) -> str:
    """The page of a sign-in that was begun."""
    answer = web.post("/senders/sign-in", form)
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def at_unipile(there: UnipileServer, page: str) -> str:
    """The token in the address that the page leads to."""
    return page.partition(f'href="{there.url}/wizard/')[2].partition('"')[0]


def back(there: UnipileServer, token: str, **given: str) -> str:
    """Where someone comes back to us."""
    parts = urlsplit(there.world.links[token]["back"])
    return f"{parts.path}?{parts.query}" + "".join(f"&{name}={value}" for name, value in given.items())


def test_the_page_looks_by_itself(lena: Web, there: UnipileServer) -> None:
    path = begin(lena)
    piece = lena.get(path, htmx=True).text
    assert 'hx-trigger="every 5s"' in piece
    there.world.sign_in(at_unipile(there, piece))
    assert "is connected" in lena.get(path, htmx=True).text


def test_what_went_wrong_there_is_said(lena: Web, live: Workspace, there: UnipileServer) -> None:
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    lena.get(back(there, token, error_title="<script>alert(1)</script>"))
    must_have(lena.get(path), "The sign-in was canceled or refused.", "Start again", without="alert(1)")
    assert accounts.every(live) == []


def test_a_canceled_sign_in_connects_nothing(lena: Web, live: Workspace, there: UnipileServer) -> None:
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    assert lena.post(f"{path}/cancel").headers["Location"] == "/senders"
    made = there.world.sign_in(token)
    lena.get(back(there, token, account_id=made.id))
    assert "The sign-in was canceled" in lena.get(path).text
    assert accounts.every(live) == []


def test_a_state_of_someone_else_leads_nowhere(lena: Web, there: UnipileServer, stranger: Web) -> None:
    path = begin(lena)
    token = at_unipile(there, lena.get(path).text)
    assert stranger.get(back(there, token, account_id=there.world.sign_in(token).id)).status_code == 404
    assert stranger.get(path).status_code == 404
    assert lena.get("/senders/sign-in/back?state=guessed&account_id=acc").status_code == 404


def test_without_unipile_the_page_says_what_linkedin_needs_and_connects_both(
    lena: Web, live: Workspace, web: Web, there: UnipileServer
) -> None:
    services.disconnect(live, "unipile")
    must_have(lena.get("/senders/new"), "Create an account at", "From $49 a month", "terms forbid automation")
    sent = {**there.values(), "api_key": "canary-key"}
    must_have(lena.post("/senders/sign-in/service", sent), 422, "Enter passwords and keys again", without="canary")
    assert provider_credentials.connected(live, "unipile") is False
    path = lena.post("/senders/sign-in/service", there.values()).headers["Location"]
    token = at_unipile(there, lena.get(path).text)
    assert lena.get(back(there, token, account_id=there.world.sign_in(token).id)).headers["Location"] == path
    must_have(lena.get(path), "is connected")
    services.disconnect(live, "unipile")
    assert begin(lena) == "/senders/new"
    assert "Unipile is not connected." in lena.get("/senders/new").text
    assert "Unipile" not in web.get("/senders/new").text
    assert begin(web) == "/senders/new"


def test_when_unipile_is_down_it_is_said(lena: Web, there: UnipileServer) -> None:
    there.stop()
    assert begin(lena) == "/senders/new"
    assert "Check the service in Settings → Services, then try again." in lena.get("/senders/new").text


def test_an_account_in_trouble_leads_to_its_sign_in(lena: Web, live: Workspace, there: UnipileServer) -> None:
    account = networked.ines(live)
    there.world.stands(there.world.accounts["acc_ines"], "partial")
    poll.poll([account], live.now())
    end_read()
    must_have(lena.get(f"/senders/{account.id}"), "LinkedIn needs a security check", "Sign in again")
    path = begin(lena, account=str(account.id))
    shown = lena.get(path).text
    assert "Sign in again: Ines Duarte" in shown
    there.world.sign_in(at_unipile(there, shown))
    assert "Ines Duarte is connected" in lena.get(path).text
    assert begin(lena, account=str(account.id)) == f"/senders/{account.id}"
