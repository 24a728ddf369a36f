"""A play in a real browser: judged and changed without the page being loaded again."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.autopilot import plays, setup
from app.domain.platform import jobs
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from app.pages.autopilot.wizard import SAMPLE
from tests.bars import Bar
from tests.e2e.browsing import focus_is_kept, sign_in


@pytest.fixture
def play(acme: Workspace) -> Play:
    """The wizard is gone through, up to plays that can be reviewed; the best one."""
    setup.analyze(acme, description=SAMPLE)
    _work()
    setup.save(acme, customer_type_id=setup.view(acme).setup.customer_types[0]["id"])
    _work()
    setup.save(acme, channel="social_email", country="", offer={"kind": "call"})
    _work()
    best = plays.every(acme)[0]
    end_read()
    return best


def _work() -> None:
    end_read()
    while jobs.run_due():
        pass


def test_a_play_is_judged_by_keyboard_without_losing_the_focus(page: Page, play: Play, working: None, bar: Bar) -> None:
    """By keyboard and in plain words; the focus is never lost."""
    sign_in(page)
    page.goto(f"/plays/{play.id}")
    page.evaluate("window.kept = true")
    page.keyboard.press("y")
    votes = page.get_by_text("1 good fit, 0 not a fit")
    expect(votes).to_be_visible()
    page.keyboard.press("y")
    expect(votes).to_be_hidden()
    bar("U12", "votes that stay after they were taken back where they were given", votes.count(), most=0)
    page.keyboard.press("y")
    expect(votes).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("What to change")).to_be_focused()
    page.keyboard.type("Drop the email")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".say.me")).to_contain_text("Drop the email")
    expect(page.locator(".tl .node.email")).to_have_count(0)
    assert page.evaluate("window.kept")
    focus_is_kept(page)
