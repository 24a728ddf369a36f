"""Joining a team and signing in with two steps, in a real browser."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from playwright.sync_api import BrowserContext, Page, expect

from app.core import clock
from app.core.db import transaction
from app.models.sessions import BrowserSession
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.e2e.browsing import problems

LINK = re.compile(r"http://[^/]+(/invite/\w{43})")


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("403", "422")


def test_an_invited_reviewer_joins_and_sees_what_they_may(
    ada: Page, new_context: Callable[..., BrowserContext]
) -> None:
    """Ada invites Bo; Bo joins, sees what a reviewer may, and is told whom to ask for more."""
    ada.goto("/settings/team")
    ada.get_by_label("Email").fill("bo@acme.example")
    ada.get_by_role("radio", name="Reviewer").check()
    ada.get_by_role("button", name="Invite", exact=True).click()
    shown = ada.get_by_label("Link", exact=True).inner_text()
    found = LINK.search(shown)
    assert found, shown
    assert problems(ada) == []

    bo = new_context().new_page()
    bo.goto(found[1])
    expect(bo.get_by_label("Password", exact=True)).to_be_focused()
    assert problems(bo) == []
    bo.get_by_label("Password", exact=True).fill("four unrelated loud words")
    bo.get_by_label("Your name").fill("Bo")
    bo.get_by_role("button", name="Join").click()
    expect(bo).to_have_title(re.compile("Approvals"))
    links = bo.get_by_role("navigation", name="Main", exact=True).get_by_role("link")
    names = [re.compile(rf"^{name}\b") for name in ("Approvals", "Inbox", "People", "Settings")]
    expect(links).to_have_text(names, use_inner_text=True)
    bo.goto("/campaigns")
    expect(bo.get_by_text("Ask a workspace owner: ada@acme.example.")).to_be_visible()
    bo.goto("/")
    expect(bo).to_have_title(re.compile("Approvals"))
    bo.goto("/settings")
    expect(bo.get_by_role("link", name="Team")).to_be_hidden()


def test_the_password_is_asked_for_once_more_beside_what_was_filled_in(ada: Page, acme: Workspace) -> None:
    """A key is made from a dialog, long after signing in."""
    with transaction() as current:
        current.execute(sa.update(BrowserSession).values(proven_at=clock.now() - timedelta(hours=1)))
    ada.goto("/developers/keys")
    ada.get_by_role("link", name="Create key").first.click()
    ada.get_by_label("Name").fill("CRM sync")
    ada.get_by_role("button", name="Create key").click()
    again = ada.get_by_role("dialog", name="Confirm your password")
    expect(again.get_by_label("Your password")).to_be_focused()
    assert problems(ada) == []
    again.get_by_label("Your password").fill("Wrong password")
    again.get_by_role("button", name="Continue").click()
    expect(ada.get_by_text("Wrong password.")).to_be_visible()
    assert problems(ada) == []
    ada.get_by_label("Your password").fill(PASSWORD)
    ada.get_by_role("button", name="Continue").click()
    expect(ada.get_by_text("Key “CRM sync” is ready")).to_be_visible()
