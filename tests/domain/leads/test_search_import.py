"""Searches of the network on their way into a list: page by page, within an account's limits, through crashes."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.leads import leads, lists, search_import, search_reading
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.rules.limits import DAY, SEARCH_LIMITS
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.leads import Lead, LeadList, SearchImport, SearchImportState, SearchRead
from app.models.workspaces import Workspace
from app.ports import LoggedOut, Product, ProviderError, Refused, Throttled, Unknown, Unreachable
from tests.domain.autopilot.writers import raises
from tests.domain.outreach import told
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, OTHER, SALES, Shown, again, counts, read_out, showing, turn


class Killed(BaseException):
    """The process dies here."""


@pytest.fixture
def ines(acme: Workspace) -> Account:
    return accounts.every(acme)[0]


@pytest.fixture
def shown() -> Iterator[Shown]:
    with showing(Shown()) as shown:
        yield shown


def reads(account: Account) -> list[SearchRead]:
    query = sa.select(SearchRead).where(SearchRead.account_id == account.id).order_by(SearchRead.at)
    return list(session().scalars(query))


def most_in_a_day(account: Account) -> int:
    rows = reads(account)
    return max(sum(one.people for one in rows if end.at - DAY < one.at <= end.at) for end in rows)


def test_a_search_of_the_sandbox_fills_a_list(acme: Workspace, founders: LeadList, clock: Movable) -> None:
    """The same people for the same address; the counts add up to what was read, and the end is told."""
    account = accounts.every(acme)[0]
    found = search_import.start(acme, founders.id, account.id, ADDRESS + "&page=3", 60)
    read_out(acme, clock, found)
    found = again(found)
    assert (found.state, found.read, found.address) == (SearchImportState.DONE, 60, ADDRESS)
    assert sum(counts(found)) == 60
    assert found.invalid > 0
    assert lists.get_list(acme, founders.id).lead_count == found.added
    second = search_import.start(acme, founders.id, account.id, ADDRESS, 60)
    read_out(acme, clock, second)
    assert counts(again(second)) == (0, 0, found.added, found.invalid)
    data, _ = told(acme, "import_finished")
    assert (data["import"]["kind"], data["import"]["state"], data["import"]["fileName"]) == ("search", "done", None)
    assert (data["import"]["id"], data["import"]["added"]) == (found.id, again(found).added)


def test_people_arrive_with_what_the_network_shows(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    """Those on the do-not-contact list and those without a profile are left out."""
    shown.people, shown.hidden = 10, 4
    never_contact.add(acme, ["https://www.linkedin.com/in/ada-5"])
    leads.add(acme, founders.id, [{"publicId": "ada-1", "firstName": "Augusta"}])
    found = search_import.start(acme, founders.id, ines.id, ADDRESS)
    read_out(acme, clock, found)
    assert counts(again(found)) == (5, 1, 1, 3)
    lead = (
        session().scalars(sa.select(Lead).where(Lead.list_id == founders.id, Lead.person.has(public_id="ada-2"))).one()
    )
    assert (lead.name, lead.position, lead.company_name) == ("Ada Number2", "Founder", "Engine")


def test_no_account_reads_more_in_a_day_than_its_limit(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    """A search of a thousand takes days; meanwhile it says why and until when. Two imports share one limit."""
    first = search_import.start(acme, founders.id, ines.id, ADDRESS, 700)
    second = search_import.start(acme, founders.id, ines.id, OTHER, 300)
    read_out(acme, clock, first, second)
    assert [again(one).state for one in (first, second)] == [SearchImportState.DONE] * 2
    assert 0.6 * SEARCH_LIMITS[Product.CLASSIC] < most_in_a_day(ines) <= SEARCH_LIMITS[Product.CLASSIC]
    assert sum(one.people for one in reads(ines)) == 1000
    assert reads(ines)[-1].at - reads(ines)[0].at > DAY


def test_what_waits_for_the_limit_says_so(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    with transaction() as current:
        current.add(SearchRead(workspace_id=acme.id, account_id=ines.id, at=acme.now(), people=495))
    found = search_import.start(acme, founders.id, ines.id, ADDRESS)
    turn(clock)
    found = again(found)
    assert (found.waits_for, found.waits_until) == (
        "This account has reached today's search limit.",
        clock.at - timedelta(minutes=1) + DAY,
    )
    assert shown.asked == []
    assert search_reading.readings(acme, [ines])[ines.id].used == 495


def test_pages_are_read_at_the_pace_of_a_person(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    """Two imports through one account are no faster than one. A new account starts gently."""
    with transaction():
        ines.ramp_from = acme.now()
    imports = [search_import.start(acme, founders.id, ines.id, one, 100) for one in (ADDRESS, OTHER)]
    read_out(acme, clock, *imports)
    moments = [one.at for one in reads(ines)]
    assert len(moments) == 20
    assert min(later - sooner for sooner, later in pairwise(moments)) >= timedelta(seconds=15)
    assert most_in_a_day(ines) <= 0.3 * SEARCH_LIMITS[Product.CLASSIC]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_reader_goes_on_where_it_was(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable, moment: str
) -> None:
    """Everyone once; a page that was asked for twice counts twice against the limit."""

    def die() -> None:
        if len(shown.asked) == 2:
            raise Killed

    setattr(shown, moment, die)
    found = search_import.start(acme, founders.id, ines.id, ADDRESS, 40)
    turn(clock)
    with pytest.raises(Killed):
        for _ in range(4):
            turn(clock)
    session().rollback()
    clock.forward(minutes=5)
    read_out(acme, clock, found)
    assert counts(again(found)) == (40, 0, 0, 0)
    assert [cursor for _, cursor in shown.asked] == ["", "10", "10", "20", "30"]
    assert sum(one.people for one in reads(ines)) == 50


def test_a_network_that_asks_for_rest_gets_it_from_every_import(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    shown.before = raises(Throttled("This account has reached a LinkedIn limit.", 7200))
    first = search_import.start(acme, founders.id, ines.id, ADDRESS, 10)
    turn(clock)
    second = search_import.start(acme, founders.id, ines.id, OTHER, 10)
    turn(clock)
    assert again(first).waits_for == "This account has reached a LinkedIn limit."
    assert again(second).waits_for == "LinkedIn asked this account to slow down."
    assert len(shown.asked) == 1
    assert reads(ines) == []
    shown.before = lambda: None
    read_out(acme, clock, first, second)
    assert {again(one).state for one in (first, second)} == {SearchImportState.DONE}


def test_an_account_that_must_sign_in_is_waited_for(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    """Whether the search or the account says so, and no page is asked for meanwhile."""
    shown.before = raises(LoggedOut("A product of this account was signed out. Sign in again."))
    found = search_import.start(acme, founders.id, ines.id, ADDRESS, 20)
    turn(clock)
    assert again(found).waits_for.startswith("A product of this account")
    shown.before = lambda: None
    with transaction():
        ines.status, ines.status_reason = AccountStatus.CHALLENGED, "The sender needs a security check."
    clock.forward(hours=2)
    turn(clock)
    assert again(found).waits_for == "The sender needs a security check."
    accounts.switch(acme, ines.id, False)
    with transaction():
        ines.status = AccountStatus.CONNECTED
    clock.forward(hours=2)
    turn(clock)
    assert again(found).waits_for == "This account is switched off."
    assert len(shown.asked) == 1
    accounts.switch(acme, ines.id, True)
    read_out(acme, clock, found)
    assert counts(again(found)) == (20, 0, 0, 0)


def test_an_outage_of_hours_is_waited_for_and_one_of_days_ends_it(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    """What was added stays; an answer in between starts the waiting anew."""
    found = search_import.start(acme, founders.id, ines.id, ADDRESS, 30)
    failure: ProviderError = Unknown("The answer was lost.")
    turn(clock)
    shown.before = raises(failure)
    for _ in range(4):
        clock.forward(hours=5)
        turn(clock)
    assert again(found).waits_for == failure.sentence
    shown.before = lambda: None
    clock.forward(hours=3)
    turn(clock)
    assert (again(found).waits_for, again(found).read) == ("", 20)
    failure = Unreachable("Unipile answered 500.")
    shown.before = raises(failure)
    for _ in range(7):
        clock.forward(hours=5)
        turn(clock)
    assert (again(found).state, again(found).error, again(found).added) == ("failed", failure.sentence, 20)


def test_a_refused_search_and_one_that_turns_in_circles_end(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    shown.before = raises(Refused("This account's LinkedIn subscription doesn't include this action."))
    found = search_import.start(acme, founders.id, ines.id, ADDRESS)
    turn(clock)
    assert (again(found).state, again(found).error) == (
        "failed",
        "This account's LinkedIn subscription doesn't include this action.",
    )
    assert reads(ines) == []
    shown.before, shown.people = lambda: None, 0
    empty = search_import.start(acme, founders.id, ines.id, ADDRESS)
    read_out(acme, clock, empty, most=5)
    assert (again(empty).state, again(empty).read, again(empty).total) == ("done", 0, 0)
    orphan = search_import.start(acme, founders.id, ines.id, ADDRESS)
    with transaction() as current:
        current.execute(sa.update(SearchImport).where(SearchImport.id == orphan.id).values(account_id=None))
    turn(clock)
    assert again(orphan).error == "The account used for this search has been removed."
    assert jobs.run_due() == 0


def test_nothing_of_a_page_is_taken_once_the_import_was_stopped(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable
) -> None:
    found = search_import.start(acme, founders.id, ines.id, ADDRESS)
    shown.before = lambda: [search_import.cancel(acme, found.id), None][1]
    turn(clock)
    turn(clock)
    assert (again(found).state, counts(again(found))) == ("canceled", (0, 0, 0, 0))
    assert len(shown.asked) == 1
    assert lists.get_list(acme, founders.id).lead_count == 0
    with pytest.raises(Conflict, match="already canceled"):
        search_import.cancel(acme, found.id)


def test_a_deleted_list_and_a_full_plan_end_it(
    acme: Workspace, founders: LeadList, ines: Account, shown: Shown, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    search_import.start(acme, founders.id, ines.id, ADDRESS)
    turn(clock)
    shown.before = lambda: [lists.delete_list(acme, founders.id), None][1]
    for _ in range(4):
        turn(clock)
    running = sa.select(SearchImport.id).where(SearchImport.state == SearchImportState.RUNNING)
    assert session().scalars(running).all() == []
    assert len(shown.asked) == 2
    shown.before = lambda: None
    other = lists.create_list(acme, "Others")
    with transaction():
        acme.plan = "starter"
        other.lead_count = 9_995
    full = search_import.start(acme, other.id, ines.id, ADDRESS)
    clock.forward(minutes=2)
    turn(clock)
    assert again(full).state == "failed"
    assert again(full).error.startswith("Your plan (Starter) includes 10,000 people in lists.")


def test_a_search_that_does_not_fit_is_refused_at_its_field(
    acme: Workspace, rival: Workspace, founders: LeadList, ines: Account, shown: Shown
) -> None:
    def problems(account_id: int, address: str, most: int = 10) -> list[str]:
        with pytest.raises(InvalidRequest) as refusal:
            search_import.start(acme, founders.id, account_id, address, most)
        return [field.path for field in refusal.value.fields]

    mailbox = next(one for one in accounts.every(acme) if one.channel == "email")
    assert problems(ines.id, "https://www.linkedin.com/jobs/search/?keywords=a") == ["address"]
    assert problems(mailbox.id, ADDRESS) == ["accountId"]
    assert problems(ines.id, ADDRESS, 0) == problems(ines.id, ADDRESS, 1001) == ["most"]
    assert search_import.start(acme, founders.id, ines.id, SALES, 2500).kind == "saved_search"
    assert problems(ines.id, SALES + "&page=2") == ["address"]
    with transaction():
        ines.has_sales_navigator = False
    assert problems(ines.id, SALES.replace("17", "18")) == ["accountId"]
    accounts.switch(acme, ines.id, False)
    assert problems(ines.id, ADDRESS) == ["accountId"]
    theirs = accounts.every(rival)[0]
    assert problems(theirs.id, ADDRESS) == ["accountId"]
    with pytest.raises(NotFound):
        search_import.start(rival, founders.id, theirs.id, ADDRESS)
