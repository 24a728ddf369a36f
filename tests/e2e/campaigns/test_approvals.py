"""The approval inbox in a real browser: decided by keyboard, on a phone, by two at once, and without JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.leads.campaign_leads import campaign_leads
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import email, forward
from tests.domain.reviewing import drafts, held, sent
from tests.e2e.browsing import fits, focus_is_kept, loaded, overflow, titled


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("401", "409", "422", "503")


def waits(workspace: Workspace, *names: str) -> list[int]:
    """The drafts of first emails to these people, as they stand in the list: the newest first."""
    held(workspace, [f"quiet-{name}" for name in names], [email("Hi {{first_name}}, a question.", "A question")])
    return [draft.id for draft in drafts(workspace, "pending")][::-1]


def decided(workspace: Workspace) -> list[int]:
    """How many drafts are approved, skipped, and still wait."""
    found = [approvals.count(workspace, Filters(status=status)) for status in ("approved", "skipped", "pending")]
    end_read()
    return found


def opened(page: Page, draft: int) -> None:
    """That draft is open, its heading has the focus, and its row is the marked one."""
    expect(page.locator(f"#heading-{draft}")).to_be_focused()
    expect(page.locator(f"#row-{draft} a.nm")).to_have_attribute("aria-current", "true")


def stop(workspace: Workspace, draft: int) -> None:
    """The person of that draft is stopped, so that it is stale."""
    stale = next(one for one in drafts(workspace) if one.id == draft)
    campaign_leads.stop(workspace, stale.campaign_id, stale.campaign_lead_id)
    end_read()


def test_a_reviewer_decides_by_keyboard(ada: Page, acme: Workspace) -> None:
    """One is skipped, one edited, one taken back, one stale, one decided by somebody else, one read for its warning."""
    ids = waits(acme, "ada", "bob", "cleo", "dan", "eve", "finn", "gail")
    approvals.edit(acme, ids[5], text="Hi Somebody, a question.")
    ada.goto("/")
    ada.keyboard.type("ga")
    loaded(ada, f"Approvals ({len(ids)})")
    opened(ada, ids[0])
    ada.keyboard.press("s")
    opened(ada, ids[1])
    ada.keyboard.press("e")
    ada.keyboard.type(" And one more.")
    ada.keyboard.press("Control+Enter")
    opened(ada, ids[2])
    ada.keyboard.press("a")
    opened(ada, ids[3])
    ada.keyboard.press("z")
    opened(ada, ids[2])
    ada.keyboard.press("a")
    opened(ada, ids[3])
    stop(acme, ids[3])
    ada.keyboard.press("a")
    expect(ada.locator(".toast")).to_contain_text("No longer needed,")
    opened(ada, ids[4])
    approvals.edit(acme, ids[4], text="From somebody else.", approve=True)
    ada.keyboard.press("a")
    opened(ada, ids[5])
    ada.keyboard.press("a")
    expect(ada.locator(f"#checks-{ids[5]}")).to_be_focused()
    expect(ada.get_by_role("button", name="Approve anyway")).to_be_visible()
    fits(ada)
    assert decided(acme) == [3, 2, 2]
    ada.keyboard.press("a")
    opened(ada, ids[6])
    ada.keyboard.press("a")
    expect(ada.get_by_role("heading", name="All caught up")).to_be_visible()
    focus_is_kept(ada)
    expect(ada.locator("#count-a")).to_be_hidden()
    assert decided(acme) == [5, 2, 0]
    forward(acme, days=10)
    edited = ["From somebody else.", "Hi Finn, a question. And one more.", "Hi Somebody, a question."]
    assert sorted(sent(acme)) == sorted([*edited, "Hi Ada, a question.", "Hi Eve, a question."])


def test_what_is_typed_survives(ada: Page, acme: Workspace) -> None:
    """Another draft, a reload, a server that does not answer, and the end of the session; Reset takes it back."""
    first, second = waits(acme, "ada", "bob")
    box = ada.locator(f"#text-{first}")

    def types(words: str) -> None:
        opened(ada, first)
        ada.keyboard.press("e")
        expect(box).to_be_focused()
        ada.keyboard.insert_text(words)  # at once: a session that ends takes the page away while one still types

    ada.goto("/approvals")
    expect(ada.get_by_role("heading", level=1)).to_have_count(1)
    types(" One.")
    expect(ada.locator(f"#kept-{first}")).to_have_text("Draft text saved")
    ada.reload()
    expect(box).to_have_value("Hi Bob, a question. One.")
    ada.keyboard.press("j")
    opened(ada, second)
    expect(ada.locator(f"#text-{second}")).to_have_value("Hi Ada, a question.")
    ada.keyboard.press("k")
    ada.route("**/approvals/**", lambda route: route.fulfill(status=503, headers={"Retry-After": "9"}))
    types(" Two.")
    ada.keyboard.press("Control+Enter")
    expect(ada.get_by_role("alert").filter(has_text="Nothing was lost. Try again in 9 s.").first).to_be_visible()
    ada.unroute("**/approvals/**")
    ada.reload()
    expect(box).to_have_value("Hi Bob, a question. One. Two.")
    ada.context.clear_cookies()
    types(" Three.")
    titled(ada, "Sign in")
    ada.get_by_label("Email").fill("ada@acme.example")
    ada.get_by_label("Password", exact=True).fill(PASSWORD)
    ada.keyboard.press("Enter")
    expect(box).to_have_value("Hi Bob, a question. One. Two. Three.")
    ada.get_by_role("button", name="Reset").click()
    expect(box).to_have_value("Hi Bob, a question.")
    expect(box).to_be_focused()


def test_drafts_are_rewritten_and_decided_together_by_keyboard(ada: Page, acme: Workspace) -> None:
    """R says what should be different and Z takes it back; X picks, A and S then decide about those."""
    ids = waits(acme, "ada", "bob", "cleo")
    approvals.edit(acme, ids[1], text="Hi Somebody, a question.")
    ada.goto("/approvals")
    opened(ada, ids[0])
    typed = "Hi Cleo, I saw your courses. They look good to me. Shall we talk?"
    text = ada.locator(f"#text-{ids[0]}")
    text.fill(typed)
    expect(ada.get_by_role("button", name="Shorter")).to_be_visible()
    ada.keyboard.press("Escape")
    ada.keyboard.press("r")
    expect(ada.get_by_role("button", name="Shorter")).to_be_focused()
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("Rewritten as you asked.")).to_be_visible()
    expect(text).to_have_value("Hi Cleo, I saw your courses. Shall we talk?")
    expect(text).to_be_focused()
    ada.keyboard.press("Escape")
    expect(ada.locator(f"#heading-{ids[0]}")).to_be_focused()
    ada.keyboard.press("z")
    expect(text).to_have_value(typed)
    ada.goto("/approvals")
    for number, draft in enumerate(ids, start=1):
        opened(ada, draft)
        ada.keyboard.press("x")
        expect(ada.get_by_text(f"{number} selected")).to_be_visible()
        ada.keyboard.press("j")
    expect(ada.locator(".decide kbd:visible")).to_have_text(["E"])
    ada.keyboard.press("a")
    expect(ada.locator(".toast")).to_contain_text("2 approved. Open 1 draft with warnings.")
    assert decided(acme) == [2, 0, 1]
    ada.keyboard.press("z")
    expect(ada.locator(".toast")).to_contain_text("2 drafts moved back to waiting.")
    assert decided(acme) == [0, 0, 3]
    for draft in (ids[0], ids[2]):
        approvals.edit(acme, draft, text="Hi, a question.", approve=True)
    ada.goto("/approvals")
    ada.keyboard.press("x")
    ada.keyboard.type("sNot now")
    ada.keyboard.press("Enter")
    expect(ada.locator(".toast")).to_contain_text("1 skipped.")
    assert decided(acme) == [2, 1, 0]


def test_one_draft_per_screen_on_a_phone(phone: Page, acme: Workspace) -> None:
    ids = waits(acme, "ada", "bob", "cleo")
    phone.goto("/approvals")
    expect(phone.get_by_role("textbox")).to_be_hidden()
    phone.locator(f"#row-{ids[0]} a.nm").tap()
    expect(phone).to_have_url(re.compile(rf"/approvals/{ids[0]}\b"))
    expect(phone.locator(f"#text-{ids[0]}")).to_be_visible()
    expect(phone.locator("#rows")).to_be_hidden()
    assert overflow(phone) == 0
    phone.get_by_role("button", name="Approve").tap()
    expect(phone.locator(f"#text-{ids[1]}")).to_be_visible()
    phone.get_by_role("button", name="Skip").tap()
    expect(phone.locator(f"#text-{ids[2]}")).to_be_visible()
    phone.get_by_role("button", name="Undo").tap()
    expect(phone.locator(f"#text-{ids[1]}")).to_be_visible()
    phone.get_by_role("link", name="All drafts").tap()
    expect(phone.locator("#rows")).to_be_visible()
    expect(phone.locator("#rows .dl")).to_have_count(2)
