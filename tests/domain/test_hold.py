"""Many hands at once: nobody waits for ever, nothing is counted twice, nothing is done twice."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.clock import Movable
from app.core.db import is_sqlite, leave_database, rows, session, transaction
from app.core.errors import AppError
from app.domain import accounts, campaigns, hold, inbox, leads, lifecycle, people, reconcile, suppression, turns
from app.models.accounts import Account
from app.models.campaigns import CampaignLead
from app.models.leads import Lead, LeadList
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    email,
    happens,
    message,
)

PEOPLE = [
    f"{kind}-{number}" for number in range(5) for kind in ("accepts", "replies-positive", "away", "refuses", "bounces")
]


def test_it_works(app: Flask, acme: Workspace, rival: Workspace) -> None:
    """A workspace that is held is changed by nobody else, and others are not held up."""
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")

    def impatient(workspace_id: int) -> None:
        with app.app_context(), transaction() as current:
            current.execute(sa.text("SET LOCAL lock_timeout = '200ms'"))
            hold.workspaces([workspace_id])

    ours, theirs = acme.id, rival.id

    with ThreadPoolExecutor(1) as pool, transaction():
        hold.workspaces([ours])
        pool.submit(impatient, theirs).result()
        with pytest.raises(sa.exc.OperationalError):
            pool.submit(impatient, ours).result()


def test_rows_that_refer_to_a_held_workspace_can_be_added(app: Flask, acme: Workspace) -> None:
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")

    def add() -> None:
        with app.app_context(), transaction() as current:
            current.execute(sa.text("SET LOCAL lock_timeout = '200ms'"))
            current.add(LeadList(workspace_id=workspace_id, name="People", type="people", lead_count=0, created_at=at))

    workspace_id, at = acme.id, acme.now()

    with ThreadPoolExecutor(1) as pool, transaction():
        hold.workspaces([workspace_id])
        pool.submit(add).result()


def test_many_hands_do_everything_once(app: Flask, acme: Workspace, clock: Movable) -> None:
    """Turns, answers, look-ups and people of the workspace, all at the same moment, for half a day."""
    steps = [VIEW, INVITE, message("One\n---\nTwo"), email(days=0)]
    first = a_campaign(acme, PEOPLE, steps, senders=3)
    second = a_campaign(acme, [f"ignores-{number}" for number in range(8)], [email(), VIEW], senders=3, name="Second")
    lead_ids, person_ids, numbers = ids(Lead), ids(CampaignLead), count()
    workspace_id, first_id, second_id = acme.id, first.id, second.id

    def somebody_writes(workspace: Workspace) -> None:
        number = next(numbers)
        answer = Received(PEOPLE[number % len(PEOPLE)], "message", "Sounds great.", workspace.now(), f"word-{number}")
        happens(workspace, accounts.every(workspace)[number % 2], answer)
        inbox.poll_due()

    def somebody_steps_in(workspace: Workspace) -> None:
        number = next(numbers)
        verb = people.pause if number % 3 else people.resume
        verb(workspace, first_id, person_ids[number * 7 % len(person_ids)])

    def tags_change(workspace: Workspace) -> None:
        number = next(numbers)
        chosen = [lead_ids[(number + shift) % len(lead_ids)] for shift in (9, 0, 4)]
        leads.tag(workspace, chosen, add=[f"tag {number % 5}"])

    def a_campaign_rests(workspace: Workspace) -> None:
        campaigns.pause(workspace, second_id)
        campaigns.resume(workspace, second_id)

    def somebody_is_blocked(workspace: Workspace) -> None:
        number = next(numbers)
        suppression.add(workspace, [("person", PEOPLE[number * 3 % len(PEOPLE)])])
        people.exclude(workspace, [person_ids[number * 3 % len(person_ids)]], "never_contact")

    ticks = [turns.run_due, turns.run_due, reconcile.run_due, lifecycle.tick]
    hands: list[Callable[[Workspace], Any]] = [lambda _, tick=tick: tick() for tick in ticks]  # type: ignore[misc]
    hands += [somebody_writes, somebody_steps_in, tags_change, a_campaign_rests]

    def one_hand(work: Callable[[Workspace], Any]) -> None:
        with app.app_context():
            try:
                work(session().get_one(Workspace, workspace_id))
            except AppError:  # somebody else was faster: refused with a reason
                session().rollback()

    with ThreadPoolExecutor(len(hands)) as pool:
        for round_ in range(24):
            clock.forward(minutes=11)
            with transaction() as current:
                current.execute(sa.update(Account).values(polled_at=None))
            work = hands if round_ < 20 else [*hands, somebody_is_blocked]
            for done in [pool.submit(one_hand, hand) for hand in work]:
                done.result()
    for campaign in (first, second):
        assert_counters_hold(campaign)
    done = Counter(acts(acme))
    assert sum(done.values()) > 20
    assert all(number == 1 for (kind, _), number in done.items() if kind not in ("message", "email"))
    assert max(done.values()) <= 2
    numbers_told = [row[0] for row in rows(sa.select(Event.sequence).order_by(Event.sequence))]
    assert numbers_told == list(range(1, len(numbers_told) + 1))
    leave_database()


def ids(model: Any) -> list[int]:
    """The ids of all rows."""
    found = [row[0] for row in rows(sa.select(model.id).order_by(model.id))]
    leave_database()
    return found
