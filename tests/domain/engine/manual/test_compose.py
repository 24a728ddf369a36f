"""Writing by hand: what is taken, what is refused and why, and what it does to a sequence."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.actor import Actor, actor
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, ConversationChanged, InvalidRequest, SubscriptionRequired
from app.domain.engine.manual import compose
from app.domain.engine.manual.compose import Unsent
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import company_holds, never_contact
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Message, MessageStatus, Typed
from app.models.people import Person
from app.models.workspaces import Membership, Subscription, User, Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import the_account_id, threads
from tests.domain.outreach import INVITE, a_campaign, acts, email, forward, fresh, message, only, takes_in, the_account

pytestmark = pytest.mark.usefixtures("clock")


def a_talk(workspace: Workspace, person: str = "replies-positive-ada") -> Conversation:
    a_campaign(workspace, [person], [{**INVITE, "message": "A note"}, message("Hello"), message("Again", days=9)])
    forward(workspace, days=2)
    return threads(workspace)[0]


def written(workspace: Workspace) -> list[Message]:
    query = sa.select(Message).where(Message.workspace_id == workspace.id, Message.by_hand.is_(True))
    found = list(session().scalars(query.order_by(Message.id).execution_options(populate_existing=True)))
    end_read()
    return found


def change(workspace: Workspace, **columns: object) -> None:
    with transaction() as current:
        account = current.get_one(Account, the_account_id(workspace))
        for name, value in columns.items():
            setattr(account, name, value)


def test_a_written_message_is_queued_in_its_conversation(acme: Workspace) -> None:
    talk = a_talk(acme)
    assert only(fresh_campaign(acme)).state == "finished"
    made = compose.write(acme, talk.id, "  Thank you, Ada.  ")
    assert only(fresh_campaign(acme)).state == "finished"
    assert (made.text, made.kind, made.status, made.due_at) == ("Thank you, Ada.", "message", "queued", acme.now())
    (talk,) = threads(acme)
    assert (talk.unread, talk.last_direction, talk.last_message_at) == (0, "out", acme.now())
    assert len(written(acme)) == 1


REFUSED = (
    ("   ", "", "text", ""),
    ("x" * 8001, "", "text", ""),
    ("x" * 1901, "Hello", "text", ""),
    ("a\0b", "", "text", ""),
    ("Hello", "s" * 201, "subject", ""),
    ("Hi {{nobody}}", "", "text", "Character 4: Unknown variable {{nobody}}."),
    ("Hi {{custom.tier}}", "", "text", "No value for custom.tier. Write the text out, or add a fallback:"),
    ("{a|b", "", "text", "Character 1: A { is not closed."),
    ("Hi %FIRST_NAME%", "", "text", "Character 4: %FIRST_NAME% looks like another tool's syntax."),
    ("{{unsubscribe_link}}", "", "text", "Character 1: {{unsubscribe_link}} only works in"),
)


def test_what_cannot_be_sent_is_refused_by_field(acme: Workspace) -> None:
    """The preview names the same problem; the longest texts are taken."""
    talk = a_talk(acme)
    for text, subject, name, sentence in REFUSED:
        with pytest.raises(InvalidRequest) as refused:
            compose.write(acme, talk.id, text, subject)
        [field] = refused.value.fields
        assert field.path == name, text
        assert field.message.startswith(sentence)
        if sentence:
            assert refused.value.recovery.startswith("Replace") == ("%" in text)
            shown = compose.read(acme, talk.id, text)
            assert shown is not None
            assert shown.problems == [field.message]
    assert written(acme) == []
    assert compose.write(acme, talk.id, "x" * 8000).kind == "message"
    assert compose.write(acme, talk.id, "x" * 1900, "s" * 200).kind == "inmail"


def test_an_email_goes_on_under_its_subject(acme: Workspace) -> None:
    a_campaign(acme, ["ignores-ada"], [email(subject="A question")], senders=3)
    forward(acme, days=1)
    (talk,) = threads(acme)
    with pytest.raises(InvalidRequest):
        compose.write(acme, talk.id, "Hello", "Another subject")
    made = compose.write(acme, talk.id, "Hello")
    assert (made.kind, made.subject) == ("email", "Re: A question")
    assert compose.write(acme, talk.id, "And").subject == "Re: A question"


def test_who_may_not_write_is_told_why_and_what_to_do(acme: Workspace, rival: Workspace) -> None:
    """A sender that is not connected or switched off, someone on the do-not-contact list, and no subscription."""
    talk = a_talk(acme)
    for status in (AccountStatus.DISCONNECTED, AccountStatus.CHALLENGED, AccountStatus.CONNECTING):
        change(acme, status=status)
        with pytest.raises(Conflict) as refused:
            compose.write(acme, talk.id, "Hello")
        assert the_account(acme).name in refused.value.message
        assert "send" in refused.value.recovery.lower()
    change(acme, status=AccountStatus.CONNECTED)
    accounts.switch(acme, talk.sender_id, False)
    with pytest.raises(Conflict, match="switched off"):
        compose.write(acme, talk.id, "Hello")
    accounts.switch(acme, talk.sender_id, True)
    never_contact.add(rival, ["replies-positive-ada"])
    compose.write(acme, talk.id, "Hello")
    never_contact.add(acme, [("email", "replies-positive-ada@example.com")])
    with pytest.raises(Conflict, match="do-not-contact"):
        compose.write(acme, talk.id, "Hello")
    with transaction() as current:
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    session().refresh(acme)
    with pytest.raises(SubscriptionRequired):
        compose.write(acme, talk.id, "Hello")


def test_what_they_wrote_meanwhile_stops_an_answer_to_something_older(acme: Workspace) -> None:
    """An automatic answer does not; and what was seen must be a message of the conversation."""
    talk = a_talk(acme)

    def newest() -> int:
        return session().scalars(sa.select(sa.func.max(Message.id))).one()

    seen = newest()
    assert compose.fingerprint(acme, talk.id, str(seen)) == seen
    for name in ("", "x", "0", "9" * 30, str(seen + 1)):
        with pytest.raises(ConversationChanged):
            compose.fingerprint(acme, talk.id, name)
    away = Received(talk.person.handle, "message", "I am away.", acme.now(), "away", automatic=True)
    takes_in(acme, the_account(acme), away)
    assert compose.write(acme, talk.id, "Hello", seen_id=seen).status == MessageStatus.QUEUED
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    with pytest.raises(ConversationChanged):
        compose.write(acme, talk.id, "Hello", seen_id=seen)
    assert len(written(acme)) == 1
    compose.write(acme, talk.id, "Hello", seen_id=newest())


def test_writing_by_hand_pauses_the_sequence(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=1)
    due = only(campaign).due_at
    compose.write(acme, threads(acme)[0].id, "Something of my own")
    person = only(campaign)
    assert (person.state, person.reason) == ("paused", "wrote_by_hand")
    forward(acme, days=20)
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "message", "message"]
    assert campaign_leads.resume(acme, campaign.id, person.id).state == "active"
    assert only(campaign).due_at != due  # it passed long ago
    forward(acme, days=1)
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "message", "message", "message"]
    assert fresh(campaign).status == "running"


def test_an_absence_does_not_end_the_pause(acme: Workspace) -> None:
    """Someone who is away goes on by themselves when they are back, unless a human wrote to them."""
    campaign = a_campaign(acme, ["away-ada"], [INVITE, message("Hello"), message("Again", days=1)])
    forward(acme, days=2)
    assert only(campaign).reason == "out_of_office"
    compose.write(acme, threads(acme)[0].id, "Enjoy your holidays")
    assert only(campaign).reason == "wrote_by_hand"
    forward(acme, days=30)
    assert only(campaign).state == "paused"


def fresh_campaign(workspace: Workspace) -> Campaign:
    found = session().scalars(sa.select(Campaign).where(Campaign.workspace_id == workspace.id)).one()
    end_read()
    return found


def test_what_waits_can_be_taken_back_and_what_failed_tried_again(acme: Workspace) -> None:
    talk = a_talk(acme)
    made = compose.write(acme, talk.id, "Hello")
    assert compose.discard(acme, talk.id, made.id).text == "Hello"
    assert written(acme) == []
    made = compose.write(acme, talk.id, "Hello")
    with transaction() as current:
        current.get_one(Message, made.id).status = MessageStatus.FAILED
    assert compose.retry(acme, talk.id, made.id).status == MessageStatus.QUEUED
    forward(acme, hours=1)
    for verb in (compose.retry, compose.discard):
        with pytest.raises(Conflict, match="This message is being sent, or has been sent"):
            verb(acme, talk.id, made.id)


def test_what_is_typed_is_kept_for_each_user(acme: Workspace) -> None:
    talk = a_talk(acme)
    user = session().scalars(sa.select(User).join(Membership).where(Membership.workspace_id == acme.id)).one()
    compose.save_draft(acme, user, talk.id, Unsent("Half a sen"))
    compose.save_draft(acme, user, talk.id, Unsent("Half a sentence", cc="jo@x.example", goes_to="one"))
    assert compose.draft(acme, user, talk.id) == ("Half a sentence", "", "jo@x.example", "one")
    compose.save_draft(acme, user, talk.id, Unsent("  "))
    assert session().scalar(sa.select(sa.func.count()).select_from(Typed)) == 0


def test_the_composer_says_what_to_know_before_writing(acme: Workspace) -> None:
    """Not that a company is held for the answer of this very person."""
    talk = a_talk(acme, "ignores-ada")
    assert compose.warnings(acme, talk) == []
    with transaction() as current:
        person = current.get_one(Person, talk.person_id)
        person.answer, person.come_back_at = "negative", acme.now() + timedelta(days=30)
        person.company_domain = "quill.example"
        colleague = Person(workspace_id=acme.id, public_id="bob", company_domain="quill.example", created_at=acme.now())
        current.add(colleague)
        current.flush()
        company_holds.hold(colleague, None, acme.now())
    said_no, wait, held = compose.warnings(acme, talk)
    assert (said_no.code, wait.code, held.code) == ("said_no", "asked_to_wait", "company_held")
    assert wait.until == acme.now() + timedelta(days=30)
    assert held.saw == "quill.example"
    other = next(one for one in (a_talk(acme), *threads(acme)) if one.person_id != talk.person_id)
    with transaction() as current:
        person = current.get_one(Person, other.person_id)
        person.company_domain = "wool.example"
        company_holds.hold(person, None, acme.now())
    assert compose.warnings(acme, other) == []


def test_variables_choices_and_conditions_are_written_out(acme: Workspace) -> None:
    """What was shown is what is sent."""
    talk = a_talk(acme)
    text = "{Thanks|Thank you}, {{first_name|you}}.{{#if headline}} {a|b|c|d|e}{{else}} Bye \\{x\\}{{/if}}\n---\nI"
    shown = compose.read(acme, talk.id, text)
    assert shown is not None
    assert not set("|").intersection(shown.text)
    assert "{{" not in shown.text
    made = compose.write(acme, talk.id, text)
    assert made.text == shown.text
    assert compose.read(acme, talk.id, "Plain words") is None


def test_what_was_typed_before_a_message_was_sent_does_not_come_back(acme: Workspace) -> None:
    """Its draft goes in the transaction that queues the message, and a later save of an older text is not kept."""
    talk = a_talk(acme)
    user = session().scalars(sa.select(User).join(Membership).where(Membership.workspace_id == acme.id)).one()
    compose.save_draft(acme, user, talk.id, Unsent("One\r\nTwo", cc="jo@x.example"), 0)
    before = actor.set(Actor("Ada", user.id))
    made = compose.write(acme, talk.id, "One\r\nTwo and three")
    actor.reset(before)
    assert compose.draft(acme, user, talk.id) == Unsent()
    for late in ("One\r\nTwo", "One\r\nTwo and three"):
        compose.save_draft(acme, user, talk.id, Unsent(late), 0)
        assert compose.draft(acme, user, talk.id) == Unsent()
    compose.save_draft(acme, user, talk.id, Unsent("And four"), made.id)
    assert compose.draft(acme, user, talk.id).text == "And four"
