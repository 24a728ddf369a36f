"""A mailbox in a real browser: connected, looked at, given another login."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer

from app import ports
from app.core import clock
from app.core.db import end_read, transaction
from app.domain.senders import oauth_clients
from app.domain.workspace import workspaces
from app.models.sessions import BrowserSession
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from tests.conftest import PASSWORD
from tests.e2e.browsing import fits, problems, sign_in
from tests.providers.mail.authority import CLIENT, HOSTS, SECRET, standing_in
from tests.providers.mail.mailservers import Post, Servers, certificate_of
from tests.providers.nameserver import Nameserver


@pytest.fixture
def servers() -> Iterator[Servers]:
    running = Servers(Post(username="ines@acme.com"))
    yield running
    running.close()


@pytest.fixture
def live(app: Flask) -> Iterator[Workspace]:
    """A live workspace, and a name server that knows too little of its domain."""
    names = Nameserver({("acme.com", "TXT"): ['"v=spf1 include:_spf.google.com ~all"']})
    ports.domain_records.connect(Dns(names.place))
    made = workspaces.create("Live", "lena@live.example", PASSWORD)
    end_read()
    yield made
    names.close()


def test_a_mailbox_is_connected_after_a_wrong_password(
    page: Page, live: Workspace, servers: Servers, complaints: list[str]
) -> None:
    """A wrong password loses nothing, also after the question for one's own; then the login is changed."""
    sign_in(page, "lena@live.example")
    with transaction() as current:
        current.execute(sa.update(BrowserSession).values(proven_at=clock.now() - timedelta(hours=1)))
    page.goto("/senders/new")
    page.get_by_label("Address", exact=True).fill("ines@acme.com")
    page.get_by_role("textbox", name="App password").fill("wrong")
    page.get_by_text("Name and server settings").click()
    page.get_by_label("Name", exact=True).fill("Ines Duarte")
    for label, value in (("Outgoing server", "127.0.0.1"), ("Incoming server", "127.0.0.1")):
        page.get_by_label(label).fill(value)
    page.get_by_label("Outgoing port").fill(str(servers.smtp_port))
    page.get_by_label("Incoming port").fill(str(servers.imap_port))
    page.get_by_role("button", name="Connect mailbox").click()
    again = page.get_by_role("dialog", name="Confirm your password")
    expect(again.get_by_label("Your Overture password")).to_be_focused()
    assert problems(page) == []
    again.press("Escape")
    page.get_by_role("button", name="Connect mailbox").click()
    for tried in ("Wrong password", PASSWORD):
        again.get_by_label("Your Overture password").fill(tried)
        again.get_by_role("button", name="Continue").click()
        expect(again.get_by_text("Wrong password.")).to_be_visible(visible=tried != PASSWORD)
    expect(page.get_by_text("rejected this user name and password")).to_be_visible()
    expect(page.get_by_label("Address", exact=True)).to_have_value("ines@acme.com")
    typed = page.get_by_role("textbox", name="App password")
    expect(typed).to_have_value("wrong")  # it stays, and stands nowhere in the page's HTML
    expect(typed).to_be_focused()
    assert "wrong" not in page.locator("main").evaluate("main => main.outerHTML")
    fits(page)
    typed.fill("an app password")
    page.get_by_role("button", name="Connect mailbox").click()
    expect(page.get_by_role("heading", name="Email deliverability")).to_be_visible()
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("acme.com has no MX record, so replies are lost.")).to_be_visible()
    fits(page)
    page.get_by_role("link", name="Change login").click()
    expect(page.get_by_label("Outgoing server")).to_have_value("127.0.0.1")
    page.get_by_role("textbox", name="Password").fill("an app password")
    page.get_by_role("button", name="Save login").click()
    expect(page.get_by_role("status").get_by_text("connected with the new login")).to_be_visible()
    assert [one for one in complaints if "422" not in one] == []


def test_a_mailbox_is_connected_in_three_presses(
    page: Page,
    live: Workspace,
    app: Flask,
    httpserver: HTTPServer,
    live_server: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The third is the owner's, on the provider's page."""
    monkeypatch.setitem(app.config, "BASE_URL", live_server)
    with standing_in(app, httpserver, certificate_of(HOSTS, tmp_path), entered=True) as authority:
        authority.asks = True
        oauth_clients.save(live, "google", CLIENT, SECRET)
        end_read()
        sign_in(page, "lena@live.example")
        page.goto("/senders")
        page.get_by_role("link", name="Connect a sender").click()
        page.get_by_role("button", name="Sign in with Google").click()
        page.get_by_role("link", name="Allow").click()
        expect(page.get_by_role("status").get_by_text("ines@acme.example is connected.")).to_be_visible()
