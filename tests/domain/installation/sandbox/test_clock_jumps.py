"""After the time was set back, nothing waits for the time before; what is said in days and hours stays."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import Base, session, transaction
from app.domain.engine.inbound import poll
from app.domain.installation import engine_processes
from app.domain.installation.sandbox import clock_jumps
from app.domain.platform import jobs
from app.models.accounts import Account
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
A_DAY = timedelta(days=1)


def set_back(clock: Movable) -> None:
    clock.at -= A_DAY


def test_a_sender_plans_anew_and_its_inbox_is_read(acme: Workspace, clock: Movable) -> None:
    """An inbox that was read in the future was not read, so that no one is written to past an answer."""
    account = Account(polled_at=clock.at, unread_since=None)
    assert poll._is_fresh(account, clock.at)
    a_campaign(acme, ["ada"])
    with transaction() as current:
        at = clock.at + timedelta(minutes=9)
        current.execute(sa.update(Account).values(turn_at=at, free_at=at, polled_at=clock.at))
    set_back(clock)
    assert not poll._is_fresh(account, clock.at)
    clock_jumps.bring_forward(A_DAY.total_seconds())
    sender = session().scalars(sa.select(Account)).first()
    assert (sender.turn_at, sender.free_at) == (clock.at + timedelta(minutes=9),) * 2
    assert sender.polled_at is None


def test_a_retry_keeps_its_wait_and_what_was_due_is_due(
    acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "KINDS", {"enrichment": jobs.Kind(lambda *given: None)})
    with transaction():
        for name, after in (("due", 0), ("later", 7)):
            jobs.add(acme, "enrichment", name, {}, timedelta(minutes=after))
    set_back(clock)
    assert clock_jumps.bring_forward(A_DAY.total_seconds()) == 2
    found = session().scalars(sa.select(Job.due_at).order_by(Job.id)).all()
    assert found == [clock.at, clock.at + timedelta(minutes=7)]


def test_a_lease_of_a_dead_process_ends_and_one_of_now_stays(acme: Workspace, clock: Movable) -> None:
    """No kind of lease is forgotten; the claim of a request on its key always ends."""
    columns = {mapper.class_: mapper.local_table.c.get("claimed_until") for mapper in Base.registry.mappers}
    leased = {model for model, column in columns.items() if column is not None and column.nullable}
    assert leased == clock_jumps.LEASED.keys()
    a_campaign(acme, ["ada"], senders=2)
    first, second = session().scalars(sa.select(Account.id).order_by(Account.id).limit(2)).all()
    lease = sa.update(Account).where(Account.id == sa.bindparam("key"))
    with transaction() as current:
        current.connection().execute(lease.values(claimed_until=clock.at + timedelta(minutes=5)), {"key": first})
    set_back(clock)
    with transaction() as current:
        current.connection().execute(lease.values(claimed_until=clock.at + timedelta(minutes=5)), {"key": second})
    clock_jumps.free_leases()
    left = {row.id: row.claimed_until for row in session().execute(sa.select(Account.id, Account.claimed_until))}
    assert (left[first], left[second]) == (None, clock.at + timedelta(minutes=5))


def test_a_jump_while_no_process_ran_is_noticed_at_the_start(acme: Workspace, clock: Movable) -> None:
    """A process that was seen later than now is gone until its next beat."""
    assert clock_jumps.back_since_last_seen() == 0
    process = engine_processes.join("serve", "embedded")
    engine_processes.beat(process)
    clock.forward(hours=1)
    assert clock_jumps.back_since_last_seen() == 0
    clock.forward(hours=-25)
    assert clock_jumps.back_since_last_seen() == A_DAY.total_seconds()
    assert [one.state for one in engine_processes.every()] == ["gone"]
    engine_processes.beat(process)
    assert [one.state for one in engine_processes.every()] == ["active"]
