"""At most so many new people a day, whoever asks for a place of the day at the same moment."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.clock import Movable
from app.core.db import end_read, session
from app.domain.engine import turns
from app.models.campaigns import CampaignAccount
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, everyone

pytestmark = pytest.mark.databases("both")
DAYS, A_DAY = 3, 2


def test_workers_at_the_same_moment_begin_no_more_people_than_a_day_has_places(
    app: Flask, acme: Workspace, clock: Movable
) -> None:
    """Each worker has a connection of its own, and all of them ask at once; both engines take turns like this."""
    people = [f"ignores-{number}" for number in range(40)]
    campaign = a_campaign(acme, people, [VIEW], senders=2, schedule={"timezone": "UTC", "newPeoplePerDay": A_DAY})
    lanes = sa.select(CampaignAccount.account_id).where(CampaignAccount.campaign_id == campaign.id)
    senders = list(session().scalars(lanes))
    end_read()
    at_once = Barrier(len(senders))

    def take_turn(sender_id: int) -> None:
        with app.app_context():
            at_once.wait()
            turns.run(sender_id)

    with ThreadPoolExecutor(len(senders)) as pool:
        for _ in range(DAYS * 24):
            clock.forward(hours=1)
            for done in [pool.submit(take_turn, sender_id) for sender_id in senders]:
                done.result()
    begun = [one.begun_at.astimezone(ZoneInfo("UTC")).date() for one in everyone(campaign).values() if one.begun_at]
    assert set(Counter(begun).values()) == {A_DAY}
    assert len(set(begun)) >= DAYS
