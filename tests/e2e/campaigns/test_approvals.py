"""The approval inbox in a real browser: decided by keyboard, on a phone, by two at once, and without scripts."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, email, forward, message
from tests.domain.reviewing import drafts, held, sent
from tests.e2e.browsing import SIZES, overflow, problems, sign_in


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("409", "422")


def waits(workspace: Workspace, names: list[str], text: str = "Hi {{first_name}}, a question.") -> list[int]:
    """The drafts of first emails to these people, as they stand in the list: the newest first."""
    held(workspace, [f"quiet-{name}" for name in names], [email(text, "A question")])
    return [draft.id for draft in drafts(workspace, "pending")][::-1]


def count(workspace: Workspace, status: str) -> int:
    """How many drafts have that status."""
    found = approvals.count(workspace, Filters(status=status))
    end_read()
    return found


def opened(page: Page, draft: int) -> None:
    """That draft is open, its heading has the focus, and its row is the marked one."""
    expect(page.locator(f"#heading-{draft}")).to_be_focused()
    expect(page.locator(f"#row-{draft} a.nm")).to_have_attribute("aria-current", "true")


def test_a_warning_is_read_before_the_draft_is_sent(ada: Page, acme: Workspace) -> None:
    """A warning is read before the draft is sent."""
    (draft,) = waits(acme, ["ada"], "Hi Bob, a question.")
    ada.goto("/approvals")
    opened(ada, draft)
    ada.keyboard.press("a")
    expect(ada.locator(f"#checks-{draft}")).to_be_focused()
    expect(ada.get_by_role("button", name="Approve anyway")).to_be_visible()
    assert count(acme, "pending") == 1
    ada.keyboard.press("a")
    expect(ada.get_by_role("heading", name="All caught up")).to_be_visible()
    assert count(acme, "approved") == 1


def test_what_is_typed_survives_a_reload(ada: Page, acme: Workspace) -> None:
    """Esc leaves the text, Reset takes the edits back, and nothing typed for one stands under the name of another."""
    first, second = waits(acme, ["ada", "bob"])
    ada.goto("/approvals")
    opened(ada, first)
    expect(ada.get_by_role("heading", level=1)).to_have_count(1)
    ada.keyboard.press("e")
    ada.keyboard.type(" Typed.")
    expect(ada.locator(f"#kept-{first}")).to_have_text("Draft text saved")
    ada.reload()
    expect(ada.locator(f"#text-{first}")).to_have_value("Hi Bob, a question. Typed.")
    ada.keyboard.press("j")
    opened(ada, second)
    expect(ada.locator(f"#text-{second}")).to_have_value("Hi Ada, a question.")
    ada.keyboard.press("k")
    opened(ada, first)
    ada.keyboard.press("e")
    ada.keyboard.press("Escape")
    expect(ada.locator(f"h2#heading-{first}")).to_be_focused()
    ada.get_by_role("button", name="Reset").click()
    expect(ada.locator(f"#text-{first}")).to_have_value("Hi Bob, a question.")
    expect(ada.locator(f"#text-{first}")).to_be_focused()
    ada.go_back()
    expect(ada).to_have_url(re.compile(f"/approvals/{second}$"))


def test_a_draft_is_rewritten_by_keyboard(ada: Page, acme: Workspace) -> None:
    """R says what should be different, Enter does it to what stands in the box, Z takes it back."""
    (only,) = waits(acme, ["ada"])
    ada.goto("/approvals")
    opened(ada, only)
    typed = "Hi Ada, I saw your courses. They look good to me. Shall we talk?"
    ada.locator(f"#text-{only}").fill(typed)
    ada.keyboard.press("Escape")
    ada.keyboard.press("r")
    expect(ada.locator(f"#wish-{only}")).to_be_focused()
    ada.keyboard.type("shorter")
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("Rewritten as you asked.")).to_be_visible()
    expect(ada.locator(f"#text-{only}")).to_have_value("Hi Ada, I saw your courses. Shall we talk?")
    expect(ada.locator(f"#text-{only}")).to_be_focused()
    ada.keyboard.press("Escape")
    expect(ada.locator(f"#heading-{only}")).to_be_focused()
    ada.keyboard.press("z")
    expect(ada.locator(f"#text-{only}")).to_have_value(typed)


def test_picked_drafts_are_decided_together(ada: Page, acme: Workspace) -> None:
    ids = waits(acme, ["ada", "bob", "cleo"])
    approvals.edit(acme, ids[1], text="Hi Somebody, a question.")
    ada.goto("/approvals")
    for number, draft in enumerate(ids, start=1):
        opened(ada, draft)
        ada.keyboard.press("x")
        expect(ada.get_by_text(f"{number} selected")).to_be_visible()
        ada.keyboard.press("j")
    ada.keyboard.press("Shift+A")
    expect(ada.locator(".toast")).to_contain_text("2 approved. 1 has warnings: open it.")
    assert [count(acme, status) for status in ("approved", "pending")] == [2, 1]


def test_two_reviewers_do_not_decide_twice(ada: Page, acme: Workspace, browser: Browser) -> None:
    first, second = waits(acme, ["ada", "bob"])
    ada.goto("/approvals")
    opened(ada, first)
    approvals.edit(acme, first, text="Hi Bob, from somebody else.", approve=True)
    ada.keyboard.press("a")
    expect(ada.locator(".toast")).to_contain_text("Approved")
    expect(ada.locator(f"#row-{first}")).to_have_count(0)
    opened(ada, second)
    forward(acme, days=4)
    assert sent(acme) == ["Hi Bob, from somebody else."]


@pytest.mark.parametrize(("size", "colours"), [("desktop", "light"), ("phone", "dark")])
def test_no_one_is_shut_out(browser: Browser, browser_context_args: Any, acme: Any, size: str, colours: Any) -> None:
    """With a refusal, a warning and a message open; the walk over every page sees drafts without them."""
    ids = waits(acme, ["ada", "bob"], "Hi Somebody, a question to {{first_name}}.")
    held(acme, ["accepts-zoe"], [INVITE, message("Hi {{custom.x}}")], name="Other")
    forward(acme, hours=4)
    context = browser.new_context(**{**browser_context_args, "viewport": SIZES[size], "color_scheme": colours})
    page = context.new_page()
    sign_in(page)
    for path in ("/approvals", f"/approvals/{ids[0]}"):
        page.goto(path)
        page.mouse.move(0, 0)
        assert problems(page) == [], path
        assert overflow(page) == 0, path
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("button", name="Approve anyway")).to_be_visible()
    assert problems(page) == []
    page.get_by_role("button", name="Approve anyway").click()
    expect(page.locator(".toast")).to_contain_text("Approved for Bob")
    assert problems(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert overflow(page) == 0
    context.close()


def test_one_draft_per_screen_on_a_phone(browser: Browser, browser_context_args: Any, acme: Workspace) -> None:
    ids = waits(acme, ["ada", "bob", "cleo"])
    context = browser.new_context(**{**browser_context_args, "viewport": SIZES["phone"], "has_touch": True})
    page = context.new_page()
    sign_in(page)
    page.goto("/approvals")
    expect(page.get_by_role("textbox")).to_be_hidden()
    page.locator(f"#row-{ids[0]} a.nm").tap()
    expect(page).to_have_url(re.compile(rf"/approvals/{ids[0]}\b"))
    expect(page.locator(f"#text-{ids[0]}")).to_be_visible()
    expect(page.locator("#rows")).to_be_hidden()
    page.get_by_role("button", name="Approve").tap()
    expect(page.locator(f"#text-{ids[1]}")).to_be_visible()
    page.get_by_role("button", name="Skip").tap()
    expect(page.locator(f"#text-{ids[2]}")).to_be_visible()
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator(f"#text-{ids[1]}")).to_be_visible()
    page.get_by_role("link", name="All drafts").tap()
    expect(page.locator("#rows")).to_be_visible()
    expect(page.locator("#rows .dl")).to_have_count(2)
    context.close()
