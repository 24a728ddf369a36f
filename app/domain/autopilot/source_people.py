"""Store source people: visitors and former customers in a list, current customers on the do-not-contact list."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, session
from app.domain.autopilot import setup_state
from app.domain.leads import leads, lists
from app.domain.people import free_mail_hosts
from app.domain.people.exclusions import never_contact
from app.domain.people.sources import Source
from app.models.autopilot import SourceConnection
from app.models.leads import Lead, NeverContactKind
from app.models.people import Person, SourceKind
from app.models.workspaces import Workspace
from app.ports import Customer, Visitor

FORMER_LIST, VISITOR_LIST = "Former customers", "Site visitors"
CUSTOMER = "Your payments source lists this person as a customer."
COLLEAGUE = "Your payments source lists a customer at this company."
LONGEST = 200
_BATCH = 1000


def visitors(workspace: Workspace, source: SourceConnection, people: Sequence[Visitor]) -> None:
    """Put visitors on the visitors' list, with their last page and its time; leave our own people out."""
    own = text.domain(setup_state.get(workspace).website or "")
    latest: dict[str, Visitor] = {}
    for one in people:
        address = text.email(one.email)
        ours = own and address.endswith(("@" + own, "." + own))
        if address and not ours and (address not in latest or one.at > latest[address].at):
            latest[address] = one
    source.list_id = _list(workspace, source.list_id, VISITOR_LIST)
    found = {
        address: {"visited_page": one.page, "visited_on": one.at.date().isoformat()} for address, one in latest.items()
    }
    _put(workspace, source.list_id, latest, found)


def current(workspace: Workspace, source: SourceConnection, people: Sequence[Customer]) -> None:
    """Block current customers and their companies from outreach."""
    named: dict[tuple[str, str], str] = {}
    companies: dict[tuple[str, str], str] = {}
    for one in people:
        if address := text.email(one.email):
            named[NeverContactKind.EMAIL, address] = one.email
            if host := free_mail_hosts.company_host(address):
                companies[NeverContactKind.DOMAIN, host] = host
    never_contact.label_for(workspace, source.kind, source.run, named, CUSTOMER)
    never_contact.label_for(workspace, source.kind, source.run, companies, COLLEAGUE)


def no_other_customers(workspace: Workspace, source: SourceConnection) -> None:
    """Unblock customers not seen in this sync, and exclude current ones from all campaigns."""
    never_contact.replace_source(workspace, source.kind, source.run)


def former(workspace: Workspace, source: SourceConnection, people: Sequence[Customer]) -> None:
    """Put people on the former customers' list, with their last ended subscription; leave current customers out."""
    last: dict[str, Customer] = {}
    for one in people:
        address = text.email(one.email)
        if address and (address not in last or _day(one) > _day(last[address])):
            last[address] = one
    source.list_id = _list(workspace, source.list_id, FORMER_LIST)
    known = _ends(workspace, source.list_id, last)
    last = {address: one for address, one in last.items() if _day(one) >= known.get(address, "")}
    today = workspace.now().date()
    _put(workspace, source.list_id, last, {address: _facts(one, today) for address, one in last.items()})


def count_former(workspace: Workspace, source: SourceConnection) -> None:
    """Remove current customers from the former customers' list, and store its size."""
    source.list_id = list_id = _list(workspace, source.list_id, FORMER_LIST)
    after = 0
    while batch := _some(list_id, after):
        after = batch[-1].id
        barred = never_contact.blocked_people(workspace.id, {row.person_id for row in batch})
        customers = {person_id for person_id, entry in barred.items() if entry.reason in (CUSTOMER, COLLEAGUE)}
        again = [row.id for row in batch if row.person_id in customers]
        if again:
            leads.remove(workspace, list_id, again)
    session().flush()
    source.former_customers = lists.get_list(workspace, list_id).lead_count


def _some(list_id: int, after: int) -> Sequence[Any]:
    query = sa.select(Lead.id, Lead.person_id).where(Lead.list_id == list_id, Lead.id > after)
    return session().execute(query.order_by(Lead.id).limit(_BATCH)).all()


TAKE: dict[str, Callable[[Workspace, SourceConnection, Sequence[Any]], None]] = {
    "visitors": visitors,
    "current": current,
    "former": former,
}
END: dict[str, Callable[[Workspace, SourceConnection], None]] = {
    "current": no_other_customers,
    "former": count_former,
}


def _day(one: Customer) -> str:
    return one.ended_on.isoformat() if one.ended_on else ""


def _facts(one: Customer, today: date) -> dict[str, str]:
    facts = {"ended": _month(one.ended_on, today), "ended_on": _day(one), "ended_because": one.reason, "plan": one.plan}
    return {name: value for name, value in facts.items() if value}


def _month(day: date | None, today: date) -> str:
    """Return a month as used in a sentence: `May`, or `May 2024` if it is twelve months ago or more."""
    if day is None:
        return ""
    months = (today.year - day.year) * 12 + today.month - day.month
    return f"{day:%B}" if months < 12 else f"{day:%B %Y}"


def _ends(workspace: Workspace, list_id: int, addresses: Mapping[str, Customer]) -> dict[str, str]:
    """Return, by address, when the last subscription ended according to the list."""
    ours = (Lead.workspace_id == workspace.id, Lead.list_id == list_id)
    query = sa.select(Person.email, Person.custom_fields).join(Lead, Lead.person_id == Person.id)
    query = query.where(*ours, in_list(Person.email, list(addresses)))
    return {row.email: str(row.custom_fields.get("ended_on", "")) for row in session().execute(query)}


def _list(workspace: Workspace, list_id: int | None, name: str) -> int:
    """Return the source's list, created again if it was deleted."""
    known = lists.lists_by_id(workspace, [list_id] if list_id else [])
    return list_id if list_id in known and list_id else lists.create_list(workspace, name).id


def _put(workspace: Workspace, list_id: int, people: Mapping[str, Any], facts: Mapping[str, dict[str, str]]) -> None:
    """Put people on the list, as the person the workspace already has for the address, if any."""
    source = Source(SourceKind.CUSTOMERS, lists.get_list(workspace, list_id).name)
    given = []
    for address, one in people.items():
        host = free_mail_hosts.company_host(address)
        told = {
            "publicId": one.public_id,
            "profileUrl": one.profile_url,
            "firstName": one.first_name,
            "lastName": one.last_name,
            "companyName": one.company or host,
            "companyUrl": f"https://{host}" if host else "",
            "position": one.title,
            "email": address,
        }
        short = {name: text.shorten(value, LONGEST) if name != "profileUrl" else value for name, value in told.items()}
        given.append({**{name: value for name, value in short.items() if value}, "customFields": facts[address]})
    for start in range(0, len(given), leads.MOST_PROFILES):
        leads.add(workspace, list_id, given[start : start + leads.MOST_PROFILES], source, by_email=True)
