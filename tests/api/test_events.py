"""Events pulled over `/v1`: the same bodies that webhooks get."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.domain.webhooks import dispatcher, endpoints
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import happening, record
from tests.support.clients import Api, paths
from tests.support.receivers import Receiver

pytestmark = pytest.mark.postgres


def test_events_come_oldest_first_in_the_words_of_a_webhook(
    api: Api, acme: Workspace, rival: Workspace, receiver: Receiver
) -> None:
    endpoints.create(acme, name="n", url=receiver.url, event="message_reply")
    record(rival, happening("message_reply"))
    record(acme, *[happening(kind) for kind in ("message_reply", "every_reply", "invite_sent")])
    dispatcher.deliver_due()
    page = api.get("events").json
    assert [event["sequence"] for event in page["data"]] == [1, 2, 3]
    assert [event["type"] for event in page["data"]] == ["message_reply", "every_reply", "invite_sent"]
    assert page["data"][0] == json.loads(receiver.requests[0].body)
    assert [event["sequence"] for event in api.get("events", after=2).json["data"]] == [3]
    assert api.get("events", after=3).json == {"data": [], "nextCursor": ""}
    assert [event["sequence"] for event in api.get("events", type="every_reply").json["data"]] == [2]


def test_pages_of_events_include_what_comes_meanwhile(api: Api, acme: Workspace) -> None:
    record(acme, *[happening("every_reply") for _ in range(7)])
    first = api.get("events", limit=3, after=1).json
    record(acme, happening("every_reply"))
    second = api.get("events", limit=100, after=1, cursor=first["nextCursor"]).json
    assert [event["sequence"] for event in first["data"] + second["data"]] == [2, 3, 4, 5, 6, 7, 8]
    assert api.get("events", cursor=first["nextCursor"]).status_code == 400


def test_what_does_not_fit_is_refused(api: Api) -> None:
    for query in [
        {"after": "-1"},
        {"after": "x"},
        {"after": "9" * 30},
        {"type": "anything"},
        {"types": "a,b"},
        {"since": "x"},
    ]:
        assert paths(api.get("events", **query)) == list(query)


def test_events_of_several_types_and_since_a_time(api: Api, acme: Workspace) -> None:
    record(acme, *[happening(kind) for kind in ("message_reply", "every_reply", "invite_sent")])
    told = replace(happening("every_reply"), at=happening().at + timedelta(hours=1))
    record(acme, told)

    def numbers(**query: Any) -> list[int]:
        return [event["sequence"] for event in api.get("events", **query).json["data"]]

    assert numbers(types="every_reply,invite_sent") == [2, 3, 4]
    assert numbers(types="every_reply", after=2) == [4]
    assert numbers(types="every_reply,invite_sent", type="invite_sent") == [3]
    assert numbers(types="every_reply", type="invite_sent") == []
    assert numbers(since="2026-03-02T10:00:00Z") == [4]
    assert numbers(types="invite_sent", since="2026-03-02T09:00:00Z") == [3]
