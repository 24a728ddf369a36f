"""Changes of everyone whom a filter finds: in batches, once, for the right people, and undone."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import Conflict, InvalidRequest
from app.core.paging import Window
from app.domain.campaigns import bulk_changes
from app.domain.leads import leads, lists
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.models.campaigns import CampaignLead
from app.models.leads import BulkChange, Lead, LeadList
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign

MANY = 23  # more than two batches


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_changes, "BATCH", 10)


@pytest.fixture
def many(acme: Workspace) -> LeadList:
    """A list of ours with more people than one batch takes, every third with an address."""
    found = lists.create_list(acme, "Many")
    given = [{"publicId": f"p{n}", "email": f"p{n}@a.example" if n % 3 == 0 else ""} for n in range(MANY)]
    leads.add(acme, found.id, given)
    return found


def tagged(workspace: Workspace, tag: str) -> int:
    session().expire_all()
    query = sa.select(Lead).where(Lead.workspace_id == workspace.id)
    return sum(tag in lead.tags for lead in session().scalars(query))


def finished(workspace: Workspace, change: BulkChange) -> BulkChange:
    jobs.run_due()
    session().expire_all()
    return bulk_changes.get(workspace, change.list_id, change.id)


def test_everyone_found_is_tagged_in_batches_and_it_is_undone(acme: Workspace, many: LeadList) -> None:
    """Who had the tag keeps it, who is added meanwhile does not get it."""
    first = session().scalars(lists.query_list(acme, many.id).order_by(Lead.id)).first()
    bulk_changes.start(acme, many.id, "tag", {"picked": [first.id]}, {"value": "VIP"})
    change = bulk_changes.start(acme, many.id, "tag", {}, {"value": "VIP"})
    assert (change.state, change.done, change.total) == ("running", bulk_changes.BATCH, MANY)
    leads.add(acme, many.id, [{"publicId": "late"}])
    with pytest.raises(Conflict, match="is running"):
        bulk_changes.start(acme, many.id, "tag", {}, {"value": "B"})
    change = finished(acme, change)
    assert (change.state, change.changed) == ("done", MANY - 1)
    assert tagged(acme, "VIP") == MANY
    bulk_changes.undo(acme, many.id, change.id)
    change = finished(acme, change)
    assert change.state == "undone"
    assert tagged(acme, "VIP") == 1
    assert change.about["undo"] == []
    with pytest.raises(Conflict, match="already"):
        bulk_changes.undo(acme, many.id, change.id)


def test_a_filter_says_who_is_meant(acme: Workspace, many: LeadList) -> None:
    """Only those with an address; then only those with the tag, although it is taken from them."""
    change = finished(acme, bulk_changes.start(acme, many.id, "tag", {"way": "email"}, {"value": "A"}))
    assert (change.changed, tagged(acme, "A")) == (8, 8)
    change = finished(acme, bulk_changes.start(acme, many.id, "untag", {"tag": "a"}, {"value": "A"}))
    assert (change.changed, tagged(acme, "A")) == (8, 0)
    bulk_changes.undo(acme, many.id, change.id)
    finished(acme, change)
    assert tagged(acme, "A") == 8
    with pytest.raises(Conflict, match="No one"):
        bulk_changes.start(acme, many.id, "tag", {"q": "unknown"}, {"value": "A"})


def test_people_are_moved_removed_or_blocked_and_come_back(acme: Workspace, many: LeadList) -> None:
    """Who is there already stays, both sizes are true, and each batch has its own undo."""
    other = lists.create_list(acme, "Other")
    leads.add(acme, other.id, [{"publicId": "p3"}])
    change = finished(acme, bulk_changes.start(acme, many.id, "move", {}, {"into": other.id}))
    assert change.changed == MANY - 1
    assert [lists.get_list(acme, one.id).lead_count for one in (many, other)] == [1, MANY]
    bulk_changes.undo(acme, many.id, change.id)
    finished(acme, change)
    assert [lists.get_list(acme, one.id).lead_count for one in (many, other)] == [MANY, 1]
    with pytest.raises(InvalidRequest):
        bulk_changes.start(acme, many.id, "move", {}, {"into": many.id})
    for verb in ("remove", "never"):
        change = finished(acme, bulk_changes.start(acme, many.id, verb, {}, {}))
        assert (change.state, change.changed) == ("done", MANY)
        gone = verb == "remove"
        assert lists.get_list(acme, many.id).lead_count == (0 if gone else MANY)
        assert never_contact.is_empty(acme.id) == gone
        bulk_changes.undo(acme, many.id, change.id)
        assert finished(acme, change).state == "undone"
        assert lists.get_list(acme, many.id).lead_count == MANY
        assert never_contact.is_empty(acme.id)


def test_people_join_a_campaign_and_leave_it(acme: Workspace) -> None:
    """An undo excludes those who joined, and no one who was in it before."""
    campaign = a_campaign(acme, [{"publicId": "ada"}], [INVITE])
    more = lists.create_list(acme, "More")
    leads.add(acme, more.id, [{"publicId": "ada"}, {"publicId": "bob"}])
    change = bulk_changes.start(acme, more.id, "campaign", {}, {"campaign": campaign.id})
    assert (change.state, change.changed) == ("done", 1)
    bulk_changes.undo(acme, more.id, change.id)
    session().expire_all()
    ours = sa.select(CampaignLead.state).where(CampaignLead.campaign_id == campaign.id).order_by(CampaignLead.id)
    assert [state == "excluded" for state in session().scalars(ours)] == [False, True]


def test_an_undo_ends_after_ten_minutes_and_what_makes_no_sense_is_refused(acme: Workspace, many: LeadList) -> None:
    wrong: list[tuple[str, dict[str, str]]] = [("tag", {}), ("tag", {"value": "x" * 51}), ("dance", {})]
    for verb, wanted in (*wrong, ("untag", {"value": " "})):
        with pytest.raises(InvalidRequest):
            bulk_changes.start(acme, many.id, verb, {}, wanted)
    change = finished(acme, bulk_changes.start(acme, many.id, "tag", {}, {"value": "A"}))
    change.created_at -= timedelta(minutes=11)
    session().commit()
    with pytest.raises(Conflict, match="too late"):
        bulk_changes.undo(acme, many.id, change.id)


def test_people_are_sorted_page_by_page(acme: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties follow their ids, those without a value come last in either direction, and no one twice."""
    found = lists.create_list(acme, "Sorted")
    firms = ["beta", "", "alpha", "beta", "", "gamma", "beta"]
    leads.add(acme, found.id, [{"publicId": f"p{n}", "companyName": firm} for n, firm in enumerate(firms)])
    upward = ["alphap2", "betap0", "betap3", "betap6", "gammap5", "p1", "p4"]
    for most_sorted, downward in ((lists.MOST_SORTED, False), (lists.MOST_SORTED, True), (1, False), (1, True)):
        monkeypatch.setattr(lists, "MOST_SORTED", most_sorted)
        seen, cursor = list[str](), ""
        while not seen or cursor:
            page = lists.sorted_people(acme, found, Window(2, cursor, "here"), "company", downward)
            seen += [f"{lead.company_name}{lead.public_id}" for lead in page.rows]
            cursor = page.next_cursor
        assert seen == ([*upward[4::-1], "p4", "p1"] if downward else upward), (most_sorted, downward)
