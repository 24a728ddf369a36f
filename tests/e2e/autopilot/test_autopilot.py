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


def test_a_play_is_judged_and_changed_by_keyboard(ada: Page, play: Play, working: None) -> None:
    """In plain words, and the focus is never lost; the words of an offer are asked for where they are used."""
    page = ada
    page.goto(f"/plays/{play.id}")
    page.evaluate("window.kept = true")
    page.keyboard.press("y")
    votes = page.get_by_text("1 good fit, 0 not a fit")
    expect(votes).to_be_visible()
    page.keyboard.press("y")
    expect(votes).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_label("What to change")).to_be_focused()
    page.keyboard.type("Drop the email")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".say.me")).to_contain_text("Drop the email")
    expect(page.locator(".tl .node.email")).to_have_count(0)
    assert page.evaluate("window.kept")
    focus_is_kept(page)
    page.goto("/autopilot/reach")
    words = page.get_by_label("Your offer")
    expect(words).to_be_hidden()
    page.get_by_label("Something else").check()
    expect(words).to_be_visible()
    page.get_by_label("A call").check()
    expect(words).to_be_hidden()
