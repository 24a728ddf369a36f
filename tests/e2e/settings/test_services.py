"""Connecting services in a real browser: one journey, at every size, in both colours."""

import re

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app.core.db import end_read, transaction
from app.models.workspaces import Workspace
from app.ports import LoggedOut
from tests.e2e.browsing import fits, sign_in
from tests.support.finders import RIGHT, Finder, offered

PAGE = "/settings/services"


@pytest.fixture
def finder(app: Flask, acme: Workspace) -> Finder:
    """What can be connected, in a workspace that is live."""
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    end_read()
    return offered("finder", "second")[0]


def connect(page: Page, title: str) -> None:
    """Connected with the right key, through its form."""
    page.get_by_text(f"Connect {title}", exact=True).click()
    card = page.locator(f"#service-{title.lower()}")
    card.get_by_label("API key").fill(RIGHT)
    card.get_by_role("button", name="Connect").click()
    expect(page.get_by_text(f"{title} is connected.")).to_be_visible()
    page.wait_for_load_state()


def test_a_service_is_connected_tested_ordered_and_disconnected(page: Page, finder: Finder) -> None:
    """A wrong key, the right one, a test that fails, another order, and gone."""
    sign_in(page)
    page.goto(PAGE)
    page.get_by_text("Connect Finder", exact=True).click()
    card = page.locator("#service-finder")
    card.get_by_label("Address").fill("https://mine.example")
    card.get_by_label("API key").fill("wrong")
    card.get_by_role("button", name="Connect").click()
    expect(card.get_by_label("API key")).to_be_focused()
    expect(card.get_by_text("does not know this key")).to_be_visible()
    expect(card.get_by_label("Address")).to_have_value("https://mine.example")
    page.goto(PAGE)
    connect(page, "Finder")
    connect(page, "Second")
    finder.failure = LoggedOut("The key was revoked. Make another one there.")
    page.get_by_role("button", name="Test Finder").click()
    expect(card.get_by_text("The key was revoked.")).to_be_visible()
    expect(page.get_by_role("button", name="Test Finder")).to_be_focused()
    page.get_by_role("button", name="Use Second earlier").click()
    expect(page.locator("#services article").first).to_have_attribute("id", "service-second")
    expect(page.get_by_role("button", name="Use Second earlier")).to_be_focused()
    fits(page)
    page.get_by_role("button", name="Disconnect Second").click()
    page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    expect(page.get_by_text("Second is disconnected")).to_be_visible()
    expect(page.locator("#services article")).to_have_count(1)
    expect(page).to_have_url(re.compile("/settings/connections#set-services$"))
