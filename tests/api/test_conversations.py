"""Conversations over `/v1`: reading them, answering by hand, and saying how a reply is meant."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest

from app.domain.engine import manual_send
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads
from tests.domain.conversations.test_threads import hears
from tests.domain.engine.manual.test_compose import a_talk, written
from tests.domain.outreach import (
    INVITE,
    a_campaign,
    forward,
    message,
    takes_in,
    the_account,
)
from tests.support.clients import Api, paths
from tests.support.movable import Movable


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme)


@pytest.fixture
def path(talk: Conversation) -> str:
    return f"conversations/{talk.id}"


def test_a_conversation_is_the_same_in_the_list_and_alone(api: Api, path: str, talk: Conversation) -> None:
    (listed,) = api.get("conversations").json["data"]
    assert listed == api.get(path).json
    assert (listed["id"], listed["channel"], listed["unread"]) == (talk.id, "social", 1)
    assert (listed["sentiment"], listed["tags"]) == ("positive", ["positive"])
    assert (listed["lead"]["firstName"], listed["lead"]["headline"]) == ("Ada", "")
    said = api.get(f"{path}/messages").json["data"]
    assert [(one["direction"], one["status"]) for one in said] == [("in", "received"), ("out", "sent"), ("out", "sent")]
    assert listed["lastMessage"]["id"] == said[0]["id"]
    assert api.get(f"{path}/messages/{said[0]['id']}").json == said[0]


def test_a_message_is_taken_and_sent_in_the_background(api: Api, path: str, acme: Workspace) -> None:
    answer = api.post(f"{path}/messages", {"text": "Thank you."})
    assert answer.status_code == 202
    assert list(answer.json) == ["id", "conversationId", "status"]
    assert isinstance(answer.json["id"], str)
    assert answer.json["status"] == "queued"
    manual_send.run_due()
    assert api.get(f"{path}/messages/{answer.json['id']}").json["status"] == "sent"
    assert api.get(path).json["unread"] == 0
    assert api.delete(f"{path}/messages/{answer.json['id']}").status_code == 409


def test_a_newer_message_of_theirs_stops_it(api: Api, path: str, acme: Workspace, talk: Conversation) -> None:
    """The header holds the id of the newest message seen, in quotes or without."""
    seen = api.get(path).json["lastMessage"]["id"]
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    refused = api.post(f"{path}/messages", {"text": "Hello"}, if_match=f'"{seen}"')
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "conversation_changed")
    assert written(acme) == []
    unknown = api.post(f"{path}/messages", {"text": "Hello"}, if_match='"nothing"')
    assert unknown.json["error"]["code"] == "conversation_changed"
    seen = api.get(path).json["lastMessage"]["id"]
    assert api.post(f"{path}/messages", {"text": "Hello"}, if_match=seen).status_code == 202


def test_an_earlier_reply_changes_only_itself(api: Api, path: str, acme: Workspace, talk: Conversation) -> None:
    first = api.get(path).json["lastMessage"]["id"]
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "Not interested", acme.now(), "more"))
    answer = api.post(f"{path}/classify", {"sentiment": "generic", "messageId": first})
    assert answer.json["sentiment"] == "negative"
    assert api.get(f"{path}/messages/{first}").json["sentiment"] == "generic"
    refused = api.post(f"{path}/classify", {"sentiment": "generic", "messageId": "999999"})
    assert refused.json["error"]["fields"][0]["path"] == "messageId"


def test_conversations_are_found_by_what_they_are(api: Api, acme: Workspace, clock: Movable) -> None:
    people = ["replies-positive-ada", "replies-negative-bob", "replies-neutral-eve", "accepts-zoe"]
    campaign = a_campaign(acme, people, [INVITE, message("Hello {{first_name|there}}")])
    forward(acme, days=3)

    def found(**query: Any) -> list[str]:
        return sorted(one["lead"]["firstName"] for one in api.get("conversations", **query).json["data"])

    assert found() == ["Ada", "Bob", "Eve", "Zoe"]
    assert found(sentiment="positive") == ["Ada"]
    assert found(sentiment="generic") == ["Eve"]
    assert found(unread="true") == ["Ada", "Bob", "Eve"]
    assert found(unread="false") == ["Zoe"]
    assert found(accountId=the_account(acme, 0).id) == ["Ada", "Bob", "Eve", "Zoe"]
    assert found(accountId=the_account(acme, 1).id) == []
    assert found(campaignId=campaign.id, query="hello zoe") == ["Zoe"]
    assert found(query="nobody said this") == []
    assert found(query="%") == []
    unknown = {"sentiment": "neutral", "unread": "yes", "accountId": "x", "query": "x" * 201, "sort": "name"}
    moments = ("2026-03-02", "yesterday", "0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "")
    for name, value in [*unknown.items(), *(("updatedAfter", one) for one in moments)]:
        refused = api.get("conversations", **{name: value})
        assert (refused.status_code, refused.json["error"]["fields"][0]["path"]) == (400, name)


@pytest.fixture
def talks(acme: Workspace, clock: Movable) -> list[int]:
    """Seven people wrote, two at the same moment; then the first of them wrote once more."""
    for number in range(7):
        hears(acme, f"person-{number}")
        clock.forward(minutes=number % 2)
    found = {thread.person.handle: thread.id for thread in threads(acme)}
    clock.forward(minutes=1)
    hears(acme, "person-0", "Once more", 1)
    return [found[f"person-{number}"] for number in (0, 6, 5, 4, 3, 2, 1)]


def listed(api: Api, **query: Any) -> list[int]:
    walked, cursor = [], ""
    while True:
        page = api.get("conversations", limit=3, cursor=cursor, **query).json
        walked += [one["id"] for one in page["data"]]
        cursor = page["nextCursor"]
        if not cursor:
            return walked


def test_the_latest_message_comes_first_and_what_changed_is_found_by_its_moment(
    api: Api, acme: Workspace, rival_api: Api, talks: list[int], clock: Movable
) -> None:
    """Page by page, also where moments are equal; what moves to the first page meanwhile hides nothing behind it."""
    assert listed(api, sort="lastMessage") == talks
    assert listed(api) == listed(api, sort="id") == sorted(talks, reverse=True)
    assert listed(api, sort="lastMessage", unread="false") == []
    times = {one["id"]: one["updatedAt"] for one in api.get("conversations").json["data"]}
    oldest = times[talks[-1]]
    east = datetime.fromisoformat(oldest).astimezone(timezone(timedelta(hours=5))).isoformat()
    later = {one for one in talks if times[one] > oldest}
    assert set(listed(api, updatedAfter=oldest)) == set(listed(api, updatedAfter=east)) == later
    assert listed(api, updatedAfter=times[talks[0]]) == []
    assert listed(rival_api, updatedAfter="2000-01-01T00:00:00Z") == listed(rival_api, sort="lastMessage") == []
    began = acme.now().isoformat()
    first = api.get("conversations", sort="lastMessage", limit=3).json
    clock.forward(minutes=1)
    hears(acme, "person-1", "Me too", 2)
    rest = api.get("conversations", sort="lastMessage", limit=100, cursor=first["nextCursor"]).json["data"]
    assert [one["id"] for one in first["data"] + rest] == talks[:-1]
    assert listed(api, sort="lastMessage", updatedAfter=began) == [talks[-1]]
    assert api.get("conversations", cursor=first["nextCursor"]).status_code == 400  # it belongs to its order


def test_every_change_of_a_conversation_is_found(
    api: Api, acme: Workspace, path: str, talk: Conversation, clock: Movable
) -> None:
    """Also one without a message, and a message that was written earlier than it was found."""

    def changed_by(change: Callable[[], object]) -> bool:
        began = acme.now().isoformat()
        clock.forward(seconds=1)
        change()
        return listed(api, updatedAfter=began) == [talk.id]

    assert not changed_by(lambda: api.get(path))
    verbs = ("read", "unread", "mute", "unmute")
    assert [verb for verb in verbs if not changed_by(partial(api.post, f"{path}/{verb}"))] == []
    assert changed_by(lambda: api.post(f"{path}/classify", {"sentiment": "negative"}))
    earlier = Received(
        "replies-positive-ada", "message", "One more thing", talk.last_message_at - timedelta(hours=1), "late"
    )
    assert changed_by(lambda: takes_in(acme, the_account(acme), earlier))
    assert changed_by(lambda: api.post(f"{path}/messages", {"text": "Hello"}))
    assert changed_by(manual_send.run_due)
    made = api.post(f"{path}/messages", {"text": "Again"}).json["id"]
    assert changed_by(lambda: api.post(f"{path}/messages/{made}/retry"))
    assert changed_by(lambda: api.delete(f"{path}/messages/{made}"))
    assert api.get(f"{path}/messages/{made}").status_code == 404


def test_a_conversation_can_be_muted(api: Api, path: str) -> None:
    muted = api.post(f"{path}/mute").json
    assert (muted["muted"], muted["unread"]) == (True, 0)
    assert api.post(f"{path}/mute").json == muted == api.get(path).json
    assert api.post(f"{path}/unmute").json == muted | {"muted": False}


def test_the_inbox_is_worked_over_the_interface(api: Api, path: str, talk: Conversation, acme: Workspace) -> None:
    def listed(**filters: str) -> list[int]:
        return [one["id"] for one in api.get("conversations", **filters).json["data"]]

    assert api.post(f"{path}/done").json["doneAt"]
    assert (listed(state="done"), listed(state="open")) == ([talk.id], [])
    assert api.post(f"{path}/reopen").json["doneAt"] is None
    day = (acme.now() + timedelta(days=3)).date().isoformat()
    found = api.post(f"{path}/remind", {"day": day, "text": "They decide then"}).json
    assert (found["remindAt"][:10], found["remindText"]) == (day, "They decide then")
    assert (listed(state="reminded"), listed(state="open")) == ([talk.id], [])
    assert listed(assignee="none") == [talk.id]
    assert api.post(f"{path}/assign", {"email": "ada@acme.example"}).json["assignee"] == "ada@acme.example"
    assert (listed(assignee="ada@acme.example"), listed(assignee="none")) == ([talk.id], [])
    assert paths(api.post(f"{path}/assign", {"email": "else@other.example"})) == ["email"]
    assert api.post(f"{path}/remind", {"day": "2000-01-01"}).status_code == 400


def test_notes_are_written_listed_and_deleted(api: Api, path: str) -> None:
    made = api.post(f"{path}/notes", {"text": "Call them"}).json
    assert list(made) == ["id", "conversationId", "by", "text", "at"]
    assert api.get(f"{path}/notes").json["data"] == [made]
    assert api.delete(f"{path}/notes/{made['id']}").status_code == 204
    assert api.get(f"{path}/notes").json["data"] == []


def test_a_message_is_scheduled_and_a_meeting_booked(api: Api, acme: Workspace, talk: Conversation) -> None:
    path = f"conversations/{talk.id}"
    at = (acme.now() + timedelta(days=1)).isoformat()
    refused = api.post(f"{path}/messages", {"text": "Hello", "sendAt": "2020-01-01T00:00:00Z"})
    assert refused.json["error"]["fields"][0]["path"] == "sendAt"
    made = api.post(f"{path}/messages", {"text": "Hello", "sendAt": at}).json
    assert made["status"] == "queued"
    kept = api.get(f"{path}/messages/{made['id']}").json
    assert datetime.fromisoformat(kept["sendAt"]) == datetime.fromisoformat(at)
    assert api.delete(f"{path}/messages/{made['id']}").status_code == 204
    assert api.post(f"{path}/meeting").json["meetingAt"]
    assert [one["id"] for one in api.get("conversations", meeting="true").json["data"]] == [talk.id]
    assert api.delete(f"{path}/meeting").status_code == 204
    assert api.get(path).json["meetingAt"] is None


def test_a_snippet_is_added_changed_and_deleted(api: Api, acme: Workspace) -> None:
    made = api.post("snippets", {"name": "Prices", "text": "Hi {{first_name|there}}"}).json
    assert api.get("snippets").json["data"] == [made]
    path = f"snippets/{made['id']}"
    assert api.put(path, {"name": "Prices", "text": "Hello"}).json["text"] == "Hello"
    assert api.post("snippets", {"name": "prices", "text": "Again"}).status_code == 409
    assert api.get(path).json["name"] == "Prices"
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
