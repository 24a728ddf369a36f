"""At most so many new people a day, also when workers ask for the last place of the day at the same moment."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, is_sqlite, session, transaction
from app.domain.engine import turns
from app.models.accounts import Account
from app.models.campaigns import CampaignAccount
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, everyone
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres
WAITING = sa.text("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
PATIENCE = 20.0


def test_workers_at_the_same_moment_begin_no_more_people_than_a_day_has_places(
    app: Flask, acme: Workspace, clock: Movable
) -> None:
    """Both are held just before they write their intents; both engines take turns like this."""
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")
    people = [f"ignores-{number}" for number in range(10)]
    campaign = a_campaign(acme, people, [VIEW], senders=2, schedule={"timezone": "UTC", "newPeoplePerDay": 1})
    lanes = sa.select(CampaignAccount.account_id).where(CampaignAccount.campaign_id == campaign.id)
    senders = list(session().scalars(lanes))
    with transaction() as current:
        current.execute(sa.update(Account).values(paced=False, turn_at=acme.now(), free_at=None))

    def take_turn(sender_id: int) -> int:
        with app.app_context():
            return turns.run(sender_id)

    with ThreadPoolExecutor(len(senders)) as pool:
        with transaction() as current:
            current.execute(sa.text("LOCK TABLE action IN SHARE MODE"))
            workers = [pool.submit(take_turn, sender_id) for sender_id in senders]
            end = time.monotonic() + PATIENCE
            while current.scalar(WAITING) < len(senders) and time.monotonic() < end:
                pass
        assert [worker.result() for worker in workers] == [1, 1]
    assert sum(one.begun_at is not None for one in everyone(campaign).values()) == 1
    end_read()
