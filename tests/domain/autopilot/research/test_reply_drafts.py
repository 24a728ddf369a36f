"""Drafted replies: from what is known alone, never sent by themselves, and nothing where there is nothing to say."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.domain.autopilot.research import reply_drafts
from app.domain.conversations import inbox_settings
from app.domain.engine.manual import compose
from app.domain.people.exclusions import never_contact
from app.models.conversations import Conversation, DraftedReply
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account
from tests.support.movable import Movable


def said(acme: Workspace, text: str, person: str = "ada", ref: str = "r1") -> Conversation:
    """A person wrote this."""
    takes_in(acme, the_account(acme), Received(person, "message", text, acme.now(), ref))
    return next(one for one in all_threads(acme) if one.person.handle == person)


def drafted(acme: Workspace, talk: Conversation) -> Any:
    """What is suggested."""
    return reply_drafts.ask(acme, talk.id)


def test_a_reply_is_drafted_from_what_is_known_and_never_sent_by_itself(acme: Workspace, clock: Movable) -> None:
    """In their language, with a link where there is one; what it cannot answer it leaves. It rests on their words."""
    talk = said(acme, "Sounds good, let's talk next week.")
    found = drafted(acme, talk)
    assert (found.by, found.note) == ("built-in", "")
    assert "short call?" in found.text
    assert [fact["quote"] for fact in found.facts] == ["Sounds good, let's talk next week."]
    assert written(acme) == []
    assert drafted(acme, talk).id == found.id
    inbox_settings.change(acme, 10, "https://cal.example/acme")
    for number, (text, words) in enumerate(
        [
            ("Sounds good, let's talk.", "Which time at {{meeting_link}} suits you?"),
            ("Ja, sehr gerne, das klingt interessant. Lassen Sie uns sprechen.", "Vielen Dank"),
            ("No thank you, we are not interested.", "Thank you for telling me"),
        ]
    ):
        found = drafted(acme, said(acme, text, f"person-{number}", f"n{number}"))
        assert words in found.text
        assert found.note == ""
    found = drafted(acme, said(acme, "Which of your customers work in Norway?", "cleo", "n9"))
    assert found.text == ""
    assert found.note


@pytest.mark.postgres
def test_their_next_message_asks_again_and_nothing_is_suggested_to_the_answered_and_the_blocked(
    acme: Workspace, clock: Movable
) -> None:
    talk, other = said(acme, "Sounds good, let's talk."), said(acme, "Sounds good, let's talk.", "bob", "b1")
    first = drafted(acme, talk).answers_id
    clock.forward(minutes=1)
    said(acme, "Or rather not, we are not interested.", ref="r2")
    assert drafted(acme, talk).answers_id > first
    assert session().scalar(sa.select(sa.func.count()).select_from(DraftedReply)) == 1
    compose.write(acme, talk.id, "Gladly.")
    never_contact.add_person(acme, other.person_id, "They asked for it.")
    assert drafted(acme, talk) is None
    assert drafted(acme, other) is None
