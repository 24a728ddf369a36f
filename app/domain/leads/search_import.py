"""Import the people of a search of the network into a list: read through a connected account, one page per turn.

A page is taken in one transaction with the place where the next begins: after a crash it is read again and counted
once.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import change_rows, get_owned, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import leads, lists, search_address, search_reading
from app.domain.leads.leads import AddResult
from app.domain.leads.search_reading import LOOK_AGAIN, Reserved, Wait
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.domain.platform import jobs, locks
from app.domain.rules.limits import SEARCH_MOST
from app.domain.webhooks import import_events
from app.models.leads import SEARCH_IMPORT, LeadList, SearchImport, SearchImportState
from app.models.people import SourceKind
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import LoggedOut, ProviderError, Refused, SearchAddress, SearchPage, Throttled

KIND = "search_import"
USUAL = 250  # people of one import
SANDBOX_LOOKS_AGAIN = timedelta(seconds=5)
GIVE_UP = timedelta(days=1)  # of failures, after which the import ends
LIST_GONE = "The list was deleted."


def start(workspace: Workspace, list_id: int, account_id: int, address: str, most: int = USUAL) -> SearchImport:
    """Start reading a search into the list; raise InvalidRequest at the field that doesn't fit."""
    search = search_reading.search_of(workspace, address)
    with transaction() as current:
        lists.require_people(lists.get_list(workspace, list_id, lock=True))
        lists.check_may_fill(list_id)
        account = search_reading.account_of(workspace, account_id)
        problems = [*search_reading.account_problems(account, search), *_most_problems(search, most)]
        if is_running(list_id, search.address):
            problems.append(("address", "This search is already being imported into this list."))
        InvalidRequest.raise_for(problems)
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


def is_running(list_id: int, address: str) -> bool:
    """Return whether the search with that normalized address is being read into the list."""
    same = (SearchImport.list_id == list_id, SearchImport.address == address)
    under_way = sa.select(SearchImport.id).where(*same, SearchImport.state == SearchImportState.RUNNING)
    return session().scalar(under_way) is not None


def _most_problems(search: SearchAddress, most: int) -> list[tuple[str, str]]:
    shown = SEARCH_MOST[search.product]
    return [] if 1 <= most <= shown else [("most", f"Use a number from 1 to {shown:,}: LinkedIn doesn't show more.")]


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
    with locks.changing(workspace.id):
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
    import_events.tell(workspace, found)


def fail_import(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail an import whose job failed repeatedly, or was refused."""
    locks.lock_workspaces([workspace.id])
    found = session().get(SearchImport, payload["import"], with_for_update=True, populate_existing=True)
    if found and SEARCH_IMPORT.allows(found, "fail"):
        _end(workspace, found, "fail", sentence)


def read_next(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Read the next page of the import's search, or say what it waits for."""
    found = session().get(SearchImport, payload["import"], populate_existing=True)
    if found is None or found.state != SearchImportState.RUNNING:
        return None
    session().expunge(found)
    if found.waits_until and found.waits_until > workspace.now():
        return _until(workspace, found.waits_until)
    search = search_address.read(found.address, sandbox=workspace.sandbox)
    reserved = search_reading.reserve(workspace, found.account_id, search)
    if isinstance(reserved, Wait):
        return _wait(workspace, found, reserved)
    jobs.renew_lease(job)
    try:
        shown = search_reading.read(reserved, found.cursor)
    except ProviderError as failure:
        return _after_failure(workspace, found, reserved, failure)
    jobs.renew_lease(job)
    return _take(workspace, found, reserved, shown)


def _wait(workspace: Workspace, found: SearchImport, wait: Wait, **changes: Any) -> timedelta:
    """Record what the import waits for; return how long until the next look."""
    _change(found, waits_for=wait.reason, waits_until=wait.until, **changes)
    return _until(workspace, wait.until)


def _until(workspace: Workspace, until: datetime) -> timedelta:
    """Return how long until a waiting import is checked again."""
    most = SANDBOX_LOOKS_AGAIN if workspace.sandbox else LOOK_AGAIN  # a member may fast-forward a sandbox's clock
    return max(timedelta(seconds=1), min(until - workspace.now(), most))


def _change(found: SearchImport, **values: Any) -> bool:
    """Change the import if it still stands where this turn found it; return whether it does."""
    guarded = (
        SearchImport.id == found.id,
        SearchImport.state == SearchImportState.RUNNING,
        SearchImport.pages == found.pages,
    )
    with transaction():
        change = sa.update(SearchImport).where(*guarded).values(values)
        return bool(change_rows(change).rowcount)


def _after_failure(workspace: Workspace, found: SearchImport, reserved: Reserved, failure: ProviderError) -> object:
    """Wait, or give up after a day without an answer."""
    at = workspace.now()
    try:
        wait = search_reading.wait_after(reserved, failure, at)
    except Refused:
        raise InvalidRequest(failure.sentence) from None
    if isinstance(failure, Throttled | LoggedOut):
        return _wait(workspace, found, wait, failing_since=None)
    since = found.failing_since or at
    if at - since > GIVE_UP:
        raise InvalidRequest(failure.sentence)
    return _wait(workspace, found, wait, failing_since=since)


def _take(workspace: Workspace, found: SearchImport, reserved: Reserved, shown: SearchPage) -> object:
    """Add the people of a page to the list; continue with the next page, or end the import."""
    people = shown.people[: found.most - found.read]
    hidden = min(shown.hidden, found.most - found.read - len(people))
    result = AddResult(invalid=hidden)
    given = search_reading.profiles_of(people, result)
    read = found.read + len(people) + hidden
    over = not shown.cursor or shown.cursor == found.cursor or not (shown.people or shown.hidden) or read >= found.most
    place = {"cursor": shown.cursor, "pages": found.pages + 1, "read": read, "total": shown.total}
    with locks.changing(workspace.id) as current:
        into = current.get(LeadList, found.list_id, with_for_update=True)
        if into is None or into.deleted_at is not None:
            raise InvalidRequest(LIST_GONE)
        search_reading.count(reserved, shown)
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
