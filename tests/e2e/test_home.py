"""Home in a real browser, worked through by keys."""

from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.approvals import approvals
from app.domain.conversations import inbox
from app.domain.conversations.threads import ThreadFilter
from app.models.conversations import Message
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import email, takes_in, the_account
from tests.domain.reviewing import held


def waiting(workspace: Workspace) -> tuple[int, int]:
    """Open conversations and waiting drafts, as they are by now."""
    end_read()
    return inbox.counts(workspace, ThreadFilter(state="open"))["open"], approvals.count(workspace)


def test_home_is_worked_through_by_keys(ada: Page, acme: Workspace) -> None:
    """J and K walk all that waits, E is done, H is tomorrow, R writes, A approves, S skips; then the next is first."""
    held(acme, ["quiet-ada", "quiet-bob", "quiet-cleo"], [email("Hi {{first_name}}, a question.")])
    for name in ("dan", "eve", "finn", "gail"):
        takes_in(acme, the_account(acme), Received(name, "message", "Sounds good, let's talk.", acme.now(), name))
    ada.goto("/")
    expect(ada.locator("[aria-busy=true]")).to_have_count(0)  # what is counted after the page has come
    first, toast = ada.locator(".due-one.first").first, ada.locator(".toast")
    talks, drafts = waiting(acme)
    names = []
    before = first.get_by_role("heading").inner_text()
    ada.keyboard.press("j")
    expect(first.get_by_role("heading")).not_to_have_text(before)
    ada.keyboard.press("k")
    expect(first.get_by_role("heading")).to_have_text(before)
    items = ada.locator(".queue > li")
    for number in range(1, items.count()):
        ada.keyboard.press("j")
        expect(items.nth(number).locator(":focus")).to_have_count(1)
    ada.keyboard.press("?")
    expect(ada.get_by_role("dialog", name="Keyboard")).to_contain_text("Next or previous item")
    ada.keyboard.press("Escape")
    ada.goto("/")
    ada.keyboard.press("j")
    expect(first.get_by_role("heading")).not_to_have_text(before)
    for key in ("e", "h"):
        names.append(first.get_by_role("heading").inner_text())
        ada.keyboard.press(key)
        expect(toast).to_be_visible()
        expect(first.get_by_role("heading").get_by_role("link")).to_be_focused()
        ada.locator(".toast [data-close]").click()
    assert waiting(acme)[0] == talks - 2
    assert first.get_by_role("heading").inner_text() not in names
    assert before not in names
    ada.keyboard.press("r")
    ada.keyboard.type("Hello, echo as ever")
    expect(first.locator("textarea")).to_have_value("Hello, echo as ever")
    ada.keyboard.press("Control+Enter")
    expect(toast).to_contain_text("Your reply will be sent in 10 s")
    for number, key in enumerate(("a", "s"), 1):
        ada.goto("/")
        ada.keyboard.press(key)
        expect(toast).to_be_visible()
        assert waiting(acme)[1] == drafts - number


def test_a_reply_is_written_where_it_opens_and_an_empty_one_stays(ada: Page, acme: Workspace) -> None:
    """A click leads into the box; with nothing suggested, an empty box says so; else that is sent."""
    for name, said in (("dan", "Sounds good, let's talk."), ("eve", "Hm."), ("finn", "Let's talk next week.")):
        takes_in(acme, the_account(acme), Received(name, "message", said, acme.now(), name))
    held(acme, ["quiet-ada"], [email("Hi {{first_name}}, a question.")])
    ada.goto("/")
    ada.locator("article", has_text="Hm.").get_by_role("link", name="Reply").click()
    box = ada.locator(".due-one.first textarea")
    expect(box).to_be_focused()
    ada.locator(".drafted").evaluate_all("found => found.forEach(one => one.remove())")
    ada.keyboard.press("Control+Enter")
    expect(ada.get_by_text("Write a message.")).to_be_visible()
    expect(box).to_be_focused()
    ada.goto("/")
    expect(ada.locator(".drafted[data-text]")).to_be_visible()
    suggested = ada.locator(".drafted[data-text]").get_attribute("data-text")
    ada.get_by_role("button", name="Use and send").click()
    expect(ada.locator(".toast")).to_contain_text("Your reply will be sent in 10 s")
    end_read()
    assert [one.text for one in session().query(Message).filter_by(direction="out")] == [suggested]
