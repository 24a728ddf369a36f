"""Connecting a source in a real browser: a choice that is asked for, the reading that tells of itself, its end."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app import ports
from app.core import clock
from app.core.db import end_read
from app.domain.autopilot import setup
from app.domain.workspace import workspaces
from app.providers.http import HttpClient
from app.providers.posthog import PostHog
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import ANSWERS, targeted, work
from tests.domain.autopilot.test_source_sync import visit
from tests.e2e.browsing import fits, sign_in
from tests.providers.posthog_server import PostHogServer


@pytest.fixture
def site(app: Flask) -> Iterator[PostHogServer]:
    """Where the visitors of live workspaces are counted: two projects, one visitor in the first."""
    server = PostHogServer()
    ports.analytics.connect(PostHog(HttpClient(allow_private=True), server.url))
    server.projects = {1: "Website", 2: "App"}
    server.events = [visit("eve@tools.example", "pricing", clock.now())]
    yield server
    server.stop()


def test_typing_survives_the_refresh_of_a_source_card(page: Page, site: PostHogServer) -> None:
    """What is typed beside the card stays while the card tells of itself, and the key is nowhere."""
    live = workspaces.create("Live", "lea@live.example", PASSWORD)
    targeted(live)
    setup.save(live, **ANSWERS)
    end_read()
    sign_in(page, "lea@live.example")
    page.goto("/autopilot/sources")
    page.get_by_label("Personal API key").fill("phx_good")
    page.get_by_role("button", name="Connect analytics").click()
    expect(page.get_by_text("Choose one of the projects 1 (Website), 2 (App).")).to_be_visible()
    expect(page.get_by_label("Personal API key")).to_have_value("phx_good")
    page.get_by_label("Project ID").fill("1")
    page.get_by_role("button", name="Connect analytics").click()
    expect(page.get_by_text("Reading visitors")).to_be_visible()
    page.get_by_label("Restricted key").fill("rk_live_half")
    work()
    expect(page.get_by_role("link", name="1 visitor")).to_be_visible()
    expect(page.get_by_label("Restricted key")).to_have_value("rk_live_half")
    assert "phx_good" not in page.content()
    fits(page)
