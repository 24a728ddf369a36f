"""A play in a real browser: judged and changed without the page being loaded again."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.autopilot import plays, setup
from app.domain.platform import jobs
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from app.pages.autopilot.wizard import SAMPLE
from tests.e2e.browsing import SETTLED, SIZES, focus_is_kept, sign_in


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


def test_a_play_is_judged_by_keyboard_without_losing_the_focus(page: Page, play: Play, working: None) -> None:
    """By keyboard and in plain words; the focus is never lost."""
    sign_in(page)
    page.goto(f"/plays/{play.id}")
    page.evaluate("window.kept = true")
    page.keyboard.press("y")
    votes = page.get_by_text("1 good fit, 0 not a fit")
    expect(votes).to_be_visible()
    page.keyboard.press("y")
    expect(votes).to_be_hidden()
    assert votes.count() == 0
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


OVERLAPS = """() => {
  const toast = document.querySelector('.toast').getBoundingClientRect();
  const across = one => one.left < toast.right && toast.left < one.right;
  const over = one => across(one) && one.top < toast.bottom && toast.top < one.bottom;
  return [...document.querySelectorAll('main button, main a.btn, footer button, footer a.btn, .tabbar a')]
    .filter(one => one.checkVisibility() && over(one.getBoundingClientRect())).map(one => one.textContent.trim());
}"""


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_message_stands_over_no_button_of_the_wizard(page: Page, play: Play, size: str) -> None:
    page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    sign_in(page)
    page.goto(f"/plays/{play.id}")
    page.get_by_role("button", name="Approve play").click()
    expect(page.locator(".toast")).to_contain_text("Approved")
    expect(page.get_by_role("button", name="Skip for now")).to_be_visible()
    page.evaluate(SETTLED)
    assert page.evaluate(OVERLAPS) == []
    page.get_by_role("button", name="Skip for now").click(timeout=5000)  # at once, not once the message is gone
    expect(page.get_by_role("button", name="Save alerts")).to_be_visible()


def test_the_words_of_an_offer_are_asked_for_where_they_are_used(page: Page, play: Play) -> None:
    sign_in(page)
    page.goto("/autopilot/reach")
    words = page.get_by_label("Your offer")
    expect(words).to_be_hidden()
    page.get_by_label("Something else").check()
    expect(words).to_be_visible()
    assert "tickets" not in (words.get_attribute("placeholder") or "")
    words.fill("a free trial")
    page.get_by_label("A call").check()
    expect(words).to_be_hidden()
