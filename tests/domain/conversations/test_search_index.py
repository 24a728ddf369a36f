"""Conversations are found by words: of names and messages, by their beginnings, each workspace its own."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.paging import Window
from app.domain.conversations import inbox, search_index, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.inbound import reclassify
from app.domain.engine.manual import compose
from app.domain.leads import edit, leads, lists
from app.domain.privacy import erasure
from app.models.conversations import Conversation, ConversationWords
from app.models.workspaces import Workspace
from app.ports import ByHand, Received
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import a_list, takes_in, the_account
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def found(workspace: Workspace, query: str) -> list[str]:
    """Whom the words lead to, as one's own page and as a script sees them."""
    rows, _ = threads.newest(workspace, ThreadFilter(query=query))
    listed = threads.Found(workspace, ThreadFilter(query=query)).page(Window()).rows
    end_read()
    assert sorted(row.id for row in rows) == sorted(row.id for row in listed)
    return sorted(row.public_id for row in rows)


def hears(workspace: Workspace, person: str, text: str, ref: str = "one") -> None:
    takes_in(workspace, the_account(workspace), Received(person, "message", text, workspace.now(), ref))


def test_every_word_must_begin_a_word_of_the_conversation(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    hears(acme, talk.person.handle, "I am interested", "two")
    hears(acme, talk.person.handle, "The price is fine", "three")
    hears(acme, "bob", "Too expensive")
    hears(rival, "bob", "The price is fine")
    assert found(acme, "PRICE") == [talk.person.handle]
    assert found(acme, "pri interes ada") == [talk.person.handle]
    assert found(acme, "price expensive") == []
    assert found(acme, "ice") == []
    assert found(acme, "bob") == ["bob"]
    assert inbox.counts(acme, ThreadFilter(query="expensive"))["all"] == 1
    assert inbox.counts(rival, ThreadFilter(query="expensive"))["all"] == 0


def test_case_accents_and_signs_do_not_matter(acme: Workspace) -> None:
    """Signs of the database are no language."""
    cases = (
        ("Ça va très bien, à bientôt", "tres BIENTOT"),
        ("Ca va tres bien", "ÇA trés"),
        ("Grüße aus der Straße", "gruße strasse"),
        ("明日の午後はどうですか", "午後"),
        ("Ask ines.duarte@acme.com", "duarte@acme"),
        ("It is O'Neill's 50% off: 'now' & \"here\" (really) \\ *", 'o\'neill "here" 50% & * now'),
    )
    hears(acme, "ada", "Hello")
    for query in ("w:1", "…", "' OR 1", "NOT ada", "said : zebra", "a\0b", "x" * 500):
        assert found(acme, query) == [], query
    for number, (said, query) in enumerate(cases):
        hears(acme, f"bob-{number}", said, f"said-{number}")
        assert f"bob-{number}" in found(acme, query), query


def test_what_one_writes_oneself_is_found(acme: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    message = compose.write(acme, talk.id, "A turquoise umbrella")
    assert found(acme, "turquoise") == [talk.person.handle]
    compose.discard(acme, talk.id, message.id)
    assert found(acme, "turquoise") == []
    assert found(acme, "note") == [talk.person.handle]
    takes_in(acme, the_account(acme), ByHand("eve", "message", acme.now(), "own", "A quiet harbour"))
    assert found(acme, "harbour") == ["eve"]


def test_tabs_count_what_they_lead_to(acme: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    for number, (person, text) in enumerate([("bob", "Not interested"), ("eve", "Hm"), (talk.person.handle, "Fine")]):
        hears(acme, person, text, f"m{number}")
    reclassify.classify(acme, talk.id, "negative")
    choices = {
        "answered": ThreadFilter(answered=True),
        **{tone: ThreadFilter(sentiment=tone, answered=True) for tone in ("positive", "negative", "generic")},
        "unread": ThreadFilter(unread=True, answered=True),
        "silent": ThreadFilter(answered=False),
    }
    for account_id in (None, the_account(acme).id):
        choices = {name: replace(choice, account_id=account_id) for name, choice in choices.items()}
        for query in ("e", "hm", "b", "nobody"):
            counted = {name: inbox.counts(acme, replace(one, query=query)) for name, one in choices.items()}
            number = {name: one["all"] for name, one in counted.items()} | {"silent": counted["silent"]["silent"]}
            for name, choice in choices.items():
                wanted = replace(choice, query=query)
                rows = [row for row in threads.newest(acme, choice)[0] if row.public_id in found(acme, query)]
                assert [row.id for row in threads.newest(acme, wanted)[0]] == [row.id for row in rows], (query, name)
                assert number[name] == len(rows), (query, name)
    assert inbox.counts(acme, ThreadFilter(query="r", sentiment="negative"))["all"] == 1


def test_a_person_is_found_by_the_name_they_have(acme: Workspace) -> None:
    """Whether it was known before they wrote, or came or changed afterwards; it stays when they leave a list."""
    hears(acme, "ada-l", "Hello")
    people = lists.create_list(acme, "Founders").id
    given = {"publicId": "ada-l", "firstName": "Ada", "lastName": "Byron", "companyName": "Engines"}
    leads.add(acme, people, [given])
    assert found(acme, "byron engines") == ["ada-l"]
    leads.add(acme, people, [given | {"lastName": "King"}])
    assert (found(acme, "byron"), found(acme, "king")) == ([], ["ada-l"])
    (lead,) = session().scalars(lists.query_list(acme, people))
    edit.change(acme, lead.id, {"firstName": "Augusta"})
    assert (found(acme, "augusta"), found(acme, "ada")) == (["ada-l"], ["ada-l"])
    leads.remove(acme, people, [lead.id])
    assert (found(acme, "augusta"), found(acme, "hello")) == (["ada-l"], ["ada-l"])


def test_an_erased_person_is_not_found(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    hears(acme, talk.person.handle, "I am interested", "two")
    people = a_list(acme, [talk.person.handle])
    (one,) = session().scalars(lists.query_list(acme, people))
    erasure.erase(acme, one.id)
    assert found(acme, "interested") == found(acme, "ada") == []


def test_a_very_long_conversation_keeps_its_latest_words_until_it_is_gone(acme: Workspace) -> None:
    for number in range(3):
        hears(acme, "ada", " ".join(f"{'long' * 9}{number}{word}" for word in range(1500)), f"m{number}")
    with transaction() as current:
        assert current.scalar(sa.select(sa.func.max(sa.func.length(ConversationWords.said)))) == 100_000
    assert found(acme, "long" * 9 + "20") == ["ada"]
    with transaction() as current:
        current.execute(sa.delete(Conversation))
    assert found(acme, "long" * 9 + "20") == []
    assert session().scalar(sa.select(sa.func.count()).select_from(ConversationWords)) == 0
    end_read()


def test_what_has_no_word_is_heard_and_said(acme: Workspace, clock: Movable) -> None:
    talk = a_talk(acme)
    compose.write(acme, talk.id, "?!")
    hears(acme, "bob", "👍")
    hears(acme, "bob", "Fine price", "two")
    hears(acme, "bob", "…", "three")
    assert found(acme, "price") == found(acme, "bob") == ["bob"]
    assert found(acme, "ada") == [talk.person.handle]


def test_a_long_conversation_may_be_cut_between_two_words(acme: Workspace) -> None:
    """Where the last sign that is kept would be a space."""
    hears(acme, "bob", "first")
    with transaction() as current:
        long = "x" * (search_index.LONGEST - len("new ") - 1)
        current.execute(sa.update(ConversationWords).values(said=f"{long} y"))
        search_index.index({current.scalars(sa.select(Conversation.id)).one(): "new"})
    assert found(acme, "new") == ["bob"]
