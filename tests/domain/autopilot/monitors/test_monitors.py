"""Monitors as members make and change them: what is checked, what is written down, and what stays."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.autopilot.monitors import found_people, monitors, reading
from app.domain.campaigns import campaigns
from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.leads import Lead
from app.models.monitors import MonitorPerson, MonitorState
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.autopilot.monitors.watching import a_monitor, again, look, rows
from tests.domain.outreach import a_campaign
from tests.support.movable import Movable
from tests.support.searches import OTHER, SALES


def fields(refused: pytest.ExceptionInfo[InvalidRequest]) -> dict[str, str]:
    return {one.path: one.message for one in refused.value.fields}


def kinds(acme: Workspace) -> list[str]:
    """The kinds of everything that the audit log says of monitors, in order."""
    ours = (AuditEntry.workspace_id == acme.id, AuditEntry.kind.startswith("monitor."))
    return list(session().scalars(sa.select(AuditEntry.kind).where(*ours).order_by(AuditEntry.id)))


def test_a_monitor_is_named_after_what_it_watches_and_there_is_a_most_of_them(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks once a day for twenty people, who wait for a decision, unless something else is said."""
    monitor = a_monitor(acme)
    assert (monitor.name, monitor.every, monitor.most_per_day) == ("People search: founder", "day", 20)
    assert (monitor.automatic, monitor.state, monitor.fills_campaign) == (False, MonitorState.ACTIVE, False)
    assert a_monitor(acme, kind="signal", name="  Hiring   now ").name == "Hiring now"
    assert a_monitor(acme, kind="signal").name == "Company is hiring"
    monkeypatch.setattr(monitors, "MOST_MONITORS", 3)
    with pytest.raises(Conflict, match="You already have 3 monitors"):
        a_monitor(acme)


def test_everything_wrong_is_told_at_once(acme: Workspace) -> None:
    ended = a_campaign(acme, start=False)
    campaigns.cancel(acme, ended.id)
    wrong: dict[str, Any] = {
        **{"kind": "search", "address": "https://example.com", "list_id": 999_999, "campaign_id": ended.id},
        **{"every": "week", "most_per_day": 0, "name": "x" * 300, "targeting": {"tribe": ["x"], "titles": ["y" * 101]}},
    }
    with pytest.raises(InvalidRequest) as refused:
        monitors.create(acme, **wrong)
    assert set(fields(refused)) == {
        *("address", "listId", "campaignId", "every", "mostPerDay", "name"),
        *("targeting.tribe", "targeting.titles"),
    }
    assert fields(refused)["campaignId"] == "This campaign has ended. Choose another."
    assert session().scalars(monitors.page(acme)).all() == []


def test_the_account_must_be_able_to_read_the_search(acme: Workspace, rival: Workspace) -> None:
    ines, mailbox = accounts.every(acme)[0], accounts.every(acme)[-1]
    watched = {"kind": "search", "list_id": lists.create_list(acme, "Watched").id}
    with transaction() as current:
        current.get_one(Account, ines.id).has_sales_navigator = False
    for account_id, address, said in (
        (ines.id, SALES, "This search needs Sales Navigator, which this account doesn't have."),
        (mailbox.id, OTHER, "This sender can't search. Choose a LinkedIn account."),
        (accounts.every(rival)[0].id, OTHER, "Choose an account."),
    ):
        with pytest.raises(InvalidRequest) as refused:
            monitors.create(acme, **watched, address=address, account_id=account_id)
        assert fields(refused) == {"accountId": said}


def test_a_change_of_one_thing_leaves_the_others(acme: Workspace, clock: Movable) -> None:
    """Also when the account is not connected just now: it may still be renamed."""
    monitor = a_monitor(acme, targeting={"titles": [" Founder ", "founder", ""]})
    assert monitor.targeting == {"titles": ["founder"]}
    with transaction() as current:
        account = current.get_one(Account, monitor.account_id)
        account.status = AccountStatus.DISCONNECTED
    monitors.change(acme, monitor.id, name="Founders", most_per_day=3)
    found = again(monitor)
    assert (found.name, found.most_per_day, found.targeting) == ("Founders", 3, {"titles": ["founder"]})
    with pytest.raises(InvalidRequest) as refused:
        monitors.change(acme, monitor.id, address=OTHER)
    assert "accountId" in fields(refused)
    assert again(monitor).address != OTHER


def test_a_search_stays_a_search_and_a_signal_needs_words(acme: Workspace) -> None:
    """Its own, for there are none of the autopilot; visitors of the own website are known without."""
    for monitor, change, said in (
        (a_monitor(acme), {"signal": "hiring"}, {"signal": "This monitor watches a search."}),
        (a_monitor(acme, kind="signal"), {"address": OTHER}, {"address": "This monitor watches a signal."}),
    ):
        with pytest.raises(InvalidRequest) as refused:
            monitors.change(acme, monitor.id, **change)
        assert fields(refused) == said
    with pytest.raises(InvalidRequest) as refused:
        a_monitor(acme, kind="signal", targeting={})
    assert "targeting" in fields(refused)
    visitors = a_monitor(acme, kind="signal", signal="siteVisitor", targeting={})
    with pytest.raises(InvalidRequest) as refused:
        monitors.change(acme, visitors.id, signal="funding")
    assert "targeting" in fields(refused)


def test_each_change_is_written_down_once_and_a_paused_monitor_does_not_look(acme: Workspace, clock: Movable) -> None:
    """Nor can it be told to; resumed, it looks at once. Deleted, it forgets those who waited; whom it added stays."""
    monitor = a_monitor(acme)
    for _ in range(2):
        monitors.change(acme, monitor.id, name="Founders")
    for _ in range(2):
        monitors.set_automatic(acme, monitor.id, True)
    monitors.set_automatic(acme, monitor.id, False)
    monitors.pause(acme, monitor.id)
    clock.forward(days=3)
    assert reading.due(10) == []
    with pytest.raises(Conflict, match="This monitor is paused"):
        monitors.run_now(acme, monitor.id)
    assert monitors.resume(acme, monitor.id).due_at == clock.at
    assert monitors.moves(again(monitor)) == {"pause", "run"}
    look(clock, monitor)
    found_people.decide(acme, monitor.id, True, [rows(monitor)[0].id])
    monitors.delete(acme, monitor.id)
    assert session().scalar(sa.select(sa.func.count()).select_from(MonitorPerson)) == 0
    assert session().scalar(sa.select(sa.func.count()).select_from(Lead)) == 1
    with pytest.raises(NotFound):
        monitors.get(acme, monitor.id)
    moves = ("created", "changed", "automatic", "automatic", "paused", "resumed", "accepted", "deleted")
    assert kinds(acme) == [f"monitor.{what}" for what in moves]
