"""Drafted replies: from what is known alone, never sent by themselves, and nothing where there is nothing to say."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import session
from app.domain.autopilot.research import reply_drafts
from app.domain.conversations import inbox_settings
from app.domain.engine.manual import compose
from app.domain.exclusions import never_contact
from app.models.conversations import Conversation, DraftedReply
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account

pytestmark = pytest.mark.postgres


def said(acme: Workspace, text: str, person: str = "ada", ref: str = "r1") -> Conversation:
    """A person wrote this."""
    takes_in(acme, the_account(acme), Received(person, "message", text, acme.now(), ref))
    return next(one for one in all_threads(acme) if one.person.handle == person)


def drafted(acme: Workspace, talk: Conversation) -> Any:
    """What is suggested."""
    return reply_drafts.ask(acme, talk.id)


def test_a_yes_is_answered_with_the_next_step(acme: Workspace, clock: Movable) -> None:
    talk = said(acme, "Sounds good, let's talk next week.")
    found = drafted(acme, talk)
    assert found.text == "Thank you, {{first_name|there}}. Which day suits you for a short call?"
    assert (found.by, found.note) == ("built-in", "")
    assert [fact["quote"] for fact in found.facts] == ["Sounds good, let's talk next week."]
    assert written(acme) == []
    assert drafted(acme, talk).id == found.id


def test_with_a_link_it_offers_the_link(acme: Workspace, clock: Movable) -> None:
    inbox_settings.change(acme, 10, "https://cal.example/acme")
    found = drafted(acme, said(acme, "Sounds good, let's talk."))
    assert found.text.endswith("Which time at {{meeting_link}} suits you?")


def test_a_suggestion_speaks_their_language(acme: Workspace, clock: Movable) -> None:
    found = drafted(acme, said(acme, "Ja, sehr gerne, das klingt interessant. Lassen Sie uns sprechen."))
    assert found.note == ""
    assert found.text == "Vielen Dank, {{first_name|there}}. Welcher Tag passt Ihnen für ein kurzes Gespräch?"


def test_a_no_is_thanked_for(acme: Workspace, clock: Movable) -> None:
    found = drafted(acme, said(acme, "No thank you, we are not interested."))
    assert found.text == "Thank you for telling me, {{first_name|there}}."


def test_what_it_cannot_answer_it_leaves(acme: Workspace, clock: Movable) -> None:
    found = drafted(acme, said(acme, "Which of your customers work in Norway?"))
    assert found.text == ""
    assert found.note


def test_their_next_message_asks_again(acme: Workspace, clock: Movable) -> None:
    talk = said(acme, "Sounds good, let's talk.")
    first = drafted(acme, talk).answers_id
    clock.forward(minutes=1)
    said(acme, "Or rather not, we are not interested.", ref="r2")
    assert drafted(acme, talk).answers_id > first
    assert session().scalar(sa.select(sa.func.count()).select_from(DraftedReply)) == 1


def test_nothing_is_suggested_to_the_answered_and_the_blocked(acme: Workspace, clock: Movable) -> None:
    talk, other = said(acme, "Sounds good, let's talk."), said(acme, "Sounds good, let's talk.", "bob", "r2")
    clock.forward(minutes=1)
    compose.write(acme, talk.id, "Gladly.")
    never_contact.add_person(acme, other.person_id, "They asked for it.")
    assert drafted(acme, talk) is None
    assert drafted(acme, other) is None
