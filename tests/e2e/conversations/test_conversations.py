"""Conversations in a real browser: read, answered by keys, changed meanwhile, and without JavaScript."""

import pytest
from playwright.sync_api import Page, expect

from app.domain.conversations import inbox_settings
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads
from tests.domain.outreach import INVITE, a_campaign, forward, message, takes_in, the_account
from tests.e2e.browsing import focus_is_kept, loaded, titled

PEOPLE = [
    {"publicId": f"replies-{tone}-{first.lower()}", "firstName": first, "lastName": "Gallagher", "companyName": "Quill"}
    for tone, first in (("positive", "Aoife"), ("negative", "Bartholomew"), ("question", "Camille"))
]


@pytest.fixture
def talk(acme: Workspace) -> Conversation:
    """Aoife's conversation, beside two others, in a workspace that waits for no second thoughts."""
    inbox_settings.change(acme, 0, "")
    a_campaign(acme, PEOPLE, [INVITE, message("Hello {{first_name}}")])
    forward(acme, days=3)
    (found,) = [thread for thread in threads(acme) if thread.person.handle.endswith("aoife")]
    return found


def test_a_reply_is_read_and_answered_by_keyboard(
    ada: Page, acme: Workspace, talk: Conversation, working: None
) -> None:
    """A reply is read, answered with the keyboard and sent; the next one comes by itself."""
    ada.goto("/")
    ada.keyboard.type("gc")
    loaded(ada, "Camille Gallagher – Inbox")
    expect(ada.locator("#conversation[data-id]")).to_be_visible()  # the first, which stays unread
    expect(ada.locator(".talk-row[aria-current].unread")).to_have_count(1)
    expect(ada.locator("#count-c")).to_contain_text("3")
    ada.get_by_role("link", name="Aoife Gallagher").click()
    expect(ada.get_by_role("heading", name="Aoife Gallagher").first).to_be_focused()
    expect(ada.locator("#count-c")).to_contain_text("2")
    expect(ada).to_have_url(f"{ada.url.split('/conv')[0]}/conversations/{talk.id}")
    ada.keyboard.press("r")
    expect(ada.locator(f"#text-{talk.id}")).to_be_focused()
    ada.keyboard.type("Tuesday at ten?")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".said-one.mine").last).to_contain_text("Tuesday at ten?")
    expect(ada.locator(f"#text-{talk.id}")).to_have_value("")
    expect(ada.get_by_role("heading", name="Aoife Gallagher").first).to_be_focused()  # the last of the list stays open
    expect(ada.locator(".said-one.mine").last).to_have_class("said-one mine first is-sent")
    forward(acme, hours=4)
    expect(ada.locator(".said-one.theirs")).to_have_count(2)
    ada.keyboard.press("Escape")
    ada.keyboard.press("u")
    expect(ada.locator(f"#text-{talk.id}")).to_have_value("")
    expect(ada.get_by_role("button", name="Negative")).to_have_attribute("aria-pressed", "true")
    focus_is_kept(ada)
    ada.keyboard.press("m")
    expect(ada.get_by_role("button", name="Unmute")).to_be_visible()
    focus_is_kept(ada)
    ada.get_by_role("link", name="Camille Gallagher").click()
    titled(ada, "Camille Gallagher – Inbox")
    ada.go_back()
    titled(ada, "Aoife Gallagher – Inbox")


def test_someone_writes_while_we_type(ada: Page, acme: Workspace, talk: Conversation) -> None:
    """It is said before anything is sent, the text is kept, and the newer message is shown; sending works."""
    ada.goto(f"/conversations/{talk.id}")
    box = ada.locator(f"#text-{talk.id}")
    with ada.expect_response("**/typed"):
        box.fill("A long and careful answer")
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    expect(ada.get_by_text("Aoife wrote while you were typing.")).to_be_visible()
    expect(box).to_have_value("A long and careful answer")
    ada.reload()
    expect(ada.locator(".said-one.theirs").last).to_contain_text("One more thing")
    expect(box).to_have_value("A long and careful answer")
    ada.get_by_role("button", name="Send reply").click()
    expect(box).to_have_count(0)
    ada.goto(f"/conversations/{talk.id}")
    expect(ada.locator(".said-one.mine").last).to_contain_text("A long and careful answer")
    expect(box).to_have_value("")
