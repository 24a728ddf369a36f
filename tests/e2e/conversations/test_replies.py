"""The composer in a real browser: snippets, a time to send, undo, a suggestion that Tab takes, and the next page."""

import pytest
from playwright.sync_api import Page, expect

from app.core.clock import Movable
from app.core.db import end_read, session, transaction
from app.domain.conversations import inbox_settings, meeting_links, snippets, threads
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account

YES = "Sounds good, let's talk."


@pytest.fixture
def talks(acme: Workspace) -> list[Conversation]:
    """Two people said yes, the newest first."""
    snippets.add(acme, "Prices", "Hi {{first_name|there}}, our prices are on one page.")
    snippets.add(acme, "Thanks", "Thank you, {{first_name|you}}.")
    snippets.add(acme, "Book", "Pick a time: {{meeting_link}}")
    return wrote(acme, 2)


def wrote(acme: Workspace, number: int) -> list[Conversation]:
    """So many people said yes, the newest first."""
    for one in range(number):
        takes_in(acme, the_account(acme), Received(f"person-{one}", "message", YES, acme.now(), f"r{one}"))
    return sorted(all_threads(acme), key=lambda talk: (talk.last_message_at, talk.id), reverse=True)


def test_a_snippet_is_inserted_by_keyboard(ada: Page, talks: list[Conversation]) -> None:
    ada.goto(f"/conversations/{talks[0].id}")
    ada.keyboard.press(";")
    expect(ada.get_by_placeholder("Find a snippet")).to_be_focused()
    expect(ada.locator(".snippet:visible")).to_have_count(3)
    ada.keyboard.type("pri")
    expect(ada.locator(".snippet:visible")).to_have_count(1)
    ada.keyboard.press("Enter")
    box = ada.locator(f"#text-{talks[0].id}")
    expect(box).to_be_focused()
    expect(box).to_have_value("Hi there, our prices are on one page.")
    ada.keyboard.type(" So long; ;;")
    expect(box).to_have_value("Hi there, our prices are on one page. So long; ;")
    ada.keyboard.type(" ;")
    ada.keyboard.press("ArrowDown")
    ada.keyboard.press("ArrowDown")
    ada.keyboard.press("Enter")
    expect(box).to_have_value("Hi there, our prices are on one page. So long; ; Thank you, you.")
    ada.keyboard.type(" ;")
    ada.keyboard.press("Escape")
    expect(box).to_be_focused()
    ada.keyboard.press("Escape")
    expect(ada.locator("#conversation h1")).to_be_focused()


def test_a_link_that_is_missing_is_never_sent_raw(ada: Page, acme: Workspace, talks: list[Conversation]) -> None:
    ada.goto(f"/conversations/{talks[0].id}")
    ada.keyboard.press(";")
    ada.keyboard.type("book")
    expect(ada.locator(".snippet:visible")).to_contain_text("No meeting link.")
    ada.keyboard.press("Enter")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".reply .error")).to_contain_text("No meeting link.")
    end_read()
    assert written(acme) == []


def test_tab_takes_the_suggestion_only_in_an_empty_composer(
    ada: Page, acme: Workspace, talks: list[Conversation]
) -> None:
    inbox_settings.change(acme, 10, "cal.example/acme")
    ada.goto(f"/conversations/{talks[0].id}")
    grey = ada.locator(".drafted-text")
    link = meeting_links.of_reply(acme.id, talks[0].person_id, None, "social")
    expect(grey).to_contain_text(f"Thank you, there. Which time at {link} suits you?")
    expect(ada.locator(".drafted-by")).to_contain_text(f"wrote to you “{YES}”")
    ada.keyboard.press("r")
    ada.keyboard.type("x")
    expect(grey).to_be_hidden()
    ada.keyboard.press("Tab")
    box = ada.locator(f"#text-{talks[0].id}")
    expect(box).not_to_be_focused()
    expect(box).to_have_value("x")
    box.fill("")
    expect(grey).to_be_visible()
    box.focus()
    ada.keyboard.press("Tab")
    expect(box).to_be_focused()
    expect(box).to_have_value(f"Thank you, there. Which time at {link} suits you?")
    end_read()
    assert written(acme) == []


def test_sent_is_undone_and_scheduled(ada: Page, acme: Workspace, clock: Movable, talks: list[Conversation]) -> None:
    first, second = talks
    ada.goto(f"/conversations/{first.id}")
    ada.keyboard.press("r")
    ada.keyboard.type("Too early")
    ada.keyboard.press("Control+Enter")
    expect(ada.get_by_text("Sends in 10 s.")).to_be_visible()
    expect(ada.get_by_role("heading", name=second.person.name).first).to_be_focused()
    ada.keyboard.press("z")
    box = ada.locator(f"#text-{first.id}")
    expect(box).to_have_value("Too early")
    end_read()
    assert written(acme) == []
    ada.keyboard.press("r")
    ada.keyboard.press("Control+Shift+Enter")
    expect(ada.get_by_role("button", name="Tomorrow morning")).to_be_focused()
    ada.keyboard.press("1")
    expect(ada.get_by_text("Scheduled for").first).to_be_visible()
    end_read()
    (message,) = written(acme)
    assert message.send_at == message.due_at
    takes_in(acme, the_account(acme), Received(first.person.handle, "message", "Wait!", acme.now(), "more"))
    ada.goto(f"/conversations/{first.id}")
    expect(ada.locator(".is-failed")).to_contain_text("Held. They wrote before it was sent.")
    ada.get_by_role("button", name="Edit").click()
    expect(ada.locator(f"#text-{first.id}")).to_have_value("Too early")


def test_a_booked_meeting_is_marked_and_undone(ada: Page, acme: Workspace, talks: list[Conversation]) -> None:
    ada.goto(f"/conversations/{talks[0].id}")
    ada.keyboard.press("b")
    expect(ada.locator("#inbox .badge", has_text="Meeting")).to_be_visible()
    end_read()
    assert threads.get(acme, talks[0].id).meeting_at
    ada.keyboard.press("z")
    expect(ada.locator("#inbox .badge", has_text="Meeting")).to_have_count(0)


def test_j_walks_past_the_loaded_rows(ada: Page, acme: Workspace) -> None:
    talks = wrote(acme, 30)
    ada.goto(f"/conversations/{talks[23].id}")
    for one in talks[24:27]:
        ada.keyboard.press("j")
        expect(ada.get_by_role("heading", name=one.person.name, exact=True).first).to_be_focused()
    ada.keyboard.press("k")
    ada.keyboard.press("k")
    expect(ada.get_by_role("heading", name=talks[24].person.name, exact=True).first).to_be_focused()
    ada.keyboard.press("e")  # what moves up from the second page stands once
    expect(ada.get_by_role("heading", name=talks[25].person.name, exact=True).first).to_be_focused()
    assert ada.locator("#talks-found .talk-row").count() == 29
    ada.keyboard.press("j")
    expect(ada.get_by_role("heading", name=talks[26].person.name, exact=True).first).to_be_focused()


def test_a_reminder_that_came_back_is_counted_in_the_menu(
    ada: Page, acme: Workspace, clock: Movable, talks: list[Conversation]
) -> None:
    for one in talks:
        threads.mark(acme, one.id, read=True)
    with transaction():
        session().get_one(Conversation, talks[1].id).remind_at = acme.now()
    ada.goto("/conversations")
    expect(ada.locator("#count-c")).to_contain_text("1")
    expect(ada.locator("#inbox .talk-row").first).to_contain_text("Reminder")
    ada.goto(f"/conversations/{talks[1].id}")
    ada.keyboard.press("e")
    expect(ada.locator("#count-c")).to_be_hidden()
