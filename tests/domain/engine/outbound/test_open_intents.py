"""What comes in proves what was done, when the answer to it was lost."""

import pytest

from app.core.db import session
from app.domain.engine import manual_send
from app.domain.engine.manual import compose
from app.domain.ledger import recount
from app.models.campaigns import Campaign, LeadState
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.ledger import ActionState
from app.models.workspaces import Workspace
from tests.domain.engine.test_mailbox_campaign import connected, later, live, post, sent, started
from tests.domain.outreach import ledger, only
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable

__all__ = ["live", "post"]
ADA = "an-ada@example.com"


@pytest.fixture
def lost(live: Workspace, servers: Servers, post: Post, clock: Movable) -> Campaign:
    made = started(live, connected(live, servers), "an-ada")
    post.drop_at = "dot"
    later(clock, hours=3)
    post.drop_at = ""
    assert [(one.state, bool(one.check_at)) for one in ledger(live)] == [(ActionState.UNKNOWN, True)]
    return made


def states(live: Workspace) -> list[str]:
    return [one.state for one in ledger(live)]


def test_a_reply_settles_an_action_of_unknown_outcome(
    live: Workspace, lost: Campaign, post: Post, clock: Movable
) -> None:
    """Whoever answers it was reached: it counts as an answer, and nothing is left to ask."""
    (first,) = sent(post, ADA)
    post.arrives(ADA, "Yes, gladly.", In_Reply_To=first["Message-ID"])
    later(clock, hours=3)
    person = only(lost)
    assert (person.state, person.reason, person.replied, person.contacted) == (
        LeadState.FINISHED,
        "replied",
        True,
        True,
    )
    assert [(one.state, one.check_at, one.provider_ref) for one in ledger(live)] == [
        (ActionState.SENT, None, first["Message-ID"])
    ]
    assert list(recount.statistics()) == []


def test_a_new_mail_of_theirs_counts_as_their_answer(
    live: Workspace, lost: Campaign, post: Post, clock: Movable
) -> None:
    """It proves nothing, but they do not write by chance."""
    post.arrives(ADA, "Who are you?", Subject="Hello")
    later(clock, hours=3)
    assert (only(lost).state, only(lost).replied) == (LeadState.FINISHED, True)
    assert states(live) == [ActionState.UNKNOWN]
    assert list(recount.statistics()) == []


def test_what_was_written_by_hand_is_proved_too(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    started(live, connected(live, servers), "an-ada")
    later(clock, hours=3)
    post.arrives(ADA, "Yes?", In_Reply_To=sent(post, ADA)[0]["Message-ID"])
    later(clock, hours=3)
    thread = session().query(Conversation).one()
    made = compose.write(live, thread.id, "Gladly.")
    post.drop_at = "dot"
    manual_send.run_due()
    post.drop_at = ""
    assert session().get_one(Message, made.id, populate_existing=True).status == MessageStatus.UNKNOWN
    post.arrives(ADA, "Fine.", In_Reply_To=sent(post, ADA)[1]["Message-ID"])
    later(clock, hours=3)
    found = session().get_one(Message, made.id, populate_existing=True)
    assert (found.status, found.error) == (MessageStatus.SENT, "")
