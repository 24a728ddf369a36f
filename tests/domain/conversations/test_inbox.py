"""The inbox: what is done or to come back leaves the open ones, and comes back by itself."""

from datetime import timedelta

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.conversations import inbox, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.manual import compose
from app.domain.workspace import team
from app.models.conversations import Conversation
from app.models.workspaces import Role, Workspace
from app.ports import Received
from app.resources.conversations import TONES
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.outreach import takes_in, the_account
from tests.support.members import owner as the_owner
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres
OPEN = ThreadFilter(state="open")


@pytest.fixture
def talks(acme: Workspace, clock: Movable) -> list[Conversation]:
    for number, person in enumerate(("ada", "bob", "cem", "dan")):
        clock.forward(minutes=1)
        takes_in(acme, the_account(acme), Received(person, "message", "Hello", acme.now(), f"r{number}"))
    return all_threads(acme)


def handles(workspace: Workspace, **choice: object) -> list[str]:
    found, behind = inbox.page(workspace, ThreadFilter(**choice), limit=2)  # type: ignore[arg-type]
    while behind:
        more, behind = inbox.page(workspace, ThreadFilter(**choice), behind, limit=2)  # type: ignore[arg-type]
        found += more
    return [row.public_id for row in found]


def numbers(workspace: Workspace, state: str = "open") -> dict[str, int]:
    """The figures of the states; those of the tones add up to them."""
    counted = inbox.counts(workspace, ThreadFilter(state=state))
    del counted["silent"]
    tones = [inbox.counts(workspace, ThreadFilter(state=state, sentiment=tone))[state] for tone in TONES]
    assert sum(tones) == counted[state]
    for name, number in counted.items():
        assert number == len(handles(workspace, state=name)), name
    return counted


def test_what_is_done_leaves_the_open_ones_until_they_write(
    acme: Workspace, talks: list[Conversation], clock: Movable
) -> None:
    inbox.finish(acme, talks[1].id)
    assert handles(acme, state="open") == ["dan", "cem", "ada"]
    assert handles(acme, state="done") == ["bob"]
    assert threads.waiting(acme) == 3
    assert numbers(acme) == {"open": 3, "reminded": 0, "done": 1, "all": 4}
    clock.forward(hours=1)
    takes_in(acme, the_account(acme), Received("bob", "message", "One more thing", acme.now(), "more"))
    assert handles(acme, state="open") == ["bob", "dan", "cem", "ada"]
    assert numbers(acme) == {"open": 4, "reminded": 0, "done": 0, "all": 4}


def test_what_was_answered_stands_below_what_waits_for_us(acme: Workspace, talks: list[Conversation]) -> None:
    for talk in (talks[3], talks[1]):
        threads.mark(acme, talk.id, read=True)
        message = compose.write(acme, talk.id, "Thank you.")
    assert handles(acme, state="open") == ["cem", "ada", "dan", "bob"]
    assert handles(acme, state="open", oldest_first=True) == ["ada", "cem", "bob", "dan"]
    place = inbox.place_of(acme, threads.get(acme, talks[0].id), OPEN)
    following = inbox.following(acme, OPEN, place)
    assert following
    assert following.public_id == "dan"
    threads.mark(acme, talks[3].id, read=False)
    assert handles(acme, state="open") == ["dan", "cem", "ada", "bob"]
    compose.discard(acme, talks[1].id, message.id)
    assert handles(acme, state="open")[-1] == "ada"


def test_a_reminder_comes_back_on_top_with_its_reason(
    acme: Workspace, talks: list[Conversation], clock: Movable
) -> None:
    for wrong in (None, -1, 0, 3000):
        with pytest.raises(InvalidRequest):
            inbox.remind(acme, talks[0].id, None if wrong is None else acme.now().date() + timedelta(days=wrong))
    assert numbers(acme)["reminded"] == 0
    day = acme.now().date() + timedelta(days=3)
    inbox.remind(acme, talks[0].id, day, "  They decide \n then ")
    assert handles(acme, state="open") == ["dan", "cem", "bob"]
    assert numbers(acme) == {"open": 3, "reminded": 1, "done": 0, "all": 4}
    clock.forward(days=4)
    takes_in(acme, the_account(acme), Received("eve", "message", "Hi", acme.now(), "new"))
    assert handles(acme, state="open") == ["ada", "eve", "dan", "cem", "bob"]
    assert threads.get(acme, talks[0].id).remind_text == "They decide then"
    assert numbers(acme) == {"open": 5, "reminded": 0, "done": 0, "all": 5}
    compose.write(acme, talks[0].id, "Have you decided?")
    assert threads.get(acme, talks[0].id).remind_at is None


def test_reminders_come_in_order_of_days_and_a_reply_ends_one(acme: Workspace, talks: list[Conversation]) -> None:
    inbox.remind(acme, talks[0].id, acme.now().date() + timedelta(days=3), "Ask again")
    away = "I am out of office until Monday. This is an automatic reply."
    takes_in(acme, the_account(acme), Received("ada", "message", away, acme.now(), "auto", automatic=True))
    assert handles(acme, state="reminded") == ["ada"]
    takes_in(acme, the_account(acme), Received("ada", "message", "Yes please", acme.now(), "yes"))
    assert handles(acme, state="reminded") == []
    found = threads.get(acme, talks[0].id)
    assert (found.remind_at, found.remind_text) == (None, "")
    today = acme.now().date()
    for talk, days in zip(talks, (9, 2, 5, 2), strict=True):
        inbox.remind(acme, talk.id, today + timedelta(days=days))
    assert handles(acme, state="reminded") == ["bob", "dan", "cem", "ada"]


def test_done_and_reminders_are_undone(acme: Workspace, talks: list[Conversation]) -> None:
    """What is marked unread is open."""
    day, ada = acme.now().date() + timedelta(days=2), talks[0].id
    thread, reminded = inbox.remind(acme, ada, day, "Ask")
    at = thread.remind_at
    _, done = inbox.finish(acme, ada)
    assert handles(acme, state="done") == ["ada"]
    again = inbox.MOVED.undo(acme, done)
    assert (again.done_at, again.remind_at, again.remind_text) == (None, at, "Ask")
    inbox.reopen(acme, ada)
    with pytest.raises(Conflict, match="moved again since"):
        inbox.MOVED.undo(acme, reminded)
    assert len(handles(acme, state="open")) == 4
    inbox.finish(acme, ada)
    threads.mark(acme, ada, read=False)
    assert "ada" in handles(acme, state="open")


def test_the_next_one_is_the_one_behind_and_after_the_last_the_first(
    acme: Workspace, talks: list[Conversation]
) -> None:
    ada, bob, _, dan = talks
    place = inbox.place_of(acme, threads.get(acme, bob.id), OPEN)
    inbox.finish(acme, bob.id)
    assert inbox.following(acme, OPEN, place).id == ada.id  # type: ignore[union-attr]
    place = inbox.place_of(acme, threads.get(acme, ada.id), OPEN)
    inbox.finish(acme, ada.id)
    assert inbox.following(acme, OPEN, place).id == dan.id  # type: ignore[union-attr]
    assert inbox.following(acme, OPEN, place, around=False) is None


def test_a_conversation_is_assigned_until_its_member_leaves(acme: Workspace, talks: list[Conversation]) -> None:
    owner = the_owner(acme)
    _, token = team.invite(acme, owner, "marek@acme.example", Role.OPERATOR)
    marek = team.accept(token, "a long enough password", "Marek Novak")
    inbox.assign(acme, talks[0].id, marek.id)
    assert handles(acme, assignee_id=marek.id, state="open") == ["ada"]
    assert handles(acme, assignee_id=0, state="open") == ["dan", "cem", "bob"]
    assert inbox.counts(acme, ThreadFilter(state="open", assignee_id=marek.id))["open"] == 1
    member = next(one for one in team.members(acme) if one.user_id == marek.id)
    team.remove(acme, owner, member.id)
    assert threads.get(acme, talks[0].id).assignee_id is None
    with pytest.raises(InvalidRequest):
        inbox.assign(acme, talks[0].id, marek.id)
