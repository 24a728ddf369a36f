"""Settings → Email sign-in: the server's admin registers it once, then mailboxes connect with one button."""

import html
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from flask import Flask
from pytest_httpserver import HTTPServer

from app import ports
from app.core.db import end_read
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, found_in, must_have, signed_in
from tests.providers.mail.authority import CLIENT, HOSTS, SECRET, Authority, standing_in
from tests.providers.mail.mailservers import certificate_of

PAGE = "/settings/email-sign-in"
FORM = {"clientId": CLIENT, "clientSecret": SECRET}


@pytest.fixture
def authority(app: Flask, httpserver: HTTPServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """Both providers; no client is known yet."""
    certificate: Path = certificate_of(HOSTS, tmp_path_factory.mktemp("certificate"))
    with standing_in(app, httpserver, certificate, entered=True) as made:
        yield made


@pytest.fixture
def live(app: Flask, acme: Workspace) -> Web:
    """A member of a live workspace, who is no admin of the server."""
    workspaces.create("Live", "lea@live.example", PASSWORD)
    return signed_in(app, "lea@live.example")


def returned(web: Web, answer: str) -> str:
    """The next page after a sign-in at the provider."""
    page = found_in(answer, r'href="(http://[^"]+)"[^>]*>\s*Continue to')
    end_read()
    parts = urlsplit(requests.get(html.unescape(page), allow_redirects=False, timeout=120).headers["Location"])
    return web.get(web.get(f"{parts.path}?{parts.query}").headers["Location"]).text


@pytest.mark.parametrize("way", ["google", "microsoft"])
def test_a_client_is_entered_tested_used_and_removed(
    web: Web, live: Web, acme: Workspace, authority: Authority, way: str
) -> None:
    title = way.title()
    must_have(web.get(PAGE), "http://localhost/senders/consent/back", "Not set up")
    must_have(live.get("/senders/new"), "App password", without=f"Sign in with {title}")
    saved = web.post(f"{PAGE}/{way}", FORM)
    must_have(web.get(saved.headers["Location"]), f"Sign-in with {title} is on.", CLIENT, without=SECRET)
    assert "It works: you signed in as ines@acme.example." in returned(web, web.post(f"{PAGE}/{way}/test").text)
    assert accounts.every(acme)[-1].address != "ines@acme.example"
    assert "ines@acme.example is connected." in returned(live, live.post("/senders/consent", way=way).text)
    assert web.post(f"{PAGE}/{way}", {**FORM, "clientSecret": ""}).status_code == 303  # the secret stays
    web.post(f"{PAGE}/{way}/remove")
    assert ports.mail_consent().ways() == {}
    must_have(web.get("/settings/audit"), "Set up sign-in with", "Removed sign-in with", title, without=SECRET)


def test_a_wrong_client_is_refused_and_its_secret_not_shown(web: Web, acme: Workspace, authority: Authority) -> None:
    for form, said in (
        ({"clientId": CLIENT, "clientSecret": "canary"}, "recognize this client ID"),
        ({"clientId": "", "clientSecret": "canary"}, "Paste the client ID as it is shown."),
        ({"clientId": CLIENT, "clientSecret": ""}, "Paste the client secret as it is shown."),
        ({**FORM, "clientSecret": "canary", "tenant": "a b"}, "Enter the tenant&#39;s ID or domain"),
    ):
        must_have(web.post(f"{PAGE}/microsoft", form), 422, said, "Enter passwords and keys again", without="canary")
    authority.error = "access_denied"
    web.post(f"{PAGE}/google", FORM)
    assert "the sign-in was canceled or refused." in returned(web, web.post(f"{PAGE}/google/test").text)


def test_only_server_admins_see_and_change_it(live: Web, authority: Authority) -> None:
    for answer in (live.get(PAGE), live.post(f"{PAGE}/google", FORM), live.post(f"{PAGE}/google/test")):
        assert answer.status_code == 403
    assert ports.mail_consent().ways() == {}


def test_settings_of_the_environment_come_first(
    web: Web, acme: Workspace, app: Flask, httpserver: HTTPServer, authority: Authority, tmp_path: Path
) -> None:
    with standing_in(app, httpserver, certificate_of(HOSTS, tmp_path)):
        must_have(web.get(PAGE), "Set by OVERTURE_GOOGLE_CLIENT_ID", without="Check and save")
        for path in (f"{PAGE}/google", f"{PAGE}/google/remove"):
            assert "OVERTURE_GOOGLE_CLIENT_ID and _SECRET are set." in web.post(path, FORM).text
