"""The companies of a list: each once, known by its domain, else by its name without the legal form."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from app.core import text
from app.core.db import execute_many, get_owned, has_every_word, in_list, in_pages, session, transaction, update_each
from app.core.errors import InvalidRequest, NotFound
from app.domain.leads import leads, lists, profiles
from app.domain.leads.leads import AddResult
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import company_identity
from app.domain.people.exclusions import company_holds
from app.domain.people.exclusions.company_holds import Company
from app.domain.platform import audit_log
from app.models.leads import Lead, LeadList, ListedCompany, ListType
from app.models.people import Person
from app.models.workspaces import Workspace

MOST_GIVEN = 1000
LONGEST_NAME, LONGEST_WEBSITE = profiles.TEXTS["companyName"][1], profiles.TEXTS["companyUrl"][1]
MOST_COUNTED = 1000
NAMELESS = "Enter the company's name or website."
_CHUNK = 1000
_TABLE = cast(sa.Table, ListedCompany.__table__)


class Given(NamedTuple):
    """A company as it is given: what is known of it, and what is wrong with the rest (field, sentence)."""

    name: str
    domain: str
    problems: Sequence[tuple[str, str]] = ()


def read(name: str, website: str, fields: tuple[str, str] = ("name", "website")) -> Given:
    """Return the company; raise InvalidProfile when nothing names it. A wrong website is left out if it has a name."""
    name, website = text.squeeze(name), website.strip()
    domain = company_identity.own_domain(website) if website and len(website) <= LONGEST_WEBSITE else ""
    problems = []
    if len(name) > LONGEST_NAME or not text.is_text(name):
        problems.append((fields[0], f"Use a name of at most {LONGEST_NAME} characters."))
        name = ""
    if website and not domain:
        problems.append((fields[1], "Use the company's own website, such as acme.com."))
    if not name and not domain:
        raise InvalidProfile(problems[0][1] if problems else NAMELESS)
    return Given(name, domain, problems)


def get_list(workspace: Workspace, list_id: int, *, lock: bool = False) -> LeadList:
    """Return the list of companies; raise NotFound, or InvalidRequest on `id` for a list of people."""
    found = lists.get_list(workspace, list_id, lock=lock)
    if found.type != ListType.COMPANIES:
        raise InvalidRequest.of(("id", f"“{found.name}” is a list of people, not of companies."))
    return found


def get(workspace: Workspace, list_id: int, company_id: int) -> ListedCompany:
    """Return a company of the list, or raise NotFound."""
    found = get_owned(ListedCompany, workspace, company_id)
    if found.list_id != get_list(workspace, list_id).id:
        raise NotFound("Company not found in this list.")
    return found


def get_many(workspace: Workspace, list_id: int, company_ids: Sequence[int]) -> Sequence[ListedCompany]:
    """Return those of the companies that are in the list."""
    ours = (ListedCompany.list_id == list_id, ListedCompany.workspace_id == workspace.id)
    chosen = in_list(ListedCompany.id, leads.valid_ids(company_ids))
    return session().scalars(sa.select(ListedCompany).where(*ours, chosen).order_by(ListedCompany.id)).all()


def of_list(workspace: Workspace, list_id: int, q: str = "") -> sa.Select[Any]:
    """Select the companies of a list whose name or domain has every word of `q`; all without it."""
    found = get_list(workspace, list_id)
    query = sa.select(ListedCompany).where(ListedCompany.list_id == found.id)
    return query.where(*has_every_word((ListedCompany.name, ListedCompany.domain), q))


def add(workspace: Workspace, list_id: int, given: Sequence[Mapping[str, str]]) -> AddResult:
    """Add the companies to the list, each once; each has a `name`, a `website`, or both."""
    if len(given) > MOST_GIVEN:
        raise InvalidRequest.of(("companies", f"Send at most {MOST_GIVEN:,} companies at once."))
    companies, result = leads.read_each(given, lambda one: read(one.get("name", ""), one.get("website", "")))
    with transaction():
        into = get_list(workspace, list_id, lock=True)
        upsert(workspace, into, companies, result)
    return result


def add_lines(workspace: Workspace, list_id: int, written: str) -> tuple[AddResult, list[tuple[int, str, str]]]:
    """Add companies by pasted lines, each a website, a name, or both with a comma between.

    Return what is wrong with which line: (line number, line, sentence).
    """
    lines = [(number, line.strip()) for number, line in enumerate(written.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidRequest.of(("companies", "Enter at least one company."))
    if len(lines) > MOST_GIVEN:
        raise InvalidRequest.of(("companies", f"Enter at most {MOST_GIVEN:,} lines at once."))
    result = add(workspace, list_id, [_pasted(line) for _, line in lines])
    return result, [(*lines[one.at], one.message) for one in result.problems]


def _pasted(line: str) -> dict[str, str]:
    """Return what a line says: `acme.com`, `Acme Ltd`, or `Acme Ltd, acme.com`."""
    before, sep, after = (part.strip() for part in line.rpartition(","))
    if sep and _is_website(after):
        return {"name": before, "website": after}
    return {"website": line} if _is_website(line) else {"name": line}


def _is_website(word: str) -> bool:
    return "." in word.strip(".") and " " not in word and bool(text.domain(word))


def upsert(workspace: Workspace, into: LeadList, given: Sequence[Given], result: AddResult) -> None:
    """Do the work of `add` for companies that were read and count it in `result`, in a transaction that locks the list.

    A company is joined with one of the same domain, else with one of the same name where a domain is missing.
    """
    known = _Known(into, given)
    fresh: list[dict[str, Any]] = []
    changed: dict[int, dict[str, Any]] = {}
    common = {"workspace_id": workspace.id, "list_id": into.id, "created_at": workspace.now()}
    for one in given:
        key = company_identity.name_key(one.name)
        row = known.find(one.domain, key)
        if row is None:
            row = {**common, "id": None, "name": one.name, "domain": one.domain, "name_key": key}
            fresh.append(row)
            result.added += 1
        elif more := _more(row, one, key):
            row |= more
            if row["id"] is not None:
                changed[row["id"]] = row
            result.updated += 1
        else:
            result.skipped += 1
        known.put(row)
    execute_many(sa.insert(_TABLE), [{name: value for name, value in row.items() if name != "id"} for row in fresh])
    columns = ("id", "name", "domain", "name_key")
    update_each(ListedCompany, ({name: row[name] for name in columns} for row in changed.values()))
    lists.change_size(into.id, len(fresh))


def _more(row: Mapping[str, Any], given: Given, key: str) -> dict[str, str]:
    """Return what the given company adds to a known one: only what is missing."""
    more = {} if row["name"] or not given.name else {"name": given.name, "name_key": key}
    return more if row["domain"] or not given.domain else more | {"domain": given.domain}


class _Known:
    """An index of the list's companies by domain and by name, to match the given companies with."""

    def __init__(self, into: LeadList, given: Sequence[Given]) -> None:
        self._by_domain: dict[str, dict[str, Any]] = {}
        self._by_key: dict[str, list[dict[str, Any]]] = {}
        named = {
            "domain": {one.domain for one in given},
            "name_key": {company_identity.name_key(one.name) for one in given},
        }
        for column, values in named.items():
            there = (_TABLE.c.list_id == into.id, in_list(_TABLE.c[column], sorted(values - {""})))
            for row in session().execute(sa.select(_TABLE).where(*there).order_by(_TABLE.c.id)):
                self.put(dict(row._mapping))

    def put(self, row: dict[str, Any]) -> None:
        """Remember the company."""
        if row["domain"]:
            row = self._by_domain.setdefault(row["domain"], row)
        same = self._by_key.setdefault(row["name_key"], []) if row["name_key"] else []
        if all(one is not row and (one["id"] is None or one["id"] != row["id"]) for one in same):
            same.append(row)

    def find(self, domain: str, key: str) -> dict[str, Any] | None:
        """Return the company with this domain, else one of this name where either has no domain."""
        if domain in self._by_domain:
            return self._by_domain[domain]
        same = self._by_key.get(key, []) if key else []
        return next((one for one in same if not domain or not one["domain"]), None)


def rows(workspace: Workspace, list_id: int, q: str = "") -> Iterator[list[str]]:
    """Yield the header, then each company, ready to import again."""
    query = of_list(workspace, list_id, q).with_only_columns(ListedCompany.id, ListedCompany.name, ListedCompany.domain)
    with transaction():
        audit_log.record(workspace, "export.list", get_list(workspace, list_id).name)
    yield ["name", "domain"]
    for found in in_pages(query, ListedCompany.id, _CHUNK):
        for row in found:
            yield [text.csv_cell(row.name), row.domain]


def people_of(workspace: Workspace, company: ListedCompany) -> sa.Select[Any]:
    """Select the leads of the people known at the company, in all lists."""
    theirs = company_holds.people_of(workspace.id, _company(company))
    query = sa.select(Lead).join(Lead.person).where(theirs, Lead.workspace_id == workspace.id)
    return query.where(Lead.deleted_at.is_(None))


def known_people(workspace: Workspace, company: ListedCompany, most: int) -> Sequence[Person]:
    """Return people known at the company, the oldest first."""
    theirs = company_holds.people_of(workspace.id, _company(company))
    query = sa.select(Person).where(theirs, Person.erased_at.is_(None)).order_by(Person.id).limit(most)
    return session().scalars(query).all()


def count_people(workspace: Workspace, companies: Sequence[ListedCompany]) -> dict[int, int]:
    """Return how many people are known at each company, by its id; of more, MOST_COUNTED and one."""
    found = {}
    for one in companies:
        some = sa.select(Person.id).where(company_holds.people_of(workspace.id, _company(one)))
        some = some.where(Person.erased_at.is_(None)).limit(MOST_COUNTED + 1)
        found[one.id] = session().scalar(sa.select(sa.func.count()).select_from(some.subquery())) or 0
    return found


def _company(row: ListedCompany) -> Company:
    return Company(row.domain, row.name_key)
