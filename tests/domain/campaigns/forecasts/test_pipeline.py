"""The numbers of a whole workspace: how far people came, and when they reply."""

from datetime import timedelta

import pytest

from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import pipeline
from app.models.conversations import Conversation, Message
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, forward, message
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres
STEPS = [VIEW, INVITE, message("Hello", days=1)]


def test_the_pipeline_adds_up_the_campaigns_of_one_workspace(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    mine = [a_campaign(acme, people, STEPS, name=people[0]) for people in (["replies-positive-cleo"], ["ignores-bob"])]
    a_campaign(rival, ["replies-positive-cleo"], STEPS)
    forward(acme, days=21)
    found = pipeline.pipeline(acme)
    each = campaigns.stats(acme, [one.id for one in mine]).values()
    assert (found.leads, found.contacted, found.replied, found.positive) == (2, 2, 1, 1)
    assert found.invited == sum(one.invites_sent for one in each)
    assert found.accepted == sum(one.accepted for one in each)
    assert pipeline.pipeline(rival).replied == 0


def test_a_workspace_without_campaigns_has_zeros(acme: Workspace, clock: Movable) -> None:
    assert pipeline.pipeline(acme) == pipeline.Pipeline(0, 0, 0, 0, 0, 0, 0)
    hours = pipeline.reply_hours(acme)
    assert (hours.total, hours.most, hours.best) == (0, 0, None)


def test_replies_count_in_their_hour_of_the_workspace(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Automatic ones, our own words, old ones and those of others don't."""
    a_campaign(acme, ["replies-positive-cleo"], STEPS)
    forward(acme, days=21)
    acme.timezone = "Asia/Kolkata"
    session().commit()
    talk = session().query(Conversation).where(Conversation.workspace_id == acme.id).one()
    heard = [one for one in session().query(Message).where(Message.direction == "in") if not one.automatic]
    assert pipeline.reply_hours(acme).total == len(heard) == 1
    at = acme.now().replace(hour=20, minute=45) - timedelta(days=1)  # 02:15 of the next day there
    given = {"workspace_id": acme.id, "conversation_id": talk.id, "kind": "message", "text": "Hm"}
    rows = [("in", at, False), ("in", at, True), ("out", at, False), ("in", at - pipeline.WINDOW, False)]
    for number, (direction, moment, automatic) in enumerate(rows):
        more = {"direction": direction, "at": moment, "automatic": automatic, "provider_id": f"x{number}"}
        session().add(Message(**given, **more))
    session().commit()
    hours = pipeline.reply_hours(acme)
    assert hours.total == 2
    assert hours.days[(at.weekday() + 1) % 7][2] >= 1
    assert pipeline.reply_hours(rival).total == 0
