"""Reading conversations: which are meant, in which order, what was said in them."""

from datetime import timedelta

import pytest

from app.domain.conversations import threads
from app.domain.conversations.threads import ThreadFilter
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import takes_in, the_account
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


def hears(workspace: Workspace, person: str, text: str = "Hello", number: int = 0) -> None:
    item = Received(person, "message", text, workspace.now(), f"{person}-{number}")
    takes_in(workspace, the_account(workspace), item)


def test_a_thread_tells_the_person_the_sender_and_the_newest_message(acme: Workspace, talk: Conversation) -> None:
    """Its lines tell what was done without words, and its version changes with what is seen."""
    row = threads.get(acme, talk.id)
    assert (row.first_name, row.account_name, row.sentiment) == ("Ada", the_account(acme).name, "positive")
    assert (row.last_direction, row.last_at) == ("in", talk.last_message_at)
    assert [line.kind for line in threads.lines(talk)] == ["connection_request", "accepted"]
    assert threads.lines(talk)[1].at - threads.lines(talk)[0].at == timedelta(hours=1)
    assert threads.mark(acme, talk.id, read=True).unread == 0
    assert threads.mark(acme, talk.id, read=False).unread == 1
    before = threads.etag(talk.id)
    assert threads.etag(talk.id) == before
    hears(acme, talk.person.handle)
    assert threads.etag(talk.id) != before


def test_the_latest_activity_comes_first_page_by_page(acme: Workspace, clock: Movable) -> None:
    for number in range(7):
        hears(acme, f"person-{number}")
        clock.forward(minutes=number % 2)  # some at the same moment
    walked: list[str] = []
    behind = None
    while True:
        rows, behind = threads.newest(acme, ThreadFilter(), behind, limit=3)
        walked += [row.public_id for row in rows]
        if behind is None:
            break
    assert walked == [f"person-{number}" for number in range(6, -1, -1)]


def test_what_was_said_comes_oldest_first_and_backwards(acme: Workspace, clock: Movable) -> None:
    for number in range(10):
        hears(acme, "ada", f"Line {number}", number)
        clock.forward(minutes=1)
    (row,) = threads.newest(acme, ThreadFilter())[0]
    last, older = threads.has_message(acme, row.id, limit=4)
    assert ([one.text[-1] for one in last], older) == (list("6789"), True)
    first, older = threads.has_message(acme, row.id, before=last[0].id, limit=6)
    assert ([one.text[-1] for one in first], older) == (list("012345"), False)
    again, older = threads.has_message(acme, row.id, since=last[0].id)
    assert ([one.id for one in again], older) == ([one.id for one in last], True)
    hears(acme, "bob", "Elsewhere")
    (other, _) = threads.newest(acme, ThreadFilter())[0]
    from_elsewhere, _ = threads.has_message(acme, other.id, since=last[0].id)
    assert [one.text for one in from_elsewhere] == ["Elsewhere"]
