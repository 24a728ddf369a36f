"""What monitors read: run by run, within the account's limits, through crashes, and what they say when it fails."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import session, transaction
from app.core.errors import AppError
from app.domain.autopilot.monitors import found_people, monitors, reading, watched_signals
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import lists, search_import
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign
from app.models.leads import LeadList, SearchRead
from app.models.monitors import Monitor, MonitorState
from app.models.workspaces import Workspace
from app.ports import LoggedOut, Refused, Throttled, Unreachable
from tests.domain.autopilot.monitors.watching import a_monitor, again, look, rows
from tests.domain.autopilot.writers import NoOne, raises, search_at
from tests.domain.outreach import a_campaign
from tests.support.movable import Movable
from tests.support.searches import OTHER, Shown, showing


class Killed(BaseException):
    """The process dies here."""


@pytest.fixture
def shown() -> Iterator[Shown]:
    """What the network shows."""
    with showing(Shown()) as shown:
        yield shown


@pytest.fixture
def ines(acme: Workspace) -> Account:
    """An account of ours, no beginner."""
    return accounts.every(acme)[0]


def people_read(account: Account) -> int:
    query = sa.select(sa.func.coalesce(sa.func.sum(SearchRead.people), 0)).where(SearchRead.account_id == account.id)
    return int(session().scalar(query) or 0)


def test_a_run_takes_as_many_new_people_as_a_day_may_have(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """The next day it goes on where it stopped, and finds no one twice."""
    monitor = a_monitor(acme, most_per_day=12)
    begun = clock.at
    found = look(clock, monitor)
    assert [row.handle for row in rows(monitor, "held")] == [f"ada-{number}" for number in range(12)]
    assert (found.run_found, found.note) == (12, "Today's limit of 12 new people was reached.")
    assert found.due_at == begun + timedelta(days=1)
    look(clock, monitor)
    assert [row.handle for row in rows(monitor, "held")] == [f"ada-{number}" for number in range(24)]
    # The address decides how far it was read: another one is read from its beginning, another name is not.
    assert again(monitor).cursor == "20"
    monitors.change(acme, monitor.id, name="Bakers")
    assert again(monitor).cursor == "20"
    monitors.change(acme, monitor.id, address=OTHER)
    assert (again(monitor).cursor, again(monitor).address) == ("", OTHER)


def test_an_hourly_monitor_keeps_to_the_day_of_the_workspace(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """When the day's people are found, it looks again tomorrow, in the time zone of the workspace."""
    with transaction() as current:
        current.get_one(Workspace, acme.id).timezone = "Asia/Tokyo"
    monitor = a_monitor(acme, most_per_day=5, every="hour")
    assert look(clock, monitor).due_at == clock.at.replace(hour=15, minute=0, second=0, microsecond=0)
    assert look(clock, monitor).run_found == 5
    shown.people = 8
    clock.forward(days=1)
    found = look(clock, monitor)
    assert found.due_at is not None
    assert found.run_at is not None
    assert (found.run_found, found.due_at - found.run_at) == (0, timedelta(hours=1))


def test_a_run_reads_only_some_of_a_large_search(acme: Workspace, shown: Shown, clock: Movable, ines: Account) -> None:
    """After the end it begins again, and finds who is new anywhere in it."""
    shown.people = 150
    monitor = a_monitor(acme, most_per_day=200)
    assert look(clock, monitor).run_read == reading.MOST_READ
    found = look(clock, monitor)
    assert (found.run_read, found.run_found, found.cursor) == (50, 50, "")
    shown.people = 152
    assert look(clock, monitor).run_found == 0
    assert look(clock, monitor).run_found == 2
    assert people_read(ines) == 302


def test_a_monitor_waits_out_what_passes(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """Also a bug of ours and a dead worker: a page is read again, not before its lease ends, and counted once."""
    for failure, after in (
        (Throttled("Slow down.", 7200), timedelta(hours=2)),
        (LoggedOut("Sign in again."), timedelta(minutes=15)),
        (Unreachable("LinkedIn does not answer."), timedelta(minutes=10)),
        (ValueError("a bug"), None),
    ):
        shown.before = raises(failure)
        monitor = a_monitor(acme, most_per_day=5)
        reading.run_due()
        found = again(monitor)
        assert (found.note, found.state) == (getattr(failure, "sentence", reading.BROKEN), MonitorState.ACTIVE)
        assert found.claimed_until is None
        assert after is None or found.due_at == clock.at + after
        shown.before = lambda: None
        assert look(clock, monitor).run_found == 5
        assert again(monitor).note == "Today's limit of 5 new people was reached."
        monitors.delete(acme, monitor.id)
        clock.forward(hours=3)
    monitor = a_monitor(acme, most_per_day=5)
    shown.after = raises(Killed())
    with pytest.raises(Killed):
        reading.run_due()
    shown.after = lambda: None
    assert reading.run_due() == 0
    clock.forward(minutes=3)
    found = look(clock, monitor)
    assert (found.run_found, len(rows(monitor))) == (5, 5)


def test_what_an_account_or_a_workspace_cannot_do_now_is_said_and_waited_for(
    acme: Workspace, shown: Shown, clock: Movable, ines: Account
) -> None:
    """An account that was signed out, and a workspace that may contact no one."""
    monitor = a_monitor(acme, most_per_day=5)
    with transaction() as current:
        account = current.get_one(Account, ines.id)
        account.status, account.status_reason = AccountStatus.DISCONNECTED, "Ines was signed out."
    reading.run_due()
    assert (again(monitor).note, shown.asked) == ("Ines was signed out.", [])
    with transaction() as current:
        current.get_one(Account, ines.id).status = AccountStatus.CONNECTED
    assert look(clock, monitor).run_found == 5
    with transaction() as current:
        current.get_one(Workspace, acme.id).suspended_at = clock.at
    other, before = a_monitor(acme), len(shown.asked)
    reading.run_due()
    assert (again(other).note, len(shown.asked)) == (search_import.search_reading.NOT_ACTIVE, before)


def test_monitors_and_imports_share_the_limit_of_an_account(
    acme: Workspace, shown: Shown, clock: Movable, ines: Account
) -> None:
    """A monitor that waits for it says so, and until when."""
    with transaction() as current:
        current.add(SearchRead(workspace_id=acme.id, account_id=ines.id, at=acme.now(), people=495))
    monitor = a_monitor(acme)
    reading.run_due()
    found = again(monitor)
    assert (found.note, found.run_at) == (search_import.search_reading.SAID["daily_limit"], None)
    assert found.due_at == clock.at + timedelta(days=1)
    assert people_read(ines) == 495


def test_a_refused_search_ends_the_run_with_the_refusal(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """The next run tries again; a place in the search that is refused is forgotten first."""
    monitor = a_monitor(acme, most_per_day=15)
    look(clock, monitor)
    assert again(monitor).cursor == "10"
    shown.before = raises(Refused("This search is gone."))
    found = look(clock, monitor)
    assert [cursor for _, cursor in shown.asked[-2:]] == ["10", ""]
    assert (found.error, found.state, found.run_found) == ("This search is gone.", MonitorState.ACTIVE, 0)
    shown.before = lambda: None
    found = look(clock, monitor)
    assert (found.error, found.run_found) == ("", 15)


def test_a_monitor_that_lost_what_it_needs_stops_and_says_what_to_do(
    acme: Workspace, shown: Shown, clock: Movable
) -> None:
    no_list, no_account, no_campaign, over = (a_monitor(acme) for _ in range(4))
    lists.delete_list(acme, no_list.list_id or 0)
    with transaction() as current:
        current.execute(sa.update(Monitor).where(Monitor.id == no_account.id).values(account_id=None))
    gone, ended = (a_campaign(acme, start=False, name="Spring") for _ in range(2))
    monitors.change(acme, no_campaign.id, campaign_id=gone.id)
    campaigns.delete(acme, gone.id)
    monitors.change(acme, over.id, campaign_id=ended.id)
    campaigns.cancel(acme, ended.id)
    reading.run_due()
    for monitor, said in (
        (no_list, "The list was deleted."),
        (no_account, "The account used for this search has been removed."),
        (no_campaign, "The campaign was deleted."),
        (over, "The campaign “Spring” has ended."),
    ):
        found = again(monitor)
        assert (found.state, found.due_at) == (MonitorState.PAUSED, None)
        assert found.error.startswith(said)
        assert found.error.endswith("then resume.")
    assert shown.asked == []


def test_what_changes_while_a_page_is_read_counts(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """A page of a search that is not watched any more, or of a paused monitor, is dropped."""
    monitor = a_monitor(acme)

    def pause() -> None:
        monitors.pause(acme, monitor.id)

    shown.before = pause
    reading.run_due()
    assert (rows(monitor), again(monitor).state) == ([], MonitorState.PAUSED)
    shown.before = lambda: [monitors.change(acme, monitor.id, address=OTHER), None][1]
    monitors.resume(acme, monitor.id)
    reading.run_due()
    assert (rows(monitor), again(monitor).claimed_until) == ([], None)
    shown.before = lambda: None
    assert look(clock, monitor).run_found == 20
    # One turn of a monitor runs at a time.
    other = a_monitor(acme)
    meanwhile: list[int] = []
    shown.before = lambda: meanwhile.append(reading.run(other.id))
    clock.forward(hours=1)
    reading.run_due()
    assert meanwhile == [0]
    assert len(rows(other)) == 10


def test_every_signal_finds_people_in_a_sandbox(acme: Workspace, clock: Movable) -> None:
    """With what is known of them, and the words that matched."""
    for signal in watched_signals.SIGNALS:
        monitor = a_monitor(acme, kind="signal", signal=signal, most_per_day=1)
        assert look(clock, monitor).run_found == 1, signal
        monitors.delete(acme, monitor.id)
    monitor = a_monitor(acme, kind="signal", signal="hiring", most_per_day=4)
    look(clock, monitor)
    found = found_people.entries(acme, monitor, rows(monitor, "held"))
    assert len(found) == 4
    assert all(one.found.facts["opening"] and one.fit and one.fit.matched == 2 for one in found)
    assert again(monitor).note == "Today's limit of 4 new people was reached."


def test_a_service_that_fails_is_said(acme: Workspace, clock: Movable) -> None:
    """One that has no one is no failure."""
    for failure, note, error in (
        (Throttled("The budget is used up.", 3600), "The budget is used up.", ""),
        (Unreachable("It does not answer."), "It does not answer.", ""),
        (Refused("The key is wrong."), "", "The key is wrong."),
        (None, "", ""),
    ):
        if failure:
            search_at("find", raises(failure))
        else:
            ports.sandbox_people.connect(NoOne())
        monitor = a_monitor(acme, kind="signal")
        reading.run_due()
        found = again(monitor)
        assert (found.note, found.error, found.state) == (note, error, MonitorState.ACTIVE)
        monitors.delete(acme, monitor.id)


def test_time_that_is_skipped_has_its_runs(acme: Workspace) -> None:
    """In a sandbox, days later, there are the people of as many days."""
    monitor = a_monitor(acme, most_per_day=3)
    sandbox_clock.advance(acme, 24 * 4 - 1)
    assert len(rows(monitor, "held")) == 12
    due = again(monitor).due_at
    assert due is not None
    assert due > session().get_one(Workspace, acme.id).now()


def test_a_sandbox_ahead_of_time_is_noticed(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """What is due by its clock is due; what is not is not."""
    monitor = a_monitor(acme, most_per_day=3)
    look(clock, monitor)
    assert reading.due(10) == []
    with transaction() as current:
        current.get_one(Workspace, acme.id).clock_offset = 86400
    assert [one.key for one in reading.due(10)] == [monitor.id]
    assert reading.run_due() == 1


def test_a_campaign_that_a_monitor_fills_stays_open(acme: Workspace, clock: Movable) -> None:
    """Until the monitor is gone: then it finishes when all its people have."""
    campaign = a_campaign(acme, ["never-yan"], [{"type": "view_profile"}])
    monitor = a_monitor(acme, campaign_id=campaign.id, most_per_day=1)
    sandbox_clock.advance(acme, 24 * 30)
    assert session().get_one(Campaign, campaign.id).status == "running"
    assert lifecycle.due(10) == []
    monitors.delete(acme, monitor.id)
    lifecycle.run_due()
    session().expire_all()
    assert session().get_one(Campaign, campaign.id).status == "finished"


def test_an_automatic_monitor_waits_for_its_campaign(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """Nothing is read while no one can be added."""
    campaign = a_campaign(acme, name="Spring")
    monitor = a_monitor(acme, campaign_id=campaign.id, most_per_day=2)
    monitors.set_automatic(acme, monitor.id, True)
    campaigns.pause(acme, campaign.id)
    reading.run_due()
    assert (again(monitor).note, shown.asked) == ("The campaign “Spring” is paused, so no one can be added to it.", [])
    campaigns.resume(acme, campaign.id)
    assert look(clock, monitor).run_found == 2
    assert session().get_one(LeadList, monitor.list_id).lead_count == 2


def test_a_draft_can_only_be_filled_through_its_own_list(acme: Workspace, shown: Shown, clock: Movable) -> None:
    """Whom the campaign takes when it starts."""
    campaign = a_campaign(acme, start=False)
    other = a_monitor(acme, campaign_id=campaign.id)
    with pytest.raises(AppError):
        found_people.campaign_to_fill(acme, other)
    own = a_monitor(acme, campaign_id=campaign.id, list_id=campaign.list_id)
    assert found_people.campaign_to_fill(acme, own) is None
