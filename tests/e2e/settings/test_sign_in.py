"""Connecting a social account in a real browser: to Unipile's page, back, and again when the network wants proof."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.core import clock
from app.core.db import end_read
from app.domain.engine.inbound import poll
from app.domain.platform import services
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.e2e.browsing import fits, problems, sign_in
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World
from tests.support import networked


@pytest.fixture
def there() -> Iterator[UnipileServer]:
    """Unipile, which has no account yet."""
    running = UnipileServer(World(clock.now))
    yield running
    running.stop()


@pytest.fixture
def live(app: Flask, there: UnipileServer, live_server: str, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A live workspace that has connected it, under the address of the browser."""
    monkeypatch.setitem(app.config, "BASE_URL", live_server)
    made = networked.workspace(there)
    end_read()
    return made


def test_an_account_is_connected_by_hosted_sign_in(
    page: Page, live: Workspace, there: UnipileServer, complaints: list[str]
) -> None:
    """From Senders in four presses and a pasted token; later the owner proves to be a person and goes on."""
    services.disconnect(live, "unipile")
    end_read()
    sign_in(page, "lena@live.example")
    page.goto("/senders")
    page.get_by_role("link", name="Connect a sender").click()
    page.get_by_text("Your dashboard shows an address").click()
    page.get_by_label("Unipile address").fill(there.values()["base_url"])
    typed = page.get_by_role("textbox", name="Access token")
    typed.fill("wrong")
    page.get_by_role("button", name="Connect LinkedIn").click()
    expect(typed).to_have_attribute("aria-invalid", "true")
    expect(typed).to_have_value("wrong")
    fits(page)
    typed.fill(there.values()["api_key"])
    page.get_by_role("button", name="Connect LinkedIn").click()
    expect(page.get_by_role("heading", name="Sign in at Unipile")).to_be_visible()
    fits(page)
    page.get_by_role("link", name="Continue at Unipile").click()
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_role("heading", name="Marek Novák is connected")).to_be_visible()
    account = there.world.accounts[accounts.every(live)[0].provider_ref]
    there.world.stands(account, "partial")
    poll.poll(accounts.every(live), live.now())
    end_read()
    page.get_by_role("link", name="Set hours and limits").click()
    expect(page.get_by_role("button", name="Sign in again")).to_be_visible()
    page.get_by_role("button", name="Sign in again").click()
    page.get_by_role("link", name="Continue at Unipile").click()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("The sign-in was canceled or refused.")
    assert problems(page) == []
    page.get_by_role("button", name="Start again").click()
    page.get_by_role("link", name="Continue at Unipile").click()
    page.get_by_role("link", name="Sign in").click()
    expect(page.get_by_text("Sending resumes where it stopped.")).to_be_visible()
    assert complaints == []
