"""Look-ups in a real browser: their price, their progress, and in a live workspace a service that finds addresses."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app import ports
from app.core.db import end_read, transaction
from app.domain.autopilot import plays
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from app.providers.http import HttpClient
from app.providers.hunter import Hunter
from tests.domain.autopilot.steering import designed
from tests.domain.outreach import a_list
from tests.e2e.browsing import fits, sign_in
from tests.providers.hunter_server import HunterServer

ADA = {"publicId": "ada", "firstName": "Ada", "lastName": "Lovelace", "companyName": "Engine"}


@pytest.fixture
def hunter(app: Flask, acme: Workspace) -> Iterator[HunterServer]:
    """A service that knows Ada, for a workspace with approved plays that is live from now on."""
    server = HunterServer(people=[{"first_name": "Ada", "email": "ada@engine.example", "score": 95, "status": "valid"}])
    designed(acme)
    for play in plays.every(acme)[:1]:
        plays.approve(acme, play.id)
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    end_read()
    ports.connect_services([Hunter(HttpClient(allow_private=True), server.url)])
    yield server
    server.stop()


def test_a_looked_up_address_shows_its_source_and_date(page: Page, acme: Workspace, hunter: HunterServer) -> None:
    """Found, with its source, its date and what is known of it; without a people search the play asks for a list."""
    found = a_list(acme, [ADA], "Engineers")
    sign_in(page)
    page.goto("/settings/services")
    page.get_by_text("Connect Hunter", exact=True).click()
    card = page.locator("#service-hunter")
    card.get_by_label("API key").fill("good")
    card.get_by_role("button", name="Connect").click()
    expect(page.get_by_text("Hunter is connected.")).to_be_visible()
    page.goto(f"/lists/{found}")
    page.get_by_role("button", name="Find emails and phone numbers").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Email addresses").click()
    dialog.get_by_role("button", name="Look up").click()
    expect(page.locator("#look-ups")).to_contain_text("1 left")
    jobs.run_due()
    expect(page.get_by_text("ada@engine.example")).to_be_visible()
    page.get_by_role("link", name="Ada Lovelace").click()
    known = page.locator("#known, [aria-labelledby=known-h]").first
    expect(known).to_contain_text("from Hunter, ")
    expect(known).to_contain_text("; valid on ")
    page.goto("/autopilot/launch")
    expect(page.get_by_text("Choose one of your lists.")).to_be_visible()
    page.get_by_role("combobox").select_option(label="Engineers (1)")
    fits(page)
    page.get_by_role("button", name="Launch to real people").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("the people on the chosen lists")
    page.get_by_role("dialog").get_by_role("button", name="Launch to real people").click()
    expect(page).to_have_url("/autopilot/launched")
