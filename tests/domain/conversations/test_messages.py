"""Conversations: one per sender and person, with every message in both directions once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.campaigns import campaigns
from app.domain.conversations import messages
from app.models.accounts import Account
from app.models.conversations import Conversation, Direction, Message
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    email,
    forward,
    message,
    only,
    person_id,
    takes_in,
    the_account,
)

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


def threads(workspace: Workspace) -> list[Conversation]:
    query = sa.select(Conversation).where(Conversation.workspace_id == workspace.id).order_by(Conversation.id)
    found = list(session().scalars(query.execution_options(populate_existing=True)))
    end_read()
    return found


def lines(workspace: Workspace) -> list[tuple[str, str, str]]:
    query = sa.select(Message).where(Message.workspace_id == workspace.id).order_by(Message.at, Message.id)
    found = [(row.direction, row.kind, row.text) for row in session().scalars(query)]
    end_read()
    return found


def comes_in(workspace: Workspace, at: datetime, ref: str = "one", **given: Any) -> Message | None:
    with transaction() as current:
        account = current.get_one(Account, the_account_id(workspace))
        usual = {"kind": "message", "text": "Hello", "subject": "", "automatic": False}
        return messages.incoming(account, person_id(workspace, "ignores-ada"), ref=ref, at=at, **(usual | given))


def the_account_id(workspace: Workspace) -> int:
    """The first sender's id; also inside a transaction."""
    query = sa.select(Account.id).where(Account.workspace_id == workspace.id).order_by(Account.id).limit(1)
    return session().scalars(query).one()


def test_both_directions_stand_in_one_conversation(acme: Workspace, rival: Workspace) -> None:
    campaign = a_campaign(acme, ["replies-positive-ada"], [{**INVITE, "message": "A note"}, message("Hello\n---\nAnd")])
    forward(acme, days=2)
    (thread,) = threads(acme)
    assert (thread.person.handle, thread.sender_id, thread.channel) == (
        "replies-positive-ada",
        the_account(acme).id,
        "social",
    )
    assert (thread.campaign_id, thread.lead_id) == (campaign.id, only(campaign).lead_id)
    assert (thread.unread, thread.last_direction, thread.sentiment) == (1, Direction.IN, "positive")
    assert [text for direction, _, text in lines(acme) if direction == Direction.OUT] == ["A note", "Hello", "And"]
    assert [kind for _, kind, _ in lines(acme)] == ["message"] * 4
    assert threads(rival) == []


def test_each_sender_has_a_conversation_of_their_own_with_a_person(acme: Workspace) -> None:
    """What says nothing begins none."""
    a_campaign(acme, ["ignores-bob"], [VIEW, INVITE], name="Silent")
    a_campaign(acme, ["accepts-ada"], [INVITE, message("Hello"), email("Dear Ada")], senders=3)
    forward(acme, days=2)
    assert [(thread.channel, thread.sender_id) for thread in threads(acme)] == [
        ("social", the_account(acme, 0).id),
        ("email", the_account(acme, 2).id),
    ]


def test_a_message_that_comes_twice_is_one(acme: Workspace) -> None:
    """A late copy of something older does not become the last word; an automatic answer is nothing to read."""
    now = acme.now()
    assert comes_in(acme, now) is not None
    assert comes_in(acme, now) is None
    assert comes_in(acme, now - timedelta(days=3), ref="older") is not None
    (thread,) = threads(acme)
    assert (thread.unread, thread.last_message_at, len(lines(acme))) == (2, now, 2)
    comes_in(acme, now, ref="automatic", automatic=True)
    assert threads(acme)[0].unread == 2


def test_what_was_said_before_they_answered_is_not_the_last_word(acme: Workspace) -> None:
    """The outcome of our message is recorded after their answer to it was read."""
    a_campaign(acme, ["ignores-ada"], [{**INVITE, "message": "A note"}])
    later = acme.now() + timedelta(hours=1)
    comes_in(acme, later)
    forward(acme, hours=0.5)
    (thread,) = threads(acme)
    assert (thread.last_message_at, thread.last_direction) == (later, Direction.IN)
    assert len(lines(acme)) == 2


def test_conversations_outlive_their_campaign(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [{**INVITE, "message": "A note"}])
    forward(acme, hours=1)
    takes_in(acme, the_account(acme), Received("ignores-ada", "message", "Thanks.", acme.now(), "thanks"))
    campaigns.cancel(acme, campaign.id) if campaign.status != "finished" else None
    with transaction() as current:
        current.execute(sa.delete(type(campaign)).where(type(campaign).id == campaign.id))
    (thread,) = threads(acme)
    assert thread.campaign_id is None
    assert [direction for direction, _, _ in lines(acme)] == [Direction.OUT, Direction.IN]
