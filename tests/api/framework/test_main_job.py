"""The main job by `/v1` alone: people, a sequence, a start; later every event is delivered, signed and numbered."""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier

from app.domain.installation.sandbox import sandbox_clock
from app.domain.webhooks import dispatcher
from app.domain.webhooks.events import EVENTS
from app.models.workspaces import Workspace
from tests.domain.webhooks.test_events import SPECIFIED
from tests.support.clients import Api
from tests.support.movable import Movable
from tests.support.receivers import Receiver

pytestmark = pytest.mark.postgres

PEOPLE = [
    *(f"replies-{tone}-{number}" for tone in ("positive", "negative", "neutral") for number in range(2)),
    "accepts-ada",
    "ignores-bob",
    "away-eve",
    "refuses-ivo",
]
STEPS: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {"type": "follow"},
    {"type": "like_post"},
    {"type": "connection_request", "message": "Hello {{first_name|there}}"},
    {"type": "message", "message": "Thank you, {{first_name}}", "delay": {"value": 1, "unit": "days"}},
]


def with_inmail(api: Api, accounts: list[int]) -> int:
    """A second campaign, whose people answer to an InMail."""
    found = api.post("lists", {"name": "By InMail"}).json["id"]
    api.post(f"lists/{found}/leads", {"profiles": [{"publicId": "replies-question-mia", "firstName": "Mia"}]})
    body = {
        "name": "By InMail",
        "listId": found,
        "accountIds": accounts,
        "sequence": [{"type": "inmail", "subject": "A question", "message": "Hello {{first_name}}"}],
    }
    return int(api.post("campaigns", body).json["id"])


def test_a_script_does_the_main_job_with_webhooks_at_each_step(
    api: Api, acme: Workspace, clock: Movable, receiver: Receiver
) -> None:
    clock.to(datetime.now(UTC))  # who verifies a signature asks how old it is
    secrets = {
        kind: api.post("webhooks", {"name": kind, "url": receiver.url + "/" + kind, "event": kind}).json["secret"]
        for kind in EVENTS
    }
    list_id = api.post("lists", {"name": "People"}).json["id"]
    profiles = [{"publicId": person, "firstName": person.split("-")[0].title()} for person in PEOPLE]
    added = api.post(f"lists/{list_id}/leads", {"profiles": profiles}).json
    assert added == {"added": len(PEOPLE), "updated": 0, "skipped": 0, "invalid": 0, "problems": []}
    accounts = [account["id"] for account in api.get("accounts").json["data"]]
    body = {"name": "First", "listId": list_id, "accountIds": accounts, "sequence": STEPS}
    campaigns = [api.post("campaigns", body).json["id"], with_inmail(api, accounts)]
    for campaign_id in campaigns:
        assert api.post(f"campaigns/{campaign_id}/start").json["status"] == "running"
    sandbox_clock.advance(acme, 24 * 45)
    talk = api.get("conversations").json["data"][0]["id"]
    assert api.post(f"conversations/{talk}/meeting").json["meetingAt"]
    while dispatcher.deliver_due():
        pass
    for campaign_id in campaigns:
        assert_stats_add_up(api, campaign_id)
    assert_everything_arrived(api, secrets, receiver)


def assert_stats_add_up(api: Api, campaign_id: int) -> None:
    """The campaign has finished, and its numbers are those of its people."""
    campaign = api.get(f"campaigns/{campaign_id}").json
    people = api.get(f"campaigns/{campaign_id}/leads", limit=100).json["data"]
    stats = campaign["stats"]
    assert campaign["status"] == "finished"
    states = ("pending", "active", "paused", "finished", "failed", "stopped", "excluded")
    assert sum(stats[state] for state in states) == stats["leads"] == len(people)
    assert stats["replies"] == sum(person["replied"] for person in people)
    assert stats["messagesSent"] == sum(person["messagesSent"] for person in people)
    assert stats["accepted"] == sum(person["connection"] == "accepted" for person in people)


def assert_everything_arrived(api: Api, secrets: dict[str, str], receiver: Receiver) -> None:
    """Each event once, signed for its own endpoint, and no number left out."""
    bodies = []
    for request in receiver.requests:
        kind = request.path.rsplit("/", 1)[1]
        body = Verifier(secrets[kind]).verify(request.body, request.headers)
        assert body == json.loads(request.body)
        assert (body["type"], body["id"]) == (kind, request.headers["webhook-id"])
        bodies.append(body)
    assert max(Counter(body["id"] for body in bodies).values()) == 1
    assert sorted(body["sequence"] for body in bodies) == list(range(1, len(bodies) + 1))
    assert {body["type"] for body in bodies} == {*SPECIFIED, "campaign_started", "meeting_booked", "out_of_office"}
    told = Counter(body["type"] for body in bodies)
    assert told["campaign_completed"] == 2
    assert told["every_reply"] >= told["message_reply"] + told["inmail_reply"]
    replies = sum(one["stats"]["replies"] for one in api.get("campaigns").json["data"])
    assert told["message_reply"] + told["inmail_reply"] == replies
