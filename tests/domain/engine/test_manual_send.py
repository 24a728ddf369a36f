"""What is written by hand goes out once: intent, call, outcome, limits, lost answers."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.campaigns import statistics
from app.domain.conversations import messages
from app.domain.engine import manual_send
from app.domain.engine.manual import compose
from app.domain.engine.manual.ledger_entry import CANNOT_TELL
from app.domain.people.exclusions import never_contact
from app.domain.rules import limits
from app.domain.senders import accounts
from app.models.accounts import AccountStatus
from app.models.conversations import Conversation, Message
from app.models.ledger import BY_HAND_STEP, Action
from app.models.people import Person
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import AccountRef, Receipt, Received, Refused, SenderAction, Throttled, Unknown, Unreachable
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.conversations.test_messages import threads
from tests.domain.engine.manual.test_compose import a_talk, change, fresh_campaign, written
from tests.domain.outreach import (
    Meanwhile,
    acts,
    assert_counters_hold,
    email,
    events,
    forward,
    happens,
    ledger,
    network,
    person_id,
    the_account,
)
from tests.domain.outreach import a_campaign as any_campaign
from tests.support.movable import Movable


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


class Failing(SandboxNetwork):
    def __init__(self, failure: Callable[[], Exception], times: int = 1, *, after: bool = False) -> None:
        self.failure, self.times, self.after = failure, times, after

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        if self.times and not self.after:
            self.times -= 1
            raise self.failure()
        receipt = super().act(account, action)
        if self.times:
            self.times -= 1
            raise self.failure()
        return receipt


def by_hand(workspace: Workspace) -> Action:
    (action,) = [row for row in ledger(workspace) if row.step == BY_HAND_STEP]
    return action


def sent(workspace: Workspace) -> int:
    return [kind for kind, _ in acts(workspace)].count("message")


def test_a_manual_message_is_sent_whatever_the_hour(acme: Workspace, rival: Workspace, talk: Conversation) -> None:
    told = statistics.week(acme).sent
    before, counted = events(acme)["message_sent"], assert_counters_hold(fresh_campaign(acme)).messages_sent
    compose.write(acme, talk.id, "Thank you, Ada.")
    manual_send.run_due()
    (message,) = written(acme)
    action = by_hand(acme)
    assert (message.status, message.due_at, message.error) == ("sent", None, "")
    assert (message.action_id, message.provider_id) == (action.id, action.provider_ref)
    assert (action.state, action.kind, action.budget, action.campaign_lead_id) == ("sent", "message", "message", None)
    assert acts(acme)[-1] == ("message", "replies-positive-ada")
    event = session().scalars(sa.select(Event).order_by(Event.id.desc())).first()
    assert event is not None
    assert event.kind == "message_sent"
    assert '"channel":"social"' in event.body
    assert '"text":"Thank you, Ada."' in event.body
    assert events(acme)["message_sent"] == before + 1
    assert (statistics.week(acme).sent, statistics.week(rival).sent) == (told + 1, 0)
    assert events(rival) == {}
    manual_send.run_due()
    assert sent(acme) == 2
    assert assert_counters_hold(fresh_campaign(acme)).messages_sent == counted


def test_a_manual_message_waits_when_the_daily_limit_is_reached(acme: Workspace, talk: Conversation) -> None:
    at = acme.now()
    most, other = limits.HARD_CAPS["message"], person_id(acme, "x")
    with transaction() as current:
        for number in range(most):
            columns = {"workspace_id": acme.id, "sender_id": talk.sender_id, "person_id": other, "kind": "message"}
            moment = at - timedelta(hours=20)
            current.add(Action(**columns, budget="message", state="sent", token=f"t{number}", at=moment))
    compose.write(acme, talk.id, "Thank you, Ada.")
    manual_send.run_due()
    (message,) = written(acme)
    assert (message.status, message.error) == ("queued", "Daily limit reached")
    assert message.due_at == at + timedelta(hours=4)
    forward(acme, hours=5)
    assert written(acme)[0].status == "sent"


def test_every_message_of_one_sender_goes_out_in_its_order(acme: Workspace, talk: Conversation) -> None:
    for text in ("One", "Two", "Three"):
        compose.write(acme, talk.id, text)
    while manual_send.run_due():
        pass
    assert [message.status for message in written(acme)] == ["sent"] * 3
    assert [row.text for row in ledger(acme) if row.step == BY_HAND_STEP] == ["One", "Two", "Three"]


def test_an_email_answers_the_message_before_it(acme: Workspace, clock: Movable) -> None:
    any_campaign(acme, ["replies-question-ada"], [email(subject="A question")], senders=3)
    forward(acme, days=1)
    (talk,) = threads(acme)
    heard = session().scalars(sa.select(Message.provider_id).where(Message.direction == "in")).one()
    done: list[SenderAction] = []

    class Listening(SandboxNetwork):
        def act(self, account: AccountRef, action: SenderAction) -> Receipt:
            done.append(action)
            return super().act(account, action)

    network(Listening())
    compose.write(acme, talk.id, "Nothing for a month.")
    manual_send.run_due()
    assert [(action.kind, action.subject, action.in_reply_to) for action in done] == [
        ("email", "Re: A question", heard)
    ]


def test_a_lost_answer_is_asked_after_and_not_repeated(acme: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    network(Failing(lambda: Unknown("LinkedIn did not confirm it."), after=True))
    compose.write(acme, talk.id, "Thank you, Ada.")
    manual_send.run_all_of(acme)
    assert (written(acme)[0].status, by_hand(acme).state) == ("unknown", "unknown")
    manual_send.run_due()
    assert (written(acme)[0].status, by_hand(acme).state) == ("sent", "sent")
    assert sent(acme) == 2


def test_a_lost_request_is_sent_again_under_the_same_name(acme: Workspace, talk: Conversation) -> None:
    network(Failing(lambda: Unknown("LinkedIn did not confirm it.")))
    compose.write(acme, talk.id, "Thank you, Ada.")
    manual_send.run_all_of(acme)
    token = by_hand(acme).token
    manual_send.run_due()
    forward(acme, hours=1)
    assert (written(acme)[0].status, by_hand(acme).token, by_hand(acme).attempts) == ("sent", token, 2)
    assert sent(acme) == 2


def test_what_no_one_can_tell_stays_unknown_and_counts(acme: Workspace, talk: Conversation) -> None:
    class Silent(Failing):
        def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
            raise Unknown("LinkedIn cannot tell.")

    network(Silent(lambda: Unknown("LinkedIn did not confirm it."), after=True))
    compose.write(acme, talk.id, "Thank you, Ada.")
    forward(acme, hours=1)
    (message,) = written(acme)
    assert (message.status, by_hand(acme).state, by_hand(acme).check_at) == ("unknown", "unknown", None)
    assert message.error == CANNOT_TELL
    assert sent(acme) == 2


def test_a_crash_between_intent_and_call_sends_once(acme: Workspace, talk: Conversation, clock: Movable) -> None:
    """The process died after the intent was written: whether it was sent is asked, once its lease is over."""

    def die() -> Exception:
        raise KeyboardInterrupt

    network(Failing(die))
    compose.write(acme, talk.id, "Thank you, Ada.")
    with pytest.raises(KeyboardInterrupt):
        manual_send.run_all_of(acme)
    assert (written(acme)[0].status, by_hand(acme).state) == ("sending", "sending")
    assert manual_send.run_due() == 0
    clock.forward(minutes=2)
    manual_send.run_due()
    manual_send.run_due()
    clock.forward(minutes=11)
    manual_send.run_due()
    assert (written(acme)[0].status, sent(acme)) == ("sent", 2)


def test_a_refusal_is_final_and_can_be_tried_again_by_hand(acme: Workspace, talk: Conversation) -> None:
    network(Failing(lambda: Refused("This person does not take messages.")))
    made = compose.write(acme, talk.id, "Thank you, Ada.")
    forward(acme, hours=1)
    (message,) = written(acme)
    assert (message.status, message.error) == ("failed", "This person does not take messages.")
    assert events(acme)["message_sent"] == 1
    compose.retry(acme, talk.id, made.id)
    forward(acme, hours=1)
    assert (written(acme)[0].status, by_hand(acme).attempts) == ("sent", 2)


def test_a_network_that_asks_for_rest_gets_it(acme: Workspace, talk: Conversation) -> None:
    network(Failing(lambda: Throttled("Slow down.", 7200)))
    compose.write(acme, talk.id, "Thank you, Ada.")
    manual_send.run_due()
    assert (written(acme)[0].status, written(acme)[0].due_at) == ("queued", acme.now() + timedelta(hours=2))
    assert "message" in the_account(acme).rests
    forward(acme, hours=3)
    assert written(acme)[0].status == "sent"


def test_a_network_that_cannot_be_reached_is_tried_ever_more_slowly(acme: Workspace, talk: Conversation) -> None:
    network(Failing(lambda: Unreachable("LinkedIn is not reachable."), times=99))
    compose.write(acme, talk.id, "Thank you, Ada.")
    forward(acme, days=2)
    (message,) = written(acme)
    assert (message.status, message.error, by_hand(acme).attempts) == ("failed", "LinkedIn is not reachable.", 8)


def test_what_waits_is_kept_while_it_may_not_be_sent(acme: Workspace, talk: Conversation, clock: Movable) -> None:
    """The sender is logged out or busy, or the workspace is suspended; who is barred meanwhile hears nothing."""
    compose.write(acme, talk.id, "Thank you, Ada.")
    with transaction() as current:
        current.get_one(Workspace, acme.id).suspended_at = acme.now()
    assert manual_send.run_due() == 0
    assert written(acme)[0].status == "queued"
    with transaction() as current:
        current.get_one(Workspace, acme.id).suspended_at = None
    change(acme, status=AccountStatus.CHALLENGED)
    manual_send.run_due()
    assert written(acme)[0].status == "queued"
    accounts.reconnect(acme, talk.sender_id)
    change(acme, claimed_until=clock.at + timedelta(minutes=1))
    assert manual_send.run_due() == 0
    clock.forward(minutes=2)
    assert manual_send.run_due() == 1
    assert written(acme)[0].status == "sent"
    assert the_account(acme).free_at is not None
    compose.write(acme, talk.id, "And one more thing.")
    never_contact.add(acme, ["replies-positive-ada"])
    clock.forward(minutes=5)
    manual_send.run_due()
    (_, message) = written(acme)
    assert (message.status, sent(acme)) == ("failed", 2)
    assert "do-not-contact" in message.error


def test_what_they_write_just_before_stops_it_when_its_writer_wanted_to_know(
    acme: Workspace, talk: Conversation
) -> None:
    seen = session().scalars(sa.select(sa.func.max(Message.id))).one()
    compose.write(acme, talk.id, "Thank you, Ada.", seen_id=seen)
    happens(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    manual_send.run_due()
    (message,) = written(acme)
    assert (message.status, message.error, sent(acme)) == ("failed", messages.THEY_WROTE, 1)
    compose.retry(acme, talk.id, message.id)
    manual_send.run_due()
    assert (written(acme)[0].status, sent(acme)) == ("sent", 2)


def test_two_hands_send_once(acme: Workspace, talk: Conversation) -> None:
    compose.write(acme, talk.id, "Thank you, Ada.")
    network(Meanwhile(acting=manual_send.run_due))
    manual_send.run_due()
    assert (written(acme)[0].status, sent(acme)) == ("sent", 2)


def test_a_demonstration_goes_on(acme: Workspace, talk: Conversation) -> None:
    compose.write(acme, talk.id, "Tuesday at ten?")
    forward(acme, hours=4)
    (thread,) = threads(acme)
    assert (thread.unread, thread.last_direction) == (1, "in")


@pytest.mark.usefixtures("clock")
def test_a_first_message_by_hand_keeps_what_was_asked_and_an_answer_does_not(acme: Workspace) -> None:
    a_talk(acme, "ignores-ada")
    a_talk(acme, "replies-positive-bob")
    for talk in threads(acme):
        compose.write(acme, talk.id, "One more thing")
    forward(acme, hours=1)
    query = sa.select(Person.public_id, Action.asked).join(Person, Person.id == Action.person_id)
    asked = dict(session().execute(query.where(Action.step == BY_HAND_STEP)).all())
    assert asked["ignores-ada"] is not None
    assert asked["ignores-ada"]["rules"] == {"by_hand": True}
    assert asked["replies-positive-bob"] is None
