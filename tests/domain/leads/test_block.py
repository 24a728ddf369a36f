"""People who are never contacted again, and those of whom it was taken back."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import claims
from app.core.clock import use
from app.core.db import end_read, in_transaction, is_sqlite, session, transaction
from app.core.errors import Conflict
from app.domain.approvals import bulk
from app.domain.campaigns import campaigns
from app.domain.leads import block, edit
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.domain.people.exclusions.never_contact import AddedEntries
from app.domain.platform import jobs
from app.models.campaigns import Campaign, CampaignLead, CampaignStats
from app.models.leads import NeverContact
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    a_campaign,
    assert_counters_hold,
    email,
    everyone,
    forward,
    ledger,
    person_id,
)
from tests.domain.reviewing import drafts, held
from tests.support.movable import Movable

ADA, BOB, DAN, EVE = "accepts-ada", "quiet-bob", "quiet-dan", "quiet-eve"


def rows(campaign: Campaign) -> dict[str, tuple[Any, ...]]:
    """Everything that is known of the people of a campaign, and how many it counts in each state."""
    end_read()
    columns = [column.name for column in CampaignLead.__table__.columns]
    found = {name: tuple(getattr(one, key) for key in columns) for name, one in everyone(campaign).items()}
    counted = session().scalars(sa.select(CampaignStats).where(CampaignStats.campaign_id == campaign.id)).one()
    return found | {"": tuple(getattr(counted, column.name) for column in CampaignStats.__table__.columns)}


def states(campaign: Campaign) -> dict[str, tuple[str, str]]:
    end_read()
    return {name: (one.state, one.reason) for name, one in everyone(campaign).items()}


def test_blocked_people_are_held_and_the_undo_restores_them_once(acme: Workspace, clock: Movable) -> None:
    """They are held where they stand, nothing is done for them, and all is as before when it is taken back, once."""
    campaign = a_campaign(acme, [ADA, BOB, DAN])
    forward(acme, hours=2)
    campaign_leads.pause(acme, campaign.id, everyone(campaign)[DAN].id)
    before = rows(campaign)
    number, name = block.block(acme, [person_id(acme, one) for one in (ADA, DAN)], "Picked")
    assert number == 2
    for _ in range(2):
        assert states(campaign)[ADA] == ("paused", "never_contact")
        assert states(campaign)[DAN] == ("paused", "paused_by_you")
        jobs.run_due()
    assert block.BLOCKED.undo(acme, name) == (2, 0)
    assert rows(campaign) == before
    assert never_contact.is_empty(acme.id)
    with pytest.raises(Conflict, match="too late to undo this"):
        block.BLOCKED.undo(acme, name)


def test_after_a_while_they_leave_their_campaigns(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Not before, and also whoever was paused already; whom a new entry names leaves at once."""
    campaign = a_campaign(acme, [ADA, BOB, DAN, EVE])
    campaign_leads.pause(acme, campaign.id, everyone(campaign)[DAN].id)
    never_contact.add(acme, [f"{EVE}@example.com"])
    jobs.run_due()
    _, name = block.block(acme, [person_id(acme, one) for one in (ADA, DAN)], "Picked")
    with pytest.raises(Conflict):
        block.BLOCKED.undo(rival, name)
    for minutes, state in ((9, "paused"), (1, "excluded")):
        assert (states(campaign)[EVE][0], states(campaign)[BOB][0]) == ("excluded", "pending")
        clock.forward(minutes=minutes)
        jobs.run_due()
        assert {states(campaign)[one][0] for one in (ADA, DAN)} == {state}
    assert states(campaign)[BOB][0] != "excluded"
    with pytest.raises(Conflict):
        block.BLOCKED.undo(acme, name)


def test_who_is_leaving_is_not_called_back(acme: Workspace, clock: Movable) -> None:
    """Also when whoever saw to it has died on the way: another does it, and they stay on the list."""
    campaign = a_campaign(acme, [ADA])
    jobs.run_due()
    _, name = block.block(acme, [person_id(acme, ADA)], "Picked")
    jobs.run_due()
    clock.forward(minutes=10)
    assert len(claims.claim(Job, Job.due_at, clock(), limit=1, lease=jobs.LEASE)) == 1
    with pytest.raises(Conflict):
        block.BLOCKED.undo(acme, name)
    assert states(campaign)[ADA] == ("paused", "never_contact")
    clock.forward(minutes=1)
    jobs.run_due()
    assert states(campaign)[ADA] == ("excluded", "never_contact")
    assert not never_contact.is_empty(acme.id)


def test_drafts_wait_and_come_back(acme: Workspace, clock: Movable) -> None:
    """They are as they were; after a while no one sends them any more, even those that were approved."""
    campaign = held(acme, [ADA])
    forward(acme, hours=48)
    (before,) = drafts(acme)
    _, name = block.block(acme, [person_id(acme, ADA)], "Picked")
    place = states(campaign)[ADA]
    block.BLOCKED.undo(acme, name)
    (after,) = drafts(acme)
    assert (after.id, after.status, after.text) == (before.id, "pending", before.text)
    bulk.bulk(acme, [after.id], "approve")
    block.block(acme, [person_id(acme, ADA)], "Picked")
    clock.forward(minutes=10)
    jobs.run_due()
    assert (place[0], states(campaign)[ADA][0], drafts(acme)[0].status) == ("paused", "excluded", "skipped")


def kept_entries() -> list[tuple[str, str]]:
    query = sa.select(NeverContact.value, NeverContact.source).order_by(NeverContact.value)
    return [tuple(row) for row in session().execute(query)]  # type: ignore[misc]


def test_what_others_wished_stays(acme: Workspace, clock: Movable) -> None:
    """Entries from before, from a source and from another hand; whom they name leaves the campaign."""
    campaign = a_campaign(acme, [ADA, BOB, DAN])
    never_contact.add(acme, ["person: eve"])
    with transaction():
        never_contact.label_for(acme, "payments", 1, {("person", "known"): "known"}, "Pays.")
    _, name = block.block(acme, [person_id(acme, one) for one in ("eve", "known", ADA, BOB, DAN)], "Picked")
    never_contact.add(acme, [("person", BOB)], "Asked not to be contacted.")
    never_contact.add(acme, [f"{DAN}@example.com"])
    jobs.run_due()
    assert block.BLOCKED.undo(acme, name) == (2, 1)
    assert states(campaign)[ADA][0] == "pending"
    assert [states(campaign)[one] for one in (BOB, DAN)] == [("excluded", "never_contact")] * 2
    assert kept_entries() == [("eve", ""), ("known", "payments"), (BOB, ""), (f"{DAN}@example.com", "")]


def test_people_that_a_source_named_and_then_a_user_stay(acme: Workspace) -> None:
    """What the picked are given back to a source for is only that they were picked."""
    with transaction():
        never_contact.label_for(acme, "payments", 1, {("person", one): one for one in (ADA, BOB)}, "Pays.")
    _, name = block.block(acme, [person_id(acme, one) for one in (ADA, BOB, DAN)], "Picked")
    never_contact.add(acme, [("person", ADA)], "Asked not to be contacted.")
    assert block.BLOCKED.undo(acme, name) == (1, 0)
    assert kept_entries() == [(ADA, ""), (BOB, "payments")]


def test_who_goes_on_or_is_changed_meanwhile_is_held_still(acme: Workspace, clock: Movable) -> None:
    """Nothing is done for them; they go on as someone wished when it is taken back, unless another entry names them."""
    campaign = a_campaign(acme, [ADA, BOB, DAN, EVE])
    never_contact.add(acme, ["gone.example"])
    for one in (ADA, BOB):
        campaign_leads.pause(acme, campaign.id, everyone(campaign)[one].id)
    before = states(campaign)[DAN]
    _, name = block.block(acme, [person_id(acme, one) for one in (ADA, DAN, EVE)], "Picked")
    block.block(acme, [person_id(acme, BOB)], "Picked")
    for one in (ADA, BOB):
        campaign_leads.resume(acme, campaign.id, everyone(campaign)[one].id)
    edit.change(acme, everyone(campaign)[DAN].lead_id, {"phone": "1"})
    edit.change(acme, everyone(campaign)[EVE].lead_id, {"email": "eve@gone.example"})
    forward(acme, days=7)
    assert ledger(acme) == []
    assert {states(campaign)[one] for one in (ADA, BOB, DAN, EVE)} == {("paused", "never_contact")}
    block.BLOCKED.undo(acme, name)
    assert (states(campaign)[DAN], states(campaign)[EVE][0]) == (before, "excluded")
    clock.forward(minutes=10)
    jobs.run_due()
    assert [states(campaign)[one][0] for one in (ADA, BOB)] == ["pending", "excluded"]


@pytest.mark.postgres
def test_a_wish_while_another_is_taken_back_is_kept(app: Flask, acme: Workspace) -> None:
    """Whoever adds someone who is coming off the list at that moment waits, and then adds them."""
    if is_sqlite():
        pytest.skip("SQLite has one writer anyway.")
    _, name = block.block(acme, [person_id(acme, ADA)], "Picked")
    workspace_id = acme.id

    def add() -> AddedEntries:
        with app.app_context():
            return never_contact.add(session().get_one(Workspace, workspace_id), [("person", ADA)])

    waiting = sa.text("SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
    with ThreadPoolExecutor(1) as pool:
        with transaction() as current:
            block.BLOCKED.undo(acme, name)
            added = pool.submit(add)
            while not added.done() and not current.execute(waiting).first():
                pass
        assert (added.result().added, added.result().known) == (1, 0)
    assert not never_contact.is_empty(acme.id)


def test_who_is_picked_as_others_leave_is_held(
    acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes the others out comes to them only afterwards, and knows of it."""
    campaign = a_campaign(acme, [ADA, BOB])
    jobs.run_due()  # what the start of the campaign left to do
    never_contact.add(acme, [("person", ADA)])
    names: list[str] = []

    def between_two_batches() -> datetime:
        if not names and not in_transaction() and states(campaign)[ADA][0] == "excluded":
            names.append("")
            names[0] = block.block(acme, [person_id(acme, BOB)], "Picked")[1]
        return clock()

    monkeypatch.setattr(block, "BATCH", 1)
    use(between_two_batches)
    jobs.run_due(limit=1)
    assert states(campaign)[BOB] == ("paused", "never_contact")
    assert block.BLOCKED.undo(acme, names[0]) == (1, 0)
    assert states(campaign)[BOB][0] == "pending"


@pytest.mark.parametrize("approval", [False, True])
def test_who_joins_a_campaign_meanwhile_is_held_in_it(acme: Workspace, clock: Movable, approval: bool) -> None:
    """They go on as if nothing had been when it is taken back, with a draft where there are drafts; else they leave."""
    campaign = a_campaign(acme, [ADA, BOB, DAN, EVE], [email()], start=False, approval=approval)
    names = [block.block(acme, [person_id(acme, one)], "Picked")[1] for one in (ADA, BOB, EVE)]
    never_contact.add(acme, [f"{EVE}@example.com"])
    campaigns.start(acme, campaign.id)
    assert {states(campaign)[one] for one in (ADA, BOB, EVE)} == {("paused", "never_contact")}
    assert_counters_hold(campaign)
    clock.forward(minutes=5)
    block.BLOCKED.undo(acme, names[0])
    block.BLOCKED.undo(acme, names[2])
    assert len(drafts(acme)) == 2 * approval
    ada, dan = (everyone(campaign)[one] for one in (ADA, DAN))
    for column in ("state", "reason", "step", "part", "next_budget", "paused_from", "sender_id", "enrolled_at"):
        assert getattr(ada, column) == getattr(dan, column), column
    assert states(campaign)[EVE] == ("excluded", "never_contact")
    clock.forward(minutes=5)
    jobs.run_due()
    assert states(campaign)[BOB] == ("excluded", "never_contact")
    assert_counters_hold(campaign)


def test_who_joins_a_campaign_too_late_is_left_out(acme: Workspace, clock: Movable) -> None:
    """Someone sees to it already that they leave their campaigns, and knows of those only that were there before."""
    campaign = a_campaign(acme, [ADA], start=False)
    block.block(acme, [person_id(acme, ADA)], "Picked")
    clock.forward(minutes=10)
    assert len(claims.claim(Job, Job.due_at, clock(), limit=2, lease=jobs.LEASE)) == 2
    campaigns.start(acme, campaign.id)
    assert states(campaign)[ADA] == ("excluded", "never_contact")
