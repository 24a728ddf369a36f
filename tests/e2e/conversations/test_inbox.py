"""The inbox in a real browser: fifty conversations by keyboard alone, and no key in the wrong place."""

from collections import Counter

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.conversations import inbox, snippets, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.workspace import team
from app.models.conversations import Conversation, ConversationNote
from app.models.workspaces import Membership, Role, User, Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account
from tests.e2e.browsing import loaded

FIFTY = 50


@pytest.fixture
def marek(acme: Workspace) -> User:
    """A second member."""
    mine = sa.select(User).join(Membership, Membership.user_id == User.id)
    owner = session().scalars(mine.where(Membership.workspace_id == acme.id)).one()
    _, token = team.invite(acme, owner, "marek@acme.example", Role.OPERATOR)
    return team.accept(token, "a long enough password", "Marek Novak")


def wrote(acme: Workspace, number: int) -> list[Conversation]:
    """So many people wrote, the first one last."""
    account = the_account(acme)
    for one in range(number, 0, -1):
        takes_in(acme, account, Received(f"person-{one}", "message", "Sounds good, let's talk.", acme.now(), f"r{one}"))
    return sorted(all_threads(acme), key=lambda talk: (talk.last_message_at, talk.id), reverse=True)


@pytest.fixture
def fifty(acme: Workspace, marek: User) -> list[Conversation]:
    """Fifty people wrote."""
    snippets.add(acme, "Prices", "Our prices are on one page.")
    return wrote(acme, FIFTY)


def do(ada: Page, act: str, name: str) -> None:
    """Do it to the conversation that is open, by keys alone."""
    if act == "answer":
        ada.keyboard.press("r")
        ada.keyboard.type(f"Here is more, {name}. ejhak")
        ada.keyboard.press("Control+Enter")
    elif act == "done":
        ada.keyboard.press("e")
    elif act == "snippet":
        ada.keyboard.press(";")
        ada.keyboard.type("pri")
        ada.keyboard.press("Enter")
        ada.keyboard.press("Control+Enter")
    elif act == "later":
        ada.keyboard.press("r")
        ada.keyboard.type("Good morning; a question")
        ada.keyboard.press("Control+Shift+Enter")
        expect(ada.get_by_role("button", name="Tomorrow morning")).to_be_focused()
        ada.keyboard.press("1")
    elif act == "suggested":
        expect(ada.locator(".drafted-text")).to_be_visible()
        ada.keyboard.press("r")
        ada.keyboard.press("Tab")
        ada.keyboard.press("Control+Enter")
    elif act == "meeting":
        ada.keyboard.press("b")
        expect(ada.get_by_role("button", name="Meeting booked")).to_have_attribute("aria-pressed", "true")
        ada.keyboard.press("e")
    elif act == "remind":
        ada.keyboard.press("h")
        ada.keyboard.press("2")
    else:
        ada.keyboard.press("a")
        ada.keyboard.press("2")
        expect(ada.locator("#conversation")).to_contain_text(name)
        ada.keyboard.press("e")


def test_fifty_are_triaged_by_keyboard_alone(
    ada: Page, acme: Workspace, marek: User, fifty: list[Conversation]
) -> None:
    """Answer (by snippet, later, as suggested), done, remind, assign, book: each key goes where the page shows it."""
    ada.goto("/conversations")
    ada.keyboard.press("j")
    ada.keyboard.press("Enter")
    seen, done = [], Counter[str]()
    for number in range(FIFTY):
        here = ada.locator("#conversation[data-id] h1")
        expect(here).to_be_visible()
        if seen:
            expect(here).not_to_have_text(seen[-1])
        seen.append(here.inner_text())
        act = ("answer", "done", "remind", "assign", "snippet", "later", "suggested", "meeting")[number % 8]
        done[act] += 1
        do(ada, act, seen[-1])
    replied = done["answer"] + done["snippet"] + done["later"] + done["suggested"]
    expect(ada.locator("#talks-tabs")).to_contain_text(f"Open {replied}")
    end_read()
    assert len(set(seen)) == FIFTY
    answers = Counter(message.text for message in written(acme))
    assert answers == {
        **{f"Here is more, {name}. ejhak": 1 for name in seen[::8]},
        "Our prices are on one page.": done["snippet"],
        "Good morning; a question": done["later"],
        "Thank you, there. Which day suits you for a short call?": done["suggested"],
    }
    assert sum(message.send_at is not None for message in written(acme)) == done["later"]
    booked = threads.newest(acme, ThreadFilter(meeting=True), limit=FIFTY)[0]
    assert {row.public_id for row in booked} == set(seen[7::8])
    counted = inbox.counts(acme, ThreadFilter(state="open")).states
    assert counted == {
        "open": replied,
        "reminded": done["remind"],
        "done": FIFTY - replied - done["remind"],
        "all": FIFTY,
    }
    assigned = threads.newest(acme, ThreadFilter(assignee_id=marek.id), limit=FIFTY)[0]
    assert {row.public_id for row in assigned} == set(seen[3::8])
    assert session().scalar(sa.select(sa.func.count()).select_from(ConversationNote)) == 0


def test_keys_wait_for_the_next_one(ada: Page, acme: Workspace, marek: User) -> None:
    """Struck at once, they are done to the next conversations, and what is typed is in the next one's reply."""
    first, second, third, fourth = wrote(acme, 4)
    ada.goto(f"/conversations/{first.id}")
    loaded(ada, f"{first.person.name} – Conversations")
    ada.keyboard.type("eerdone")
    box = ada.locator(f"#text-{third.id}")
    expect(box).to_have_value("done")
    expect(box).to_be_focused()
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("heading", name=third.person.name).first).to_be_focused()
    ada.keyboard.press("j")
    expect(ada.get_by_role("heading", name=fourth.person.name).first).to_be_focused()
    end_read()
    assert threads.get(acme, first.id).done_at
    assert threads.get(acme, second.id).done_at
    assert (threads.get(acme, third.id).done_at, threads.get(acme, fourth.id).done_at) == (None, None)
    ada.keyboard.press("z")
    expect(ada.get_by_role("heading", name=second.person.name).first).to_be_visible()
    end_read()
    assert threads.get(acme, second.id).done_at is None


def test_after_sending_the_next_one_is_open(ada: Page, acme: Workspace, marek: User) -> None:
    first, second = wrote(acme, 2)
    ada.goto(f"/conversations/{first.id}")
    ada.keyboard.press("r")
    ada.keyboard.type("Thank you")
    ada.keyboard.press("Control+Enter")
    expect(ada.get_by_role("heading", name=second.person.name).first).to_be_focused()
    expect(ada).to_have_url(f"{ada.url.split('/conv')[0]}/conversations/{second.id}")
    ada.keyboard.press("r")
    ada.keyboard.type("Thank you too")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".said-one.mine").last).to_contain_text("Thank you too")
    expect(ada.locator("#conversation h1")).to_be_focused()


def test_a_note_is_written_by_keyboard_and_mentions_a_member(ada: Page, acme: Workspace, marek: User) -> None:
    (talk,) = wrote(acme, 1)
    ada.goto(f"/conversations/{talk.id}")
    ada.keyboard.press("i")
    ada.get_by_role("button", name="@Marek Novak").click()
    ada.keyboard.type("can you take this one?")
    ada.keyboard.press("Control+Enter")
    expect(ada.locator(".noted")).to_contain_text("@Marek Novak can you take this one?")
    expect(ada.locator(f"#note-{talk.id}")).not_to_have_attribute("open", "")
    end_read()
    assert written(acme) == []


def test_without_a_date_the_reminder_says_what_is_missing(ada: Page, acme: Workspace, marek: User) -> None:
    (talk,) = wrote(acme, 1)
    ada.goto(f"/conversations/{talk.id}")
    ada.keyboard.press("h")
    expect(ada.get_by_role("button", name="Tomorrow")).to_be_focused()
    ada.locator(f"#remind-{talk.id}").get_by_role("button", name="Remind me").click()
    expect(ada.get_by_text("Choose a day after today, within five years.")).to_be_visible()
    ada.keyboard.press("h")
    ada.keyboard.press("Escape")
    expect(ada.get_by_role("button", name="Tomorrow")).to_be_hidden()
