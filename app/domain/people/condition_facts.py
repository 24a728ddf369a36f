"""What conditions of steps and branches ask of people, looked up for many at once."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import in_batches, session
from app.domain.rules.next_step import LeadStatus, Position, next_place
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.models.accounts import Account, Channel
from app.models.campaigns import Campaign
from app.models.monitors import Monitor, MonitorPerson
from app.models.people import Person
from app.models.signals import Signal

FRESH = timedelta(days=90)  # what was found earlier is no signal any more


def of_one(flow: Flow, row: Any, at: datetime) -> PersonFacts:
    """Return what the conditions of the flow ask of one campaign lead."""
    return of_many(flow, [row], at).get(row.person_id, NOTHING_KNOWN)


def standing_of(flow: Flow, row: Any, has_email: bool, at: datetime) -> LeadStatus:
    """Return what the next place of one campaign lead depends on, with what the conditions of the flow ask of them."""
    return LeadStatus.of(row, has_email, of_one(flow, row, at))


def place_of(
    campaign: Campaign, row: Any, has_email: bool, at: datetime, step: int | None = None, **waits: Any
) -> Position:
    """Return the place of a campaign lead from that step on, or from where they stand; `waits` as in `next_place`."""
    flow = Flow.of(campaign)
    return next_place(flow, row.step if step is None else step, standing_of(flow, row, has_email, at), at, **waits)


def of_many(flow: Flow, rows: Iterable[Any], at: datetime) -> dict[int, PersonFacts]:
    """Return what the conditions of the flow ask of these campaign leads, by person; {} when they ask nothing of it.

    A row has `person_id`, `account_id` and `mailbox_id`.
    """
    wanted = flow.looked_up()
    if not wanted:
        return {}
    found: dict[int, PersonFacts] = {}
    for batch in in_batches(list(rows)):
        kinds = _sender_kinds(batch) if "senders" in wanted else {}
        query = sa.select(*_COLUMNS).where(Person.id.in_([row.person_id for row in batch]))
        people = {row.id: row for row in session().execute(query)}
        signals = _signals(people.values(), at) if "signals" in wanted else {}
        for row in batch:
            if person := people.get(row.person_id):
                found[row.person_id] = PersonFacts(
                    bool(person.public_id),
                    frozenset(tag.casefold() for tag in person.tags),
                    person.custom_fields,
                    frozenset(signals.get(person.id, ())),
                    frozenset(kinds[one] for one in (row.account_id, row.mailbox_id) if one in kinds),
                    bool(person.phone),
                    person.position or person.headline,
                    person.company_name,
                    person.location,
                )
    return found


_COLUMNS = (
    *(Person.id, Person.workspace_id, Person.public_id, Person.tags, Person.custom_fields),
    *(Person.company_domain, Person.company_name, Person.first_name, Person.last_name),
    *(Person.phone, Person.position, Person.headline, Person.location),
)


def _sender_kinds(rows: Iterable[Any]) -> dict[int, str]:
    """Return the kind of each sender of these people, by id."""
    ids = {one for row in rows for one in (row.account_id, row.mailbox_id) if one}
    query = sa.select(Account.id, Account.channel, Account.has_sales_navigator).where(Account.id.in_(ids))
    return {
        row.id: "mailbox" if row.channel == Channel.EMAIL else "sales_navigator" if row.has_sales_navigator else "basic"
        for row in session().execute(query)
    }


def _signals(people: Iterable[Any], at: datetime) -> dict[int, set[str]]:
    """Return the kinds of signals found lately about each person or their company, by lookups and by monitors."""
    people = list(people)
    domains, names = {person.company_domain for person in people} - {""}, {_name(person) for person in people} - {""}
    query = sa.select(Signal.kind, Signal.domain, Signal.full_name, Signal.company_name).where(
        Signal.workspace_id.in_({person.workspace_id for person in people}),
        Signal.found.is_(True),
        Signal.created_at > at - FRESH,
        sa.or_(Signal.domain.in_(domains), sa.func.lower(Signal.full_name).in_(names)),
    )
    about: defaultdict[Any, set[str]] = defaultdict(set)
    for row in session().execute(query):
        name = row.full_name.casefold()
        about[(name, row.company_name.casefold()) if name else row.domain].add(row.kind)
    seen = (
        sa.select(MonitorPerson.person_id, Monitor.signal)
        .join(Monitor, Monitor.id == MonitorPerson.monitor_id)
        .where(MonitorPerson.person_id.in_([person.id for person in people]), MonitorPerson.found_at > at - FRESH)
        .where(Monitor.signal != "")
    )
    for person_id, signal in session().execute(seen):
        about[person_id].add(signal)
    return {
        person.id: about[person.id]
        | (about[person.company_domain] if person.company_domain else set())
        | about[_name(person), person.company_name.casefold()]
        for person in people
    }


def _name(person: Any) -> str:
    return f"{person.first_name} {person.last_name}".strip().casefold()
