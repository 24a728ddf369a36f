"""Notes: for members only; an `@` before a member's name tells them of it."""

from datetime import timedelta

import pytest

from app.core.errors import InvalidRequest
from app.domain.conversations import notes, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.notifications import alerts, destinations
from app.domain.privacy import erasure, export
from app.domain.workspace import team
from app.models.conversations import Conversation
from app.models.workspaces import Role, User, Workspace
from tests.domain.conversations.test_inbox import the_owner
from tests.domain.conversations.test_messages import lines
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import forward
from tests.support.movable import Movable


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


@pytest.fixture
def marek(acme: Workspace) -> User:
    _, token = team.invite(acme, the_owner(acme), "marek@acme.example", Role.OPERATOR)
    return team.accept(token, "a long enough password", "Marek Novak")


def test_a_note_is_never_a_message(acme: Workspace, talk: Conversation) -> None:
    """It is exported and erased with its person."""
    before = lines(acme)
    for text in ("", "  ", "x" * 4001, "a\0b"):
        with pytest.raises(InvalidRequest):
            notes.add(acme, talk.id, text)
    notes.add(acme, talk.id, " Call them.\r\nThey are in Cork. ")
    (note,) = notes.of(acme, talk.id)
    assert note.text == "Call them.\nThey are in Cork."
    assert lines(acme) == before
    notes.remove(acme, talk.id, note.id)
    assert list(notes.of(acme, talk.id)) == []
    notes.add(acme, talk.id, "Prefers the phone.")
    assert talk.lead_id
    assert [one.text for one in export.collect(acme, talk.lead_id).notes] == ["Prefers the phone."]
    known = talk.id
    erasure.erase(acme, talk.lead_id)
    assert list(notes.of(acme, known)) == []


def test_an_at_sign_before_a_name_or_address_mentions_a_member(acme: Workspace, marek: User) -> None:
    """A first name of two members mentions neither."""
    cases = {
        "@Marek, look": True,
        "see @marek novak!": True,
        "(@marek@acme.example)": True,
        "@Marek's turn": True,
        "@Mareks turn": False,
        "write to info@marek": False,
        "Marek, look": False,
    }
    assert {text: notes.mentioned(acme, text) == [marek.id] for text in cases} == cases
    _, token = team.invite(acme, the_owner(acme), "other@acme.example", Role.OPERATOR)
    other = team.accept(token, "a long enough password", "Marek Kowal")
    assert notes.mentioned(acme, "@Marek") == []
    assert notes.mentioned(acme, "@Marek Kowal") == [other.id]


def test_a_mention_is_found_until_it_is_seen_and_told_once(acme: Workspace, talk: Conversation, marek: User) -> None:
    destinations.set_destination(acme, "email", "ada@acme.example")
    forward(acme, hours=1)
    assert alerts.due(10) == []
    before = acme.now() - timedelta(days=1)
    notes.add(acme, talk.id, "@Marek can you take this one?")
    assert notes.unseen(acme, marek.id) == {talk.id}
    assert [row.id for row in threads.newest(acme, ThreadFilter(mentioned_id=marek.id))[0]] == [talk.id]
    told = notes.told_between(acme, before, acme.now())
    assert [(one.name, one.about) for one in told] == [("Marek Novak", talk.person.name)]
    assert acme.id in {one.key for one in alerts.due(10)}
    notes.see(acme, marek, talk.id)
    assert notes.unseen(acme, marek.id) == set()
    assert notes.told_between(acme, before, acme.now()) == []
