"""Events: gap-free numbers, the same bytes for everyone, deliveries beside them."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, session, transaction
from app.domain.webhooks import endpoints, events
from app.domain.webhooks.events import EVENTS, NewEvent
from app.models.campaigns import Campaign
from app.models.webhooks import Delivery, Event
from app.models.workspaces import Workspace

AT = datetime(2026, 3, 2, 9, 30, 15, 250_000, tzinfo=UTC)
SPECIFIED = """invite_sent invite_accepted message_sent message_reply inmail_sent inmail_reply follow_sent post_liked
profile_viewed campaign_completed lead_tag_updated lead_finished_without_reply every_reply lead_auto_tagged_positive
lead_auto_tagged_negative lead_auto_tagged_generic""".split()
MORE = """email_bounced unsubscribed out_of_office account_connected account_disconnected approval_waiting
approval_expired person_held campaign_started campaign_paused import_finished enrichment_finished
meeting_booked task_done""".split()


def record(workspace: Workspace, *happenings: NewEvent) -> None:
    with transaction():
        events.record(workspace.id, happenings)


def happening(kind: str = "message_sent", once: str | None = None, campaign_id: int | None = None) -> NewEvent:
    return NewEvent(kind, AT, campaign_id, {"lead": {"firstName": "Łucja 🙂"}}, once)


def recorded(workspace: Workspace) -> list[Event]:
    query = sa.select(Event).where(Event.workspace_id == workspace.id).order_by(Event.sequence)
    return list(session().scalars(query))


def new_campaign(workspace: Workspace) -> int:
    with transaction() as current:
        hours = {"timezone": "UTC", "days": [1], "start_time": "09:00", "end_time": "17:00", "created_at": AT}
        campaign = Campaign(workspace_id=workspace.id, name="Spring", account_ids=[], sequence=[], **hours)
        current.add(campaign)
        current.flush()
        return campaign.id


def test_an_event_has_id_number_type_time_and_data(acme: Workspace) -> None:
    record(acme, happening())
    (event,) = recorded(acme)
    assert json.loads(event.body) == {
        "id": event.ref,
        "sequence": 1,
        "type": "message_sent",
        "version": 2,
        "createdAt": "2026-03-02T09:30:15.250Z",
        "timestamp": "2026-03-02T09:30:15.250Z",
        "workspaceId": acme.id,
        "data": {"lead": {"firstName": "Łucja 🙂"}},
    }
    assert event.ref.startswith("evt_")
    assert "." not in event.ref
    assert event.created_at == AT


def test_the_kinds_are_those_of_the_specification_and_ours() -> None:
    """Each with a sentence and a sample of what it carries."""
    assert sorted(EVENTS) == sorted([*SPECIFIED, *MORE])
    for kind, about in EVENTS.items():
        assert about.when.endswith(".")
        assert set(events.sample(kind)) == set(about.parts)


def test_numbers_go_on_per_workspace_without_a_gap(acme: Workspace, rival: Workspace) -> None:
    """A transaction that fails takes none, and outside of one nothing is recorded; many workspaces may share a call."""
    with pytest.raises(RuntimeError):
        events.record(acme.id, [happening()])
    record(acme, happening())
    with pytest.raises(ZeroDivisionError), transaction():
        events.record(acme.id, [happening()])
        raise ZeroDivisionError
    record(rival, happening())
    with transaction():
        events.record_all({rival.id: [happening()], acme.id: [happening(), happening()], 10**9: []})
    assert [event.sequence for event in recorded(acme)] == [1, 2, 3]
    assert [event.sequence for event in recorded(rival)] == [1, 2]


@pytest.mark.postgres
def test_what_may_happen_once_is_recorded_once(acme: Workspace, rival: Workspace) -> None:
    """Known before, or twice in one call: left out, and no number is spent on it."""
    record(acme, happening(once="completed:1"), happening(), happening(once="completed:1"))
    record(acme, happening(once="completed:1"), happening(once="completed:2"))
    record(rival, happening(once="completed:1"))
    found = [(event.sequence, event.once) for event in recorded(acme)]
    assert found == [(1, "completed:1"), (2, None), (3, "completed:2")]
    assert len(recorded(rival)) == 1


@pytest.mark.postgres
def test_numbers_have_no_gap_when_many_record_at_once(app: Flask, acme: Workspace) -> None:
    """Threads that record, and some that fail in the middle."""
    end_read()

    def work(number: int) -> None:
        with app.app_context():
            for turn in range(8):
                try:
                    with transaction():
                        events.record(acme.id, [happening(once=f"{turn}"), happening()])
                        if (number + turn) % 3 == 0:
                            raise ZeroDivisionError
                except ZeroDivisionError:
                    continue

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    found = recorded(acme)
    assert [event.sequence for event in found] == list(range(1, len(found) + 1))
    assert sorted(event.once for event in found if event.once) == [str(turn) for turn in range(8)]


def test_webhooks_get_the_kind_and_the_campaigns_they_want(acme: Workspace, rival: Workspace) -> None:
    """One kind each; some campaigns or all; while off it is noted what it misses; never a stranger's."""
    ours, other = new_campaign(acme), new_campaign(acme)
    url = "https://receiver.example/hook"
    every, _ = endpoints.create(acme, name="all", url=url, event="message_sent")
    some, _ = endpoints.create(acme, name="some", url=url, event="message_sent", campaign_ids=[ours])
    off, _ = endpoints.create(acme, name="off", url=url, event="message_sent", active=False)
    endpoints.create(acme, name="other kind", url=url, event="follow_sent")
    endpoints.create(rival, name="stranger", url=url, event="message_sent")
    record(acme, happening(campaign_id=ours), happening(campaign_id=other), happening(), happening("post_liked"))
    found = session().execute(
        sa.select(Delivery.webhook_id, Event.campaign_id, Event.kind, Delivery.state).join(Event).order_by(Delivery.id)
    )
    assert sorted(map(tuple, found), key=str) == sorted(
        [
            (every.id, ours, "message_sent", "pending"),
            (every.id, other, "message_sent", "pending"),
            (every.id, None, "message_sent", "pending"),
            (some.id, ours, "message_sent", "pending"),
            *((off.id, campaign_id, "message_sent", "canceled") for campaign_id in (ours, other, None)),
        ],
        key=str,
    )


def test_about_names_everyone_and_gives_no_one_away() -> None:
    """The parts of reliability's table; no e-mail address, no phone."""
    ada = {"public_id": "ada", "profile_url": "https://network.example/in/ada", "first_name": "Ada", "headline": ""}
    ada |= {"last_name": "Example", "company_name": "Example Ltd", "email": "ada@example.com", "phone": "+1"}
    rows = {
        "campaign": SimpleNamespace(id=1, name="Spring"),
        "lead": SimpleNamespace(id=2, **ada),
        "account": SimpleNamespace(id=3, name="Ines"),
        "progress": SimpleNamespace(state="active", connection="sent", replied=0, messages_sent=4),
        "message": SimpleNamespace(id=5, conversation_id=6, kind="message", text="Hi", at=AT, letter=None),
    }
    data = events.new("every_reply", AT, {**rows, "tag": {"label": "positive"}, "channel": "social"}).data
    assert set(data) == {"campaign", "lead", "account", "progress", "message", "tag", "channel"}
    assert data["progress"] == {"state": "active", "connection": "sent", "replied": False, "messagesSent": 4}
    assert data["message"]["at"] == "2026-03-02T09:30:15.250Z"
    assert "ada@example.com" not in json.dumps(data)
    assert set(events.new("every_reply", AT, {"campaign": rows["campaign"], "lead": None}).data) == {"campaign"}


def test_a_body_stays_small_and_valid(acme: Workspace) -> None:
    """A text of any length and script is cut, and says so."""
    for letter in ("x", "ß", "語", "🙂", '"', "\u0000"):
        message = SimpleNamespace(id=1, conversation_id=2, kind="message", text=letter * 30_000, at=AT, letter=None)
        data = events.new("every_reply", AT, {"message": message}).data
        body = events.body("evt_1", "every_reply", AT, acme.id, data, sequence=1)
        assert len(body.encode()) <= 20_000
        assert json.loads(body)["data"]["message"]["truncated"] is True
        message.text = letter
        assert "truncated" not in events.new("every_reply", AT, {"message": message}).data["message"]
