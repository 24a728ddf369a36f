"""The cards of the sources: what is being read, who came, what failed, and that no key is ever shown."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports
from app.core import clock
from app.domain.autopilot import setup, sources
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from app.providers.http import HttpClient
from app.providers.posthog import PostHog
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import ANSWERS, targeted, work
from tests.domain.autopilot.test_source_sync import visit
from tests.pages.conftest import Web, must_have
from tests.pages.settings.test_credits import text_of
from tests.providers.posthog_server import PostHogServer

PAGE = "/autopilot/sources"


@pytest.fixture
def site(app: Flask) -> Iterator[PostHogServer]:
    """Where the visitors of live workspaces are counted."""
    server = PostHogServer()
    ports.analytics.connect(PostHog(HttpClient(allow_private=True), server.url))
    yield server
    server.stop()


def far_enough(workspace: Workspace) -> None:
    """The wizard has come to the sources."""
    targeted(workspace)
    setup.save(workspace, **ANSWERS)


@pytest.fixture
def live(web: Web, acme: Workspace, site: PostHogServer) -> Workspace:
    """A workspace that reaches real people, which the browser looks at."""
    made = workspaces.create("Live", "ada@acme.example", PASSWORD)
    far_enough(made)
    web.post("/settings/switch", workspace=str(made.id))
    return made


def test_a_source_is_connected_read_and_read_again(web: Web, live: Workspace, site: PostHogServer) -> None:
    site.events = [visit("eve@tools.example", "pricing", clock.now())]
    assert web.post(f"{PAGE}/analytics", apiKey="phx_good", region="us", projectId="").status_code == 303
    page = web.get(PAGE).text
    must_have(page, 'hx-get="/autopilot/sources/analytics"', without="phx_good")
    assert "Region US, project 1" in text_of(page)
    assert "Reading visitors" in text_of(page)
    assert "Read now" not in page
    work()
    piece = web.get(f"{PAGE}/analytics", htmx=True).text
    assert "1 visitor , updated" in text_of(piece)
    assert "hx-get" not in piece
    assert web.post(f"{PAGE}/analytics/refresh").status_code == 303
    assert "Reading visitors" in text_of(web.get(PAGE).text)
    assert web.post(f"{PAGE}/analytics/refresh").status_code == 409


def test_what_failed_stands_on_the_card(web: Web, live: Workspace, site: PostHogServer) -> None:
    sources.connect_analytics(live, "phx_good")
    del site.keys["phx_good"]
    work()
    said = text_of(web.get(PAGE).text)
    assert "This source could not be read" in said
    assert "This key was deleted in PostHog. Create a new key." in said
    assert "Campaigns keep running with the people you already have." in said
    assert "Replace the key" in said


def test_what_has_to_be_chosen_is_asked_for(web: Web, live: Workspace, site: PostHogServer) -> None:
    site.projects = {1: "Website", 2: "App"}
    site.keys["phx_eu"] = type(site.keys["phx_good"])(region="eu")
    refused = web.post(f"{PAGE}/analytics", apiKey="phx_eu", region="eu", projectId="")
    assert refused.status_code == 422
    assert "Choose one of the projects 1 (Website), 2 (App)." in text_of(refused.text)
    must_have(refused, '<option value="eu" selected', without="phx_eu")
    refused = web.post(f"{PAGE}/analytics", apiKey="phx_eu", region="us", projectId="2")
    assert "belongs to PostHog EU" in text_of(refused.text)
    assert 'value="2"' in refused.text
    site.wrong = lambda path: ("maintenance", 503)
    refused = web.post(f"{PAGE}/analytics", apiKey="phx_eu", region="eu", projectId="2")
    assert "Try again later" in text_of(refused.text)


def test_an_own_installation_has_no_region(web: Web, live: Workspace, app: Flask) -> None:
    usual = app.config["OVERTURE_POSTHOG_URL"]
    app.config["OVERTURE_POSTHOG_URL"] = "https://posthog.acme.example"
    try:
        page = web.get(PAGE).text
    finally:
        app.config["OVERTURE_POSTHOG_URL"] = usual
    assert "your own PostHog at posthog.acme.example" in text_of(page)
    assert 'name="region"' not in page


def test_payments_say_who_is_left_out(web: Web, acme: Workspace) -> None:
    far_enough(acme)
    assert web.post(f"{PAGE}/payments", restrictedKey="rk_test_1").status_code == 303
    said = text_of(web.get(PAGE).text)
    assert "24 former customers , updated" in said
    assert "excluded" not in said.partition("Replace the key")[0].partition("24 former customers")[2]
    assert web.get(f"{PAGE}/payments").status_code == 303
