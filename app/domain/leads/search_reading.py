"""Read searches of the network through an account, a page at a time, within what the account may read in a day.

What an account reads is written before the page is asked for, so that a limit holds whatever dies on the way, and
whatever the page is read for: an import, or a monitor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import change_rows, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import leads, profiles, search_address
from app.domain.leads.leads import AddResult
from app.domain.leads.profiles import InvalidProfile
from app.domain.leads.search_address import InvalidSearchAddress
from app.domain.people.people import ProfileFields
from app.domain.rules import limits
from app.domain.rules.limits import DAY, SEARCH_PAGE, WindowUsage
from app.domain.rules.planner import SenderView
from app.domain.senders import provider_credentials
from app.models.accounts import Account, AccountStatus, Channel
from app.models.leads import SearchRead
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

KEPT = timedelta(days=30)  # records of reads are kept for so long
LOOK_AGAIN = timedelta(minutes=10)
AFTER_TROUBLE, AFTER_SIGN_OUT = timedelta(minutes=10), timedelta(minutes=15)
SAID = {
    "network_limit": "LinkedIn asked this account to slow down.",
    "daily_limit": "This account has reached today's search limit.",
    "gap": "",
}
SWITCHED_OFF = "This account is switched off."
NOT_ACTIVE = "Your workspace is suspended, or its subscription has ended."
SENDER_GONE = "The account used for this search has been removed."


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


@dataclass(frozen=True)
class Reserved:
    """A page that an account may read now, counted already."""

    adapter: NetworkSearch
    account: AccountRef
    search: SearchAddress
    read_id: int


def search_of(workspace: Workspace, address: str) -> SearchAddress:
    """Return the search of an address, or raise InvalidRequest that says why it is none."""
    try:
        return search_address.read(address, sandbox=workspace.sandbox)
    except InvalidSearchAddress as refusal:
        raise InvalidRequest.of(("address", str(refusal))) from None


def account_of(workspace: Workspace, account_id: int) -> Account:
    """Return the workspace's account, or raise InvalidRequest."""
    mine = (Account.id.in_(leads.valid_ids([account_id])), Account.workspace_id == workspace.id)
    found = session().scalars(sa.select(Account).where(*mine)).first()
    if found is None:
        raise InvalidRequest.of(("accountId", "Choose an account."))
    return found


def account_problems(account: Account, search: SearchAddress) -> list[tuple[str, str]]:
    """Return why the account can't read the search now."""
    if account.channel != Channel.SOCIAL or ports.network_search(account.provider) is None:
        return [("accountId", "This sender can't search. Choose a LinkedIn account.")]
    if account.status != AccountStatus.CONNECTED or not account.active:
        return [("accountId", "This account is off or disconnected. Reconnect the account, or choose another.")]
    if search.product is Product.SALES_NAVIGATOR and not account.has_sales_navigator:
        return [("accountId", "This search needs Sales Navigator, which this account doesn't have.")]
    return []


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
    """Return how many people the account read within 24 hours, and when it last read."""
    first, last = sa.func.min(SearchRead.at), sa.func.max(SearchRead.at)
    query = sa.select(sa.func.coalesce(sa.func.sum(SearchRead.people), 0), first, last)
    row = session().execute(query.where(SearchRead.account_id == account_id, SearchRead.at > at - DAY)).one()
    return WindowUsage(int(row[0]), 0, row[1]), row[2]


def reserve(workspace: Workspace, account_id: int | None, search: SearchAddress) -> Reserved | Wait:
    """Count the next page against the account's limit, or return what stands in the way."""
    at = workspace.now()
    if not workspace.may_contact:
        return Wait(NOT_ACTIVE, at + AFTER_SIGN_OUT)
    with transaction() as current:
        mine = (Account.id == account_id, Account.workspace_id == workspace.id)
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
        return Reserved(adapter, provider_credentials.to_account_ref(account, at), search, read.id)


def read(reserved: Reserved, cursor: str) -> SearchPage:
    """Read the page that begins there. Calls out."""
    return reserved.adapter.read(reserved.account, reserved.search, SEARCH_PAGE[reserved.search.product], cursor)


def count(reserved: Reserved, shown: SearchPage) -> None:
    """Record how many people the page had. Inside a transaction."""
    change = sa.update(SearchRead).where(SearchRead.id == reserved.read_id)
    change = change.values(people=len(shown.people) + shown.hidden)
    change_rows(change)


def wait_after(reserved: Reserved, failure: ProviderError, at: datetime) -> Wait:
    """Return when to try again, or raise the refusal. A page that surely was not read is not counted."""
    if not isinstance(failure, ports.Unknown):
        with transaction() as current:
            current.execute(sa.delete(SearchRead).where(SearchRead.id == reserved.read_id))
    if isinstance(failure, Refused):
        raise failure
    if isinstance(failure, Throttled):
        until = at + timedelta(seconds=failure.retry_after)
        _rest(reserved.account.id, until)
        return Wait(failure.sentence, until)
    return Wait(failure.sentence, at + (AFTER_SIGN_OUT if isinstance(failure, LoggedOut) else AFTER_TROUBLE))


def _rest(account_id: int, until: datetime) -> None:
    """Pause all searches through this account until that time."""
    with transaction() as current:
        account = current.get_one(Account, account_id, populate_existing=True, with_for_update=True)
        account.rests = {**account.rests, limits.SEARCH: until.isoformat()}


_NOT_OF_THE_NETWORK = ("companyUrl", "email")  # fields that LinkedIn's own search does not return


def profiles_of(people: Sequence[FoundPerson], result: AddResult) -> list[ProfileFields]:
    """Return the profiles of the people; one that can't be taken is counted."""
    given = []
    for one in people:
        told = {name: value for name, value in profiles.of_found(one).items() if name not in _NOT_OF_THE_NETWORK}
        try:
            given.append(profiles.read(profiles.shortened(told)).fields | {"member_id": text.public_id(one.member_id)})
        except InvalidProfile:
            result.invalid += 1
    return given
