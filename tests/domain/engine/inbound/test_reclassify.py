"""How a reply is meant: what follows from a human's word."""

import pytest
import sqlalchemy as sa

from app import resources
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest
from app.domain.engine.inbound import reclassify
from app.domain.senders import accounts
from app.domain.tasks import marked_answers
from app.models.accounts import Channel
from app.models.conversations import Conversation, Message
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads
from tests.domain.engine.manual.test_compose import a_talk, fresh_campaign
from tests.domain.outreach import assert_counters_hold, events, only, takes_in, the_account, told
from tests.support.movable import Movable


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


def test_a_new_sentiment_is_followed_by_person_figures_and_events(acme: Workspace, talk: Conversation) -> None:
    before = events(acme)
    reclassify.classify(acme, talk.id, "generic")
    campaign = fresh_campaign(acme)
    assert threads(acme)[0].sentiment == "generic"
    assert only(campaign).sentiment == "generic"
    assert assert_counters_hold(campaign).neutral == 1
    assert session().get_one(Lead, talk.lead_id).tags == ["generic"]
    assert events(acme) - before == {"lead_auto_tagged_generic": 1, "lead_tag_updated": 1}
    reclassify.classify(acme, talk.id, "generic")
    assert events(acme) - before == {"lead_auto_tagged_generic": 2, "lead_tag_updated": 1}


def test_what_the_person_answered_follows_their_last_reply(acme: Workspace, clock: Movable, talk: Conversation) -> None:
    """The contact rules ask the person's answer; what a member marked since stands."""
    person = session().get_one(Person, talk.person_id)
    reclassify.classify(acme, talk.id, "negative")
    assert person.answer == "negative"
    clock.forward(hours=1)
    marked_answers.mark(acme, person.id, "met")
    reclassify.classify(acme, talk.id, "positive")
    assert person.answer == "met"


def test_a_neutral_word_takes_no_yes_back(acme: Workspace, talk: Conversation) -> None:
    """ "OK, thanks" after an appointment; a no does."""
    account = the_account(acme)
    takes_in(acme, account, Received(talk.person.handle, "message", "OK, understood.", acme.now(), "one"))
    assert threads(acme)[0].sentiment == "positive"
    assert session().get_one(Lead, talk.lead_id, populate_existing=True).tags == ["positive"]
    assert assert_counters_hold(fresh_campaign(acme)).positive == 1
    takes_in(acme, account, Received(talk.person.handle, "message", "Not interested any more.", acme.now(), "two"))
    assert threads(acme)[0].sentiment == "negative"


def test_a_campaign_counts_a_later_yes_or_no_as_the_conversation_does(acme: Workspace, talk: Conversation) -> None:
    """One person, one reply: the first, with the last sentiment that is not neutral."""
    reclassify.classify(acme, talk.id, "generic")
    for ref, text, positive, neutral, negative in [
        ("one", "OK, understood.", 0, 1, 0),
        ("two", "Yes, send me the details.", 1, 0, 0),
        ("three", "OK, understood.", 1, 0, 0),
        ("four", "Not interested any more.", 0, 0, 1),
    ]:
        takes_in(acme, the_account(acme), Received(talk.person.handle, "message", text, acme.now(), ref))
        stats = assert_counters_hold(fresh_campaign(acme))
        assert (stats.positive, stats.neutral, stats.negative, stats.replies) == (positive, neutral, negative, 1), ref


def test_what_has_no_tone_and_who_only_sent_an_automatic_note_are_refused(acme: Workspace, talk: Conversation) -> None:
    with pytest.raises(InvalidRequest):
        reclassify.classify(acme, talk.id, "great")
    with pytest.raises(InvalidRequest):
        reclassify.classify(acme, talk.id, "positive", message_id=987_654)
    away = Received("zoe", "email", "I am out of the office.", acme.now(), "away", automatic=True)
    takes_in(acme, the_account(acme), away)
    with pytest.raises(Conflict):
        reclassify.classify(acme, threads(acme)[-1].id, "positive")


def test_an_event_names_the_former_tag_only_where_it_was_replaced(acme: Workspace, talk: Conversation) -> None:
    """By a reply, or by a member's correction; the label is the sentiment in any case."""
    account, generic, positive = the_account(acme), "lead_auto_tagged_generic", "lead_auto_tagged_positive"
    takes_in(acme, account, Received(talk.person.handle, "message", "OK, understood.", acme.now(), "one"))
    reclassify.classify(acme, talk.id, "generic")
    reclassify.classify(acme, talk.id, "generic")
    takes_in(acme, account, Received(talk.person.handle, "message", "Yes, send me the details.", acme.now(), "two"))
    takes_in(acme, account, Received(talk.person.handle, "message", "Yes, please call me.", acme.now(), "three"))
    nothing = {"former": None, "added": [], "removed": []}
    replaced = {"former": "positive", "added": ["generic"], "removed": ["positive"]}
    same = {"label": "generic", "sentiment": "generic"}
    assert [one["tag"] for one in told(acme, generic)] == [same | nothing, same | replaced, same | nothing]
    same = {"label": "positive", "sentiment": "positive"}
    back = {"former": "generic", "added": ["positive"], "removed": ["generic"]}
    assert [one["tag"] for one in told(acme, positive)][-2:] == [same | back, same | nothing]


def test_an_email_that_names_no_one_is_from_the_person_to_the_mailbox(acme: Workspace, talk: Conversation) -> None:
    """As in the sandbox, so that a program finds the author where a mailbox has one; a message has none."""
    mailbox = next(one for one in accounts.every(acme) if one.channel == Channel.EMAIL)
    takes_in(acme, mailbox, Received(talk.person.handle, "email", "A mail.", acme.now(), "mail"))
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "A word.", acme.now(), "word"))
    found = session().scalars(sa.select(Message).where(Message.text.in_(["A mail.", "A word."])))
    person = session().get_one(Person, talk.person_id)
    author = {"name": f"{person.first_name} {person.last_name}".strip(), "address": person.email}
    shown = {one.text: resources.Message.of(one) for one in found}
    assert {text: one["author"] for text, one in shown.items()} == {"A mail.": author, "A word.": None}
    to = [{"name": mailbox.name, "address": mailbox.address}]
    assert {text: one["to"] for text, one in shown.items()} == {"A mail.": to, "A word.": []}
    assert [one["message"].get("to") for one in told(acme, "every_reply")[-2:]] == [to, None]
