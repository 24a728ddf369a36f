"""Import the people of a search of the network into a list: read through a connected account, one page per turn.

What an account reads is written before the page is asked for, so that a limit holds whatever dies on the way. A page
is taken in one transaction with the place where the next begins: after a crash it is read again and counted once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import get_owned, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import leads, lists, profiles
from app.domain.leads.leads import AddResult
from app.domain.leads.profiles import InvalidProfile
from app.domain.people.people import Merge, ProfileFields
from app.domain.people.sources import Source
from app.domain.platform import jobs, locks
from app.domain.rules import limits, search_address
from app.domain.rules.limits import DAY, SEARCH_MOST, SEARCH_PAGE, WindowUsage
from app.domain.rules.planner import SenderView
from app.domain.rules.search_address import InvalidSearchAddress
from app.domain.senders import reference
from app.models.accounts import Account, AccountStatus, Channel
from app.models.jobs import Job
from app.models.leads import SEARCH_IMPORT, LeadList, SearchImport, SearchImportState, SearchRead
from app.models.people import SourceKind
from app.models.workspaces import Workspace
from app.ports import (
    AccountRef,
    FoundPerson,
    LoggedOut,
    NetworkSearch,
    Product,
    ProviderError,
    Refused,
    SearchAddress,
    SearchPage,
    Throttled,
)

KIND = "search_import"
USUAL = 250  # people of one import
KEPT = timedelta(days=30)  # what was read stays known for so long
LOOK_AGAIN, SANDBOX_LOOKS_AGAIN = timedelta(minutes=10), timedelta(seconds=5)
AFTER_TROUBLE, AFTER_SIGN_OUT = timedelta(minutes=10), timedelta(minutes=15)
GIVE_UP = timedelta(days=1)  # without an answer
SAID = {
    "network_limit": "The network asks this account to rest.",
    "daily_limit": "Today's search limit of this account is reached.",
    "gap": "",
}
SWITCHED_OFF = "This account is switched off."
NOT_ACTIVE = "Your workspace is paused or its subscription has ended."
SENDER_GONE = "The account that read this search was removed."
LIST_GONE = "The list was deleted."


@dataclass(frozen=True)
class Wait:
    """Why no page is read now, and until when."""

    reason: str
    until: datetime


@dataclass(frozen=True)
class Reading:
    """How many people an account read in searches within 24 hours, and as many as it may by now."""

    used: int
    most: int


def start(workspace: Workspace, list_id: int, account_id: int, address: str, most: int = USUAL) -> SearchImport:
    """Start reading a search into the list; raise InvalidRequest at the field that doesn't fit."""
    search = _search(workspace, address)
    with transaction() as current:
        lists.get_list(workspace, list_id, lock=True)
        account = _account(workspace, account_id)
        problems = [*_account_problems(account, search), *_most_problems(search, most)]
        same = (SearchImport.list_id == list_id, SearchImport.address == search.address)
        if current.scalar(sa.select(SearchImport.id).where(*same, SearchImport.state == SearchImportState.RUNNING)):
            problems.append(("address", "This search is being read into this list already."))
        if problems:
            raise InvalidRequest.of(*problems)
        found = SearchImport(
            workspace_id=workspace.id,
            list_id=list_id,
            account_id=account_id,
            address=search.address,
            kind=search.kind,
            most=most,
            state=SearchImportState.RUNNING,
            created_at=workspace.now(),
        )
        current.add(found)
        current.flush()
        jobs.add(workspace, KIND, str(found.id), {"import": found.id})
        return found


def _search(workspace: Workspace, address: str) -> SearchAddress:
    try:
        return search_address.read(address, sandbox=workspace.sandbox)
    except InvalidSearchAddress as refusal:
        raise InvalidRequest.of(("address", str(refusal))) from None


def _account(workspace: Workspace, account_id: int) -> Account:
    mine = (Account.id.in_(leads.valid_ids([account_id])), Account.workspace_id == workspace.id)
    found = session().scalars(sa.select(Account).where(*mine)).first()
    if found is None:
        raise InvalidRequest.of(("accountId", "Choose an account."))
    return found


def _account_problems(account: Account, search: SearchAddress) -> list[tuple[str, str]]:
    if account.channel != Channel.SOCIAL or ports.network_search(account.provider) is None:
        return [("accountId", "This sender can't search. Choose a social account.")]
    if account.status != AccountStatus.CONNECTED or not account.active:
        return [("accountId", "This account isn't connected and switched on. Reconnect it, or choose another.")]
    if search.product is Product.SALES_NAVIGATOR and not account.has_sales_navigator:
        return [("accountId", "This search needs Sales Navigator, which this account doesn't have.")]
    return []


def _most_problems(search: SearchAddress, most: int) -> list[tuple[str, str]]:
    shown = SEARCH_MOST[search.product]
    return [] if 1 <= most <= shown else [("most", f"Use a number from 1 to {shown:,}: LinkedIn shows no more.")]


def readers(workspace: Workspace) -> Sequence[Account]:
    """Return the social accounts that can read a search now, in the order they were connected."""
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id,
        Account.channel == Channel.SOCIAL,
        Account.status == AccountStatus.CONNECTED,
        Account.active.is_(True),
    )
    found = session().scalars(query.order_by(Account.id))
    return [account for account in found if ports.network_search(account.provider) is not None]


def get(workspace: Workspace, import_id: int, list_id: int | None = None) -> SearchImport:
    """Return the import (into that list, if one is given), or raise NotFound."""
    found = get_owned(SearchImport, workspace, import_id)
    return found if list_id in (None, found.list_id) else get_owned(SearchImport, workspace, 0)


def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """Select the imports of searches into a list."""
    mine = (SearchImport.workspace_id == workspace.id, SearchImport.list_id == list_id)
    return sa.select(SearchImport).where(*mine)


def cancel(workspace: Workspace, import_id: int) -> SearchImport:
    """Stop the import; people already added stay."""
    with transaction():
        found = get_owned(SearchImport, workspace, import_id, lock=True)
        _end(workspace, found, "cancel")
        return found


def moves(found: SearchImport) -> set[str]:
    """Return the actions allowed on the import now."""
    return {"cancel"} if SEARCH_IMPORT.allows(found, "cancel") else set()


def _end(workspace: Workspace, found: SearchImport, move: str, error: str = "") -> None:
    SEARCH_IMPORT.move(found, move)
    found.error, found.waits_for, found.waits_until = error, "", None
    found.finished_at = workspace.now()


def fail_import(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail an import whose job failed repeatedly, or was refused."""
    found = session().get(SearchImport, payload["import"], with_for_update=True, populate_existing=True)
    if found and SEARCH_IMPORT.allows(found, "fail"):
        _end(workspace, found, "fail", sentence)


def readings(workspace: Workspace, accounts: Iterable[Account]) -> dict[int, Reading]:
    """Return what each social account that can search has read, by id."""
    at = workspace.now()
    found = {}
    for account in accounts:
        if account.channel == Channel.SOCIAL and ports.network_search(account.provider) is not None:
            product = Product.SALES_NAVIGATOR if account.has_sales_navigator else Product.CLASSIC
            most = round(limits.ramp(limits.SEARCH, limits.SEARCH_LIMITS[product], account.ramp_from, at))
            found[account.id] = Reading(_used(account.id, at)[0].count, most)
    return found


def _used(account_id: int, at: datetime) -> tuple[WindowUsage, datetime | None]:
    """Return what the account read within 24 hours, and when it read last."""
    first, last = sa.func.min(SearchRead.at), sa.func.max(SearchRead.at)
    query = sa.select(sa.func.coalesce(sa.func.sum(SearchRead.people), 0), first, last)
    row = session().execute(query.where(SearchRead.account_id == account_id, SearchRead.at > at - DAY)).one()
    return WindowUsage(int(row[0]), 0, row[1]), row[2]


def read_next(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Read the next page of the import's search, or say what it waits for."""
    found = session().get(SearchImport, payload["import"], populate_existing=True)
    if found is None or found.state != SearchImportState.RUNNING:
        return None
    session().expunge(found)
    if found.waits_until and found.waits_until > workspace.now():
        return _until(workspace, found.waits_until)
    search = search_address.read(found.address, sandbox=workspace.sandbox)
    reserved = _reserve(workspace, found, search)
    if isinstance(reserved, Wait):
        return _wait(workspace, found, reserved)
    adapter, account, read_id = reserved
    jobs.renew_lease(job)
    try:
        shown = adapter.read(account, search, SEARCH_PAGE[search.product], found.cursor)
    except ProviderError as failure:
        return _after_failure(workspace, found, account, read_id, failure)
    jobs.renew_lease(job)
    return _take(workspace, found, read_id, shown)


def _reserve(
    workspace: Workspace, found: SearchImport, search: SearchAddress
) -> tuple[NetworkSearch, AccountRef, int] | Wait:
    """Count the next page against the account's limit, or return what stands in the way."""
    at = workspace.now()
    if not workspace.may_contact:
        return Wait(NOT_ACTIVE, at + AFTER_SIGN_OUT)
    with transaction() as current:
        mine = (Account.id == found.account_id, Account.workspace_id == workspace.id)
        account = current.scalars(sa.select(Account).where(*mine).with_for_update()).first()
        adapter = ports.network_search(account.provider) if account else None
        if account is None or adapter is None:
            raise InvalidRequest(SENDER_GONE)
        if account.status != AccountStatus.CONNECTED or not account.active:
            trouble = SWITCHED_OFF if account.status == AccountStatus.CONNECTED else account.status_reason
            return Wait(trouble or "This account isn't connected.", at + LOOK_AGAIN)
        used, last_at = _used(account.id, at)
        size = SEARCH_PAGE[search.product]
        day = SenderView.of(account, limits.Usage()).window.day_of(at)
        today = limits.search_target(search.product, account_id=account.id, day=day, ramp_from=account.ramp_from, at=at)
        stop = limits.search_throttle(
            today,
            used,
            size,
            last_at=last_at,
            account_id=account.id,
            rests=account.rests.get(limits.SEARCH, ""),
            at=at,
        )
        if stop:
            return Wait(SAID[stop.code], stop.until or at + LOOK_AGAIN)
        current.execute(sa.delete(SearchRead).where(SearchRead.account_id == account.id, SearchRead.at < at - KEPT))
        read = SearchRead(workspace_id=workspace.id, account_id=account.id, at=at, people=size)
        current.add(read)
        current.flush()
        return adapter, reference.to_account_ref(account, at), read.id


def _wait(workspace: Workspace, found: SearchImport, wait: Wait, **changes: Any) -> timedelta:
    """Write down what the import waits for."""
    _change(found, waits_for=wait.reason, waits_until=wait.until, **changes)
    return _until(workspace, wait.until)


def _until(workspace: Workspace, until: datetime) -> timedelta:
    """Return after how long a waiting import is looked at again."""
    most = SANDBOX_LOOKS_AGAIN if workspace.sandbox else LOOK_AGAIN  # a sandbox's clock can be moved forward
    return max(timedelta(seconds=1), min(until - workspace.now(), most))


def _change(found: SearchImport, **values: Any) -> bool:
    """Change the import if it still stands where this turn found it; return whether it does."""
    guarded = (
        SearchImport.id == found.id,
        SearchImport.state == SearchImportState.RUNNING,
        SearchImport.pages == found.pages,
    )
    with transaction() as current:
        change = sa.update(SearchImport).where(*guarded).values(values)
        changed: Any = current.execute(change.execution_options(synchronize_session=False))
        return bool(changed.rowcount)


def _after_failure(
    workspace: Workspace, found: SearchImport, account: AccountRef, read_id: int, failure: ProviderError
) -> object:
    """Wait, or give up. What surely had no effect is not counted."""
    at = workspace.now()
    if not isinstance(failure, ports.Unknown):
        with transaction() as current:
            current.execute(sa.delete(SearchRead).where(SearchRead.id == read_id))
    if isinstance(failure, Refused):
        raise InvalidRequest(failure.sentence)
    if isinstance(failure, Throttled):
        until = at + timedelta(seconds=failure.retry_after)
        _rest(account.id, until)
        return _wait(workspace, found, Wait(failure.sentence, until), failing_since=None)
    if isinstance(failure, LoggedOut):
        return _wait(workspace, found, Wait(failure.sentence, at + AFTER_SIGN_OUT), failing_since=None)
    since = found.failing_since or at
    if at - since > GIVE_UP:
        raise InvalidRequest(failure.sentence)
    return _wait(workspace, found, Wait(failure.sentence, at + AFTER_TROUBLE), failing_since=since)


def _rest(account_id: int, until: datetime) -> None:
    """Let every search through this account rest."""
    with transaction() as current:
        account = current.get_one(Account, account_id, populate_existing=True, with_for_update=True)
        account.rests = {**account.rests, limits.SEARCH: until.isoformat()}


def _take(workspace: Workspace, found: SearchImport, read_id: int, shown: SearchPage) -> object:
    """Add the people of a page to the list, and go on or end."""
    people = shown.people[: found.most - found.read]
    hidden = min(shown.hidden, found.most - found.read - len(people))
    result = AddResult(invalid=hidden)
    given = _profiles(people, result)
    read = found.read + len(people) + hidden
    over = not shown.cursor or shown.cursor == found.cursor or not (shown.people or shown.hidden) or read >= found.most
    place = {"cursor": shown.cursor, "pages": found.pages + 1, "read": read, "total": shown.total}
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        into = current.get(LeadList, found.list_id, with_for_update=True)
        if into is None or into.deleted_at is not None:
            raise InvalidRequest(LIST_GONE)
        count = sa.update(SearchRead).where(SearchRead.id == read_id).values(people=len(shown.people) + shown.hidden)
        current.execute(count.execution_options(synchronize_session=False))
        if not _change(found, **place, waits_for="", waits_until=None, failing_since=None):
            return None
        source = Source(SourceKind.SEARCH, text.shorten(found.address, text.LONGEST_NAME))
        leads.upsert(workspace, into, given, result, source, leads.way_of_merging(workspace, Merge.FILL))
        ours = get_owned(SearchImport, workspace, found.id, lock=True)
        for name in ("added", "updated", "skipped", "invalid"):
            setattr(ours, name, getattr(ours, name) + getattr(result, name))
        if over:
            _end(workspace, ours, "finish")
    return None if over else timedelta(seconds=1)


def _profiles(people: Sequence[FoundPerson], result: AddResult) -> list[ProfileFields]:
    """Return the profiles of the people; one that can't be taken is counted."""
    given = []
    for one in people:
        told = {
            "publicId": one.public_id,
            "profileUrl": one.profile_url,
            "firstName": one.first_name,
            "lastName": one.last_name,
            "headline": one.headline,
            "position": one.title,
            "companyName": one.company,
            "location": one.location,
        }
        short = {name: text.shorten(value, profiles.TEXTS[name][1]) for name, value in told.items() if value}
        try:
            given.append(profiles.read(short).fields | {"member_id": text.public_id(one.member_id)})
        except InvalidProfile:
            result.invalid += 1
    return given
