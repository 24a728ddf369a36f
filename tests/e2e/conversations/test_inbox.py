"""The inbox in a real browser: worked through by keyboard alone, and no key in the wrong place."""

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session, transaction
from app.domain.conversations import inbox_settings, meeting_links, snippets, threads
from app.domain.workspace import team
from app.models.conversations import Conversation
from app.models.workspaces import Membership, Role, User, Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account
from tests.e2e.browsing import loaded
from tests.support.movable import Movable

YES = "Sounds good, let's talk."


@pytest.fixture
def marek(acme: Workspace) -> User:
    """A second member."""
    mine = sa.select(User).join(Membership, Membership.user_id == User.id)
    owner = session().scalars(mine.where(Membership.workspace_id == acme.id)).one()
    _, token = team.invite(acme, owner, "marek@acme.example", Role.OPERATOR)
    return team.accept(token, "a long enough password", "Marek Novak")


def wrote(acme: Workspace, number: int) -> list[Conversation]:
    """So many people said yes, the first one last."""
    account = the_account(acme)
    for one in range(number, 0, -1):
        takes_in(acme, account, Received(f"person-{one}", "message", YES, acme.now(), f"r{one}"))
    return sorted(all_threads(acme), key=lambda talk: (talk.last_message_at, talk.id), reverse=True)


def is_open(page: Page, talk: Conversation) -> None:
    """That conversation is open, its heading has the focus, and its row is the marked one."""
    expect(page.get_by_role("heading", name=talk.person.name, exact=True).first).to_be_focused()
    expect(page.locator(".talk-row[aria-current]")).to_contain_text(talk.person.name)


def test_keys_wait_for_the_next_conversation(ada: Page, acme: Workspace) -> None:
    """Struck at once, they are done to the next ones, and what is typed is in the next reply; Z takes one back."""
    first, second, third, fourth = wrote(acme, 4)
    ada.goto(f"/conversations/{first.id}")
    loaded(ada, f"{first.person.name} – Inbox")
    ada.keyboard.type("eerdone")
    box = ada.locator(f"#text-{third.id}")
    expect(box).to_have_value("done")
    expect(box).to_be_focused()
    ada.keyboard.press("Escape")
    is_open(ada, third)
    ada.keyboard.press("j")
    is_open(ada, fourth)
    end_read()
    found = [bool(threads.get(acme, one.id).done_at) for one in (first, second, third, fourth)]
    assert found == [True, True, False, False]
    ada.keyboard.press("z")
    expect(ada.get_by_role("heading", name=second.person.name).first).to_be_visible()
    end_read()
    assert threads.get(acme, second.id).done_at is None


def test_j_and_k_walk_past_the_loaded_rows(ada: Page, acme: Workspace) -> None:
    talks = wrote(acme, 30)
    ada.goto(f"/conversations/{talks[23].id}")
    for one in talks[24:27]:
        ada.keyboard.press("j")
        expect(ada.get_by_role("heading", name=one.person.name, exact=True).first).to_be_focused()
    ada.keyboard.press("k")
    ada.keyboard.press("k")
    is_open(ada, talks[24])
    ada.keyboard.press("e")  # what moves up from the second page stands once
    is_open(ada, talks[25])
    assert ada.locator("#talks-found .talk-row").count() == 29


def test_a_note_a_reminder_and_a_meeting_are_made_by_keyboard(
    ada: Page, acme: Workspace, marek: User, clock: Movable
) -> None:
    """A note mentions a member and is not sent; a reminder needs a date, and one that came back is counted."""
    (talk,) = wrote(acme, 1)
    ada.goto(f"/conversations/{talk.id}")
    ada.keyboard.press("i")
    ada.get_by_role("button", name="@Marek Novak").click()
    ada.keyboard.type("can you take this one?")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".noted")).to_contain_text("@Marek Novak can you take this one?")
    expect(ada.locator(f"#note-{talk.id}")).not_to_have_attribute("open", "")
    ada.keyboard.press("h")
    expect(ada.get_by_role("button", name="Tomorrow")).to_be_focused()
    ada.locator(f"#remind-{talk.id}").get_by_role("button", name="Remind me").click()
    expect(ada.get_by_text("Choose a day after today, within five years.")).to_be_visible()
    ada.keyboard.press("h")
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("button", name="Tomorrow")).to_be_hidden()
    ada.keyboard.press("b")
    badge = ada.locator("#inbox .badge", has_text="Meeting")
    expect(badge).to_be_visible()
    ada.keyboard.press("z")
    expect(badge).to_have_count(0)
    ada.keyboard.press("a")
    ada.keyboard.press("2")
    expect(ada.get_by_role("button", name="Assigned to Marek Novak")).to_be_visible()
    end_read()
    assert (written(acme), threads.get(acme, talk.id).meeting_at) == ([], None)
    threads.mark(acme, talk.id, read=True)
    with transaction():
        session().get_one(Conversation, talk.id).remind_at = acme.now()
    ada.goto("/conversations")
    expect(ada.locator("#count-c")).to_contain_text("1")
    expect(ada.locator("#inbox .talk-row").first).to_contain_text("Reminder")
    ada.goto(f"/conversations/{talk.id}")
    ada.keyboard.press("e")
    expect(ada.locator("#count-c")).to_be_hidden()


def test_a_reply_is_written_with_snippets_and_a_suggestion(ada: Page, acme: Workspace) -> None:
    """Snippets go where one types, Tab takes the suggestion only when nothing is typed, and no variable is sent raw."""
    snippets.add(acme, "Prices", "Hi {{first_name|there}}, our prices are on one page.")
    snippets.add(acme, "Thanks", "Thank you, {{first_name|you}}.")
    snippets.add(acme, "Book", "Pick a time: {{meeting_link}}")
    talk, other = wrote(acme, 2)
    box, offered = ada.locator(f"#text-{talk.id}"), ada.locator(".snippet:visible")
    ada.goto(f"/conversations/{talk.id}")
    ada.keyboard.press(";")
    expect(ada.get_by_placeholder("Find a snippet")).to_be_focused()
    expect(offered).to_have_count(3)
    menu, button = ada.locator(".snippets").bounding_box(), ada.get_by_role("button", name="Snippets").bounding_box()
    assert menu
    assert button
    assert abs(menu["y"] + menu["height"] - button["y"]) < 20  # it opens above its button
    ada.keyboard.type("book")
    expect(offered).to_contain_text("No meeting link.")
    ada.keyboard.press("Enter")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".reply .error")).to_contain_text("No meeting link.")
    box.fill("")
    ada.keyboard.press("Escape")
    ada.keyboard.press(";")
    ada.keyboard.type("pri")
    expect(offered).to_have_count(1)
    ada.keyboard.press("Enter")
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

    inbox_settings.change(acme, 10, "cal.example/acme")
    ada.goto(f"/conversations/{other.id}")
    box, grey = ada.locator(f"#text-{other.id}"), ada.locator(".drafted-text")
    link = meeting_links.of_reply(acme.id, other.person_id, None, "social")
    expect(grey).to_contain_text(f"Thank you, there. Which time at {link} suits you?")
    expect(ada.locator(".drafted-by")).to_contain_text(f"their message “{YES}”")
    ada.keyboard.press("r")
    ada.keyboard.type("x")
    expect(grey).to_be_hidden()
    ada.keyboard.press("Tab")
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


def test_a_reply_is_taken_back_and_scheduled(ada: Page, acme: Workspace, clock: Movable) -> None:
    """Within ten seconds; what is scheduled is held when they write before it is sent."""
    first, second = wrote(acme, 2)
    ada.goto(f"/conversations/{first.id}")
    ada.keyboard.press("r")
    ada.keyboard.type("Too early")
    ada.keyboard.press("Control+Enter")
    expect(ada.get_by_text("Your reply will be sent in 10 s.")).to_be_visible()
    is_open(ada, second)
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
    expect(ada.locator(".is-failed")).to_contain_text("Held. A new message arrived before this was sent.")
    ada.get_by_role("button", name="Edit").click()
    expect(box).to_have_value("Too early")
