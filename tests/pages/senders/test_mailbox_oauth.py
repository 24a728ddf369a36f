"""Letting us into a mailbox at Google or Microsoft: there and back in one browser, and everything that goes wrong."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from flask import Flask
from pytest_httpserver import HTTPServer
from werkzeug.test import TestResponse

from app import ports
from app.core.db import end_read
from app.domain.senders import accounts, mailbox_logins, provider_credentials
from app.domain.workspace import workspaces
from app.models.accounts import AccountStatus
from app.models.workspaces import Workspace
from app.providers.mail import mail_consents
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, signed_in
from tests.providers.mail.authority import HOSTS, SECRET, Authority, standing_in
from tests.providers.mail.mailservers import Post, certificate_of
from tests.support.movable import Movable

ADDRESS = re.compile(r'href="(http://[^"]+)"[^>]*>\s*Continue to')


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of both providers' servers that no one has signed, with its key in the same file."""
    return certificate_of(HOSTS, tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def authority(app: Flask, clock: Movable, httpserver: HTTPServer, certificate: Path) -> Iterator[Authority]:
    """Where the owner lets us in."""
    with standing_in(app, httpserver, certificate) as made:
        yield made


@pytest.fixture
def post(authority: Authority) -> Post:
    """The owner's mailbox, which takes tokens only."""
    return authority.post


@pytest.fixture
def live(app: Flask, authority: Authority) -> Workspace:
    """A workspace that reaches real people."""
    return workspaces.create("Live", "lea@live.example", PASSWORD)


@pytest.fixture
def lea(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    return signed_in(app, "lea@live.example")


def there(web: Web, way: str = "google", **form: Any) -> str:
    """Where the page that says so leads."""
    answer = web.post("/senders/consent", {"way": way, **form})
    found = ADDRESS.search(answer.text)
    assert found, answer.text
    return html.unescape(found[1])


def allowed(page: str) -> str:
    """Where the browser is sent back to, once its owner has answered."""
    end_read()
    parts = urlsplit(requests.get(page, allow_redirects=False, timeout=120).headers["Location"])
    assert parts.netloc == "localhost"
    return f"{parts.path}?{parts.query}"


def told(web: Web, answer: TestResponse) -> str:
    """What the next page says."""
    assert answer.status_code == 303
    return web.get(answer.headers["Location"]).text


@pytest.mark.parametrize("way", ["google", "microsoft"])
def test_a_mailbox_is_connected_by_oauth(lea: Web, live: Workspace, authority: Authority, post: Post, way: str) -> None:
    assert f"Sign in with {way.title()}" in lea.get("/senders/new").text
    answer = lea.get(allowed(there(lea, way)))
    [made] = accounts.every(live)
    assert "ines@acme.example is connected." in told(lea, answer)
    assert answer.headers["Location"] == f"/senders/{made.id}"
    assert (made.address, made.name, made.timezone) == ("ines@acme.example", "Ines Duarte", "UTC")
    kept = mailbox_logins.credentials_for(made.id)
    assert (kept["auth"], kept["consent"], kept["copies"]) == (way, "1", "server")
    assert SECRET not in str(kept)
    [asked] = authority.seen
    assert {"offline_access", "https://mail.google.com/"} & set(asked["scope"].split())
    assert asked.get("access_type") == ("offline" if way == "google" else None)
    post.token = "another"  # the access token is no longer good, and another is asked for
    ports.sender("smtp").status(provider_credentials.to_account_ref(made, live.now()))


def test_a_code_is_good_once_within_twenty_minutes_and_for_what_was_begun(
    lea: Web, live: Workspace, authority: Authority, clock: Movable
) -> None:
    path = allowed(there(lea))
    lea.get(path)
    assert "You started this sign-in in another browser." in told(lea, lea.get(path))
    assert len(accounts.every(live)) == 1
    for query in ("code=x", "code=x&state=", "state=x", ""):
        assert "You started this sign-in in another browser." in told(lea, lea.get(f"/senders/consent/back?{query}"))
    path = allowed(there(lea))
    clock.forward(minutes=21)
    assert "took too long" in told(lea, lea.get(path))


def test_another_browser_cannot_finish_it(lea: Web, app: Flask, live: Workspace, authority: Authority) -> None:
    """No one is made to connect someone else's mailbox by following a link."""
    other = signed_in(app, "lea@live.example")
    path = allowed(there(lea))
    assert "You started this sign-in in another browser." in told(other, other.get(path))
    there(other)
    assert "You started this sign-in in another browser." in told(other, other.get(path))
    assert accounts.every(live) == []


def test_what_is_refused_is_said(lea: Web, live: Workspace, authority: Authority) -> None:
    for trouble, said in [
        ({"error": "access_denied"}, "Nothing was connected: the sign-in was canceled or refused."),
        ({"denied": "mail.google.com"}, "let us read and send email with"),
        ({"lasting": False}, "grant long-term access."),
        ({"audience": "somebody-else"}, "say whose mailbox it is."),
        ({"address": ""}, "say whose mailbox it is."),
    ]:
        ((name, value),) = trouble.items()
        before = getattr(authority, name)
        setattr(authority, name, value)
        page = told(lea, lea.get(allowed(there(lea))))
        setattr(authority, name, before)
        assert said in page
        assert "canary" not in page
        assert accounts.every(live) == []


def test_a_changed_secret_is_the_operators(lea: Web, live: Workspace, authority: Authority, app: Flask) -> None:
    """Who came here cannot mend it, and is told who can."""
    path = allowed(there(lea))
    wrong = {**app.config, **authority.settings(), "OVERTURE_GOOGLE_CLIENT_SECRET": "another"}
    ports.mail_consent.connect(mail_consents(wrong))
    assert (
        "recognize this server. Your server admin must check the client ID, the secret and the redirect address."
        in told(lea, lea.get(path))
    )


def test_a_mailbox_is_let_in_again(lea: Web, live: Workspace, authority: Authority, post: Post) -> None:
    lea.get(allowed(there(lea)))
    [made] = accounts.every(live)
    page = there(lea, account=str(made.id))
    authority.address = "marek@acme.example"
    assert "but this mailbox is ines@acme.example" in told(lea, lea.get(allowed(page)))
    authority.address = "INES@acme.example"
    assert "is connected" in told(lea, lea.get(allowed(there(lea, account=str(made.id)))))
    assert authority.seen[-1]["login_hint"] == "ines@acme.example"
    assert accounts.get(live, made.id).status == AccountStatus.CONNECTED
    assert "Sign in with Google" in lea.get(f"/senders/{made.id}/login").text


def test_an_installation_that_is_not_registered_offers_nothing(lea: Web, web: Web, live: Workspace, app: Flask) -> None:
    assert "Sign in at" not in web.get("/senders/new").text
    assert "This server is not registered with the provider." in told(web, web.post("/senders/consent", way="google"))
    ports.mail_consent.connect(mail_consents(app.config))
    assert "Sign in with Google" not in lea.get("/senders/new").text
    assert "This server is not registered with the provider." in told(lea, lea.post("/senders/consent", way="google"))
