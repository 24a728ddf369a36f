"""Payloads: what events say goes after the chosen time; events, their numbers and what waits to be sent stay."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core.db import end_read, session
from app.core.errors import Conflict
from app.domain.ledger import recount
from app.domain.platform import retention
from app.domain.webhooks import delivery_log, dispatcher, events, payloads
from app.domain.webhooks.events import NewEvent
from app.models.webhooks import Event, Webhook
from app.models.workspaces import Workspace
from tests.domain.hooks import log, only
from tests.domain.webhooks.test_events import record
from tests.support.movable import Movable
from tests.support.receivers import Receiver


def happening() -> NewEvent:
    return NewEvent("message_sent", time.now(), None, {"lead": {"firstName": "Ada"}})


def bodies(workspace: Workspace) -> list[str]:
    end_read()
    query = sa.select(Event.body).where(Event.workspace_id == workspace.id).order_by(Event.sequence)
    return list(session().scalars(query))


def fed(workspace: Workspace) -> list[Any]:
    end_read()
    current = session().get_one(Workspace, workspace.id, populate_existing=True)
    return [row.sequence for row in session().execute(events.page(current).order_by(Event.sequence))]


def test_what_old_events_say_goes_and_their_numbers_stay(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Of a workspace that chose so alone; the feed begins after them, and nothing counts as missing."""
    record(acme, happening())
    record(rival, happening())
    clock.forward(days=91)
    assert (payloads.purge(), fed(acme)) == (0, [1])
    retention.change(acme, {"payloads": 90})
    record(acme, happening())
    assert (payloads.purge(), payloads.purge()) == (1, 0)
    assert ([bool(body) for body in bodies(acme)], [bool(body) for body in bodies(rival)]) == ([False, True], [True])
    assert (fed(acme), fed(rival)) == ([2], [1])
    counted = {row[0]: row[1:] for row in session().execute(recount.EVENT_NUMBERS)}
    assert counted[acme.id] == (2, 2, 1, 2)


def test_what_a_webhook_awaits_is_kept(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    retention.change(acme, {"payloads": 90})
    receiver.answer = lambda request: 500
    record(acme, happening())
    dispatcher.deliver_due()
    clock.forward(days=91)
    assert payloads.purge() == 0
    assert only(acme, webhook).state == "pending"


def test_what_is_gone_is_not_sent_again(acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable) -> None:
    """A replay leaves it out, and a delivery of it is refused."""
    retention.change(acme, {"payloads": 90, "deliveries": 90})
    receiver.answer = lambda request: 410
    record(acme, happening())
    dispatcher.deliver_due()
    begun = only(acme, webhook).created_at
    clock.forward(days=91)
    assert payloads.purge() == 1
    with pytest.raises(Conflict):
        delivery_log.redeliver(acme, only(acme, webhook).id)
    acme = session().get_one(Workspace, acme.id, populate_existing=True)
    assert delivery_log.replay(acme, webhook.id, begun) == 0
    assert delivery_log.resend_failed(acme, webhook.id) == 0
    assert len(log(acme, webhook)) == 1


def test_deliveries_go_after_the_time_that_their_workspace_chose(
    acme: Workspace, webhook: Webhook, receiver: Receiver, clock: Movable
) -> None:
    retention.change(acme, {"deliveries": 90})
    record(acme, happening())
    dispatcher.deliver_due()
    clock.forward(days=31)
    assert delivery_log.purge() == 0
    clock.forward(days=60)
    assert delivery_log.purge() == 1
