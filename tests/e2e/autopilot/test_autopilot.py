"""A play in a real browser: judged and changed without the page being loaded again."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.autopilot import plays
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import designed
from tests.e2e.browsing import focus_is_kept


@pytest.fixture
def play(acme: Workspace) -> Play:
    """The wizard is gone through, up to plays that can be reviewed; the best one."""
    designed(acme)
    best = plays.every(acme)[0]
    end_read()
    return best


def test_a_play_is_judged_and_changed_by_a_button_with_undo(ada: Page, play: Play, working: None) -> None:
    """What would go is seen first, and the focus is never lost; words of an offer are asked for where they are used."""
    page = ada
    page.goto(f"/plays/{play.id}")
    page.evaluate("window.kept = true")
    page.keyboard.press("y")
    votes = page.get_by_text("1 good, 0 not")
    expect(votes).to_be_visible()
    page.keyboard.press("y")
    expect(votes).to_be_hidden()
    emails = page.locator(".tl .node.email")
    page.get_by_role("button", name="No email", exact=True).click()
    expect(page.locator(".proposal del").first).to_be_visible()
    expect(emails).not_to_have_count(0)
    focus_is_kept(page)
    page.get_by_role("button", name="Use", exact=True).click()
    expect(page.locator(".say.it").last).to_contain_text("dropped.")
    expect(emails).to_have_count(0)
    focus_is_kept(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(emails).not_to_have_count(0)
    expect(page.locator(".say.it").last).to_contain_text("Undone.")
    focus_is_kept(page)
    assert page.evaluate("window.kept")
    page.goto("/autopilot/reach")
    words = page.get_by_label("Your offer")
    expect(words).to_be_hidden()
    page.get_by_label("Something else").check()
    expect(words).to_be_visible()
    page.get_by_label("A call").check()
    expect(words).to_be_hidden()
