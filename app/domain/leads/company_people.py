"""Look up the people of listed companies: those known already, and further ones in a search of the network."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from app.core.db import in_list, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import leads, listed_companies, lists, search_address, search_import
from app.domain.leads.leads import AddResult
from app.domain.people import sources
from app.domain.people.people import Merge
from app.models.leads import LeadList, ListedCompany, SearchImport, SearchImportState
from app.models.people import SourceKind
from app.models.workspaces import Workspace

MOST_COMPANIES = 50  # in one request: each company is a search of its own
MOST_KNOWN = 1000  # known people of one company that are added
LONGEST_TITLE = 100
USUAL = 25  # people to read of a company


@dataclass
class Found:
    """What a look-up did: known people in the list, and the searches that were started; some were read already."""

    list_id: int  # where the people go
    known: AddResult = field(default_factory=AddResult)
    searches: list[SearchImport] = field(default_factory=list)
    running: int = 0


def look_up(
    workspace: Workspace,
    list_id: int,
    company_ids: Sequence[int],
    into_id: int | None,
    *,
    name: str = "",
    known: bool = True,
    account_id: int | None = None,
    title: str = "",
    most: int = USUAL,
) -> Found:
    """Add the known people of these companies to a list of people, and search for others through an account.

    Without `into_id` they go to a new list with that name. Raise InvalidRequest at what doesn't fit; nothing is done
    then.
    """
    with transaction():
        listed_companies.get_list(workspace, list_id)
        companies = listed_companies.get_many(workspace, list_id, company_ids)
        _check(companies, company_ids, known or account_id is not None, title)
        made = lists.create_list(workspace, name) if into_id is None else None
        into = made or lists.people_list(workspace, into_id or 0, lock=True)
        result = Found(into.id)
        if known:
            for company in companies:
                _add_known(workspace, into, company, result.known)
        if account_id is not None:
            for company in companies:
                _search(workspace, into.id, company, account_id, title, most, result)
        return result


def _check(companies: Sequence[ListedCompany], company_ids: Sequence[int], asked: bool, title: str) -> None:
    problems = []
    if not companies or len(companies) < len(set(company_ids)):
        problems.append(("companyIds", "Choose companies in this list."))
    if len(companies) > MOST_COMPANIES:
        problems.append(("companyIds", f"Choose at most {MOST_COMPANIES} companies at once."))
    if not asked:
        problems.append(("accountId", "Choose an account to search with, or add people you already know."))
    if len(title) > LONGEST_TITLE:
        problems.append(("title", f"Use at most {LONGEST_TITLE} characters."))
    InvalidRequest.raise_for(problems)


def _add_known(workspace: Workspace, into: LeadList, company: ListedCompany, result: AddResult) -> None:
    people = listed_companies.known_people(workspace, company, MOST_KNOWN)
    given = [{"public_id": one.public_id} if one.public_id else {"email": one.email} for one in people if one.handle]
    leads.upsert(workspace, into, given, result, sources.by_actor(SourceKind.HAND), Merge.KEEP)


def _search(
    workspace: Workspace,
    into_id: int,
    company: ListedCompany,
    account_id: int,
    title: str,
    most: int,
    result: Found,
) -> None:
    address = search_address.of_company(company.name or company.domain.partition(".")[0], title)
    if search_import.is_running(into_id, address):
        result.running += 1
        return
    found = search_import.start(workspace, into_id, account_id, address, most)
    found.company_id = company.id
    result.searches.append(found)


def searches(workspace: Workspace, list_id: int, limit: int = 100) -> Sequence[tuple[SearchImport, ListedCompany]]:
    """Return the latest searches for people of a list's companies, those under way first."""
    under_way = SearchImport.state == SearchImportState.RUNNING
    query = (
        sa.select(SearchImport, ListedCompany)
        .join(ListedCompany, ListedCompany.id == SearchImport.company_id)
        .where(ListedCompany.list_id == list_id, SearchImport.workspace_id == workspace.id)
        .order_by(under_way.desc(), SearchImport.id.desc())
        .limit(limit)
    )
    return [(one, company) for one, company in session().execute(query)]


def searched(company_ids: Sequence[int]) -> dict[int, int]:
    """Return how many people were added by the searches for each of these companies."""
    added = sa.func.sum(SearchImport.added)
    query = sa.select(SearchImport.company_id, added).where(in_list(SearchImport.company_id, list(company_ids)))
    rows = session().execute(query.group_by(SearchImport.company_id))
    return {company_id: int(number) for company_id, number in rows if company_id}
