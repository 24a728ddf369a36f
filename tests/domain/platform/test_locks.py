"""Many hands at once: no one waits for ever, nothing is counted twice, nothing is done twice."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, fetch, is_sqlite, session, transaction
from app.core.errors import AppError
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.leads import tags
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.domain.platform import locks
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead, LeadList
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, VIEW, a_campaign, acts, assert_counters_hold, email, happens, message
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

PEOPLE = [
    f"{kind}-{number}" for number in range(5) for kind in ("accepts", "replies-positive", "away", "refuses", "bounces")
]


def test_a_locked_workspace_is_changed_by_one_at_a_time(app: Flask, acme: Workspace, rival: Workspace) -> None:
    """Others are not held up, and rows that refer to it can be added meanwhile."""
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")
    ours, theirs, at = acme.id, rival.id, acme.now()

    def impatient(workspace_id: int) -> None:
        with app.app_context(), transaction() as current:
            current.execute(sa.text("SET LOCAL lock_timeout = '200ms'"))
            locks.lock_workspaces([workspace_id])

    def add() -> None:
        with app.app_context(), transaction() as current:
            current.execute(sa.text("SET LOCAL lock_timeout = '200ms'"))
            current.add(LeadList(workspace_id=ours, name="People", type="people", lead_count=0, created_at=at))

    with ThreadPoolExecutor(1) as pool, transaction():
        locks.lock_workspaces([ours])
        pool.submit(impatient, theirs).result()
        pool.submit(add).result()
        with pytest.raises(sa.exc.OperationalError):
            pool.submit(impatient, ours).result()


class Hands:
    """Everything that people and the world may do while turns are taken."""

    def __init__(self, running: Campaign, other: Campaign) -> None:
        self.running_id, self.other_id = running.id, other.id
        self.lead_ids, self.person_ids, self.numbers = ids(Lead), ids(CampaignLead), count()

    def someone_writes(self, workspace: Workspace) -> None:
        number = next(self.numbers)
        answer = Received(PEOPLE[number % len(PEOPLE)], "message", "Sounds great.", workspace.now(), f"word-{number}")
        happens(workspace, accounts.every(workspace)[number % 2], answer)
        poll.poll_due()

    def someone_steps_in(self, workspace: Workspace) -> None:
        number = next(self.numbers)
        verb = campaign_leads.pause if number % 3 else campaign_leads.resume
        verb(workspace, self.running_id, self.person_ids[number * 7 % len(self.person_ids)])

    def tags_change(self, workspace: Workspace) -> None:
        number = next(self.numbers)
        chosen = [self.lead_ids[(number + shift) % len(self.lead_ids)] for shift in (9, 0, 4)]
        tags.tag(workspace, chosen, add=[f"tag {number % 5}"])

    def a_campaign_rests(self, workspace: Workspace) -> None:
        campaigns.pause(workspace, self.other_id)
        campaigns.resume(workspace, self.other_id)

    def someone_is_blocked(self, workspace: Workspace) -> None:
        number = next(self.numbers)
        never_contact.add(workspace, [("person", PEOPLE[number * 3 % len(PEOPLE)])])
        campaign_leads.exclude_many(workspace, [self.person_ids[number * 3 % len(self.person_ids)]], "never_contact")

    def all(self) -> list[Callable[[Workspace], Any]]:
        ticks = [turns.run_due, turns.run_due, reconcile.run_due, lifecycle.run_due]
        work: list[Callable[[Workspace], Any]] = [lambda _, tick=tick: tick() for tick in ticks]  # type: ignore[misc]
        return [*work, self.someone_writes, self.someone_steps_in, self.tags_change, self.a_campaign_rests]


def test_many_hands_do_everything_once(app: Flask, acme: Workspace, clock: Movable) -> None:
    """Turns, answers, look-ups and people of the workspace, all at the same moment, for half a day."""
    steps = [VIEW, INVITE, message("One\n---\nTwo"), email(days=0)]
    first = a_campaign(acme, PEOPLE, steps, senders=3)
    second = a_campaign(acme, [f"ignores-{number}" for number in range(8)], [email(), VIEW], senders=3, name="Second")
    hands, workspace_id = Hands(first, second), acme.id

    def one_hand(work: Callable[[Workspace], Any]) -> None:
        with app.app_context():
            try:
                work(session().get_one(Workspace, workspace_id))
            except AppError:  # someone else was faster: refused with a reason
                session().rollback()

    with ThreadPoolExecutor(len(hands.all())) as pool:
        for round_ in range(24):
            clock.forward(minutes=11)
            with transaction() as current:
                current.execute(sa.update(Account).values(polled_at=None))
            work = hands.all() if round_ < 20 else [*hands.all(), hands.someone_is_blocked]
            for done in [pool.submit(one_hand, hand) for hand in work]:
                done.result()
    for campaign in (first, second):
        assert_counters_hold(campaign)
    assert_done_once_and_told_without_a_gap(acme)


def assert_done_once_and_told_without_a_gap(workspace: Workspace) -> None:
    """By the network's own log, and by the numbers of the events."""
    done = Counter(acts(workspace))
    assert sum(done.values()) > 20
    assert all(number == 1 for (kind, _), number in done.items() if kind not in ("message", "email"))
    assert max(done.values()) <= 2
    numbers_told = [row[0] for row in fetch(sa.select(Event.sequence).order_by(Event.sequence))]
    assert numbers_told == list(range(1, len(numbers_told) + 1))
    end_read()


def ids(model: Any) -> list[int]:
    found = [row[0] for row in fetch(sa.select(model.id).order_by(model.id))]
    end_read()
    return found
