"""Write to a CRM: activities, contacts that it is to know, and values of ours, a batch per turn.

An activity is marked before it is sent. What was marked when a worker died, or when an answer was lost, may be there
already: the adapter is told, and looks it up before it repeats it.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core import claims, clock
from app.core.db import by_id, change_rows, end_read, in_list, session, transaction
from app.domain.enrichment.crm import activities, connection, contacts, flows
from app.domain.enrichment.crm.flows import Turn
from app.domain.enrichment.crm.settings import CrmSettings
from app.models.crm import CrmActivity, CrmActivityState, CrmContact, Way
from app.models.people import Person
from app.ports import Activity, ActivityKind, CrmChange, Fill, NewContact, Recorded, Refused
from app.ports.crm import CrmContact as There

EVERY, COMPARE_EVERY = timedelta(seconds=15), timedelta(hours=1)
BATCH, COMPARED, LOOKED = 100, 50, 1000  # activities or contacts of a turn, changes of a call, contacts of a look
NO_CONTACT = "The CRM has no contact for this person."
S = CrmActivityState
# Written as in the index, so that the database uses it.
OPEN = sa.literal_column("crm_activity.state IN ('waiting', 'sending')", sa.Boolean)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return the outgoing CRM flows that may have something to write."""
    return flows.due(Way.OUT, most, busy)


def run(flow_id: int) -> int:
    """Write some batches; return how many turns wrote something."""
    return flows.run(flow_id, _turn)


def _turn(turn: Turn) -> None:
    with transaction():
        known = turn.connection()
        more = activities.take_events(turn.workspace, known, turn.settings)
    wrote = _make_contacts(turn) or _record(turn) or _compare(turn)
    now = clock.now()
    with transaction():
        turn.connection()
        turn.put(due_at=now if more or wrote else now + EVERY, done_at=now, note="", error="")


def _make_contacts(turn: Turn) -> bool:
    """Make contacts of people who have activities and are not known there; return whether there were any."""
    unlinked = sa.select(CrmActivity.person_id).where(CrmActivity.connection_id == turn.connection_id, OPEN)
    has = sa.exists().where(
        CrmContact.connection_id == turn.connection_id, CrmContact.person_id == CrmActivity.person_id
    )
    ids = session().scalars(unlinked.where(~has).distinct().order_by(CrmActivity.person_id).limit(BATCH)).all()
    if not ids:
        return False
    people = by_id(Person, ids)
    may = turn.settings.create != "no"
    named = {one.email: one for one in people.values() if one.email and may}
    if nameless := [one for one in ids if one not in {person.id for person in named.values()}]:
        with transaction():
            theirs = (CrmActivity.connection_id == turn.connection_id, CrmActivity.person_id.in_(nameless), OPEN)
            change_rows(sa.update(CrmActivity).where(*theirs).values(state=S.FAILED, error=NO_CONTACT))
    if not named:
        return True
    new = [NewContact(one.email, _ours(turn.settings, one)) for one in named.values()]
    ids_of = {one.email: one.id for one in named.values()}
    end_read()
    made = turn.ask(turn.adapter.create, new)
    values = {one.email: one.values for one in new}
    with transaction():
        known = turn.connection()
        seen = connection.flows_of(known)[Way.IN].passes
        there = contacts.known(known, list(made.values()))
        for address, external_id in made.items():
            row = there.get(external_id) or CrmContact(
                workspace_id=turn.workspace.id, connection_id=known.id, external_id=external_id, values={}
            )
            row.email, row.seen_pass = address, max(row.seen_pass or 0, seen)
            row.person_id = ids_of.get(address, row.person_id)
            row.values = row.values or dict(values.get(address, {}))
            session().add(row)
    return True


def _ours(settings: CrmSettings, person: Person) -> dict[str, str]:
    """Return the values of a person that may be written to the CRM."""
    out = (name for name, rule in settings.fields.items() if rule.outgoing != "off")
    return {name: getattr(person, name) for name in out if getattr(person, name)}


def _record(turn: Turn) -> bool:
    """Send the next activities of one kind; return whether there were any."""
    claimed = _mark(turn)
    if not claimed:
        return False
    contact_of = _contacts_of(turn, {row.person_id for row in claimed})
    maybe = {row.key for row in claimed if row.state == S.SENDING}
    told = [
        Activity(
            row.key, contact_of[row.person_id], ActivityKind(row.kind), row.at, row.subject, row.text, row.incoming
        )
        for row in claimed
        if row.person_id in contact_of
    ]
    end_read()
    try:
        done = turn.ask(turn.adapter.record, told, maybe) if told else Recorded()
    except Refused as refusal:
        if len(told) > 1:
            _alone(turn, [one.key for one in told])
            return True
        done = Recorded(refused={told[0].key: refusal.sentence})
    _settle(turn, done)
    return True


def _mark(turn: Turn) -> list[Any]:
    """Return the next activities of one kind as they were, marked as being sent.

    An activity that was refused in a batch is sent alone.
    """
    waiting = sa.select(CrmActivity).where(CrmActivity.connection_id == turn.connection_id, OPEN)
    first = session().scalars(waiting.order_by(CrmActivity.tries, CrmActivity.id).limit(1)).first()
    if first is None:
        return []
    columns = (CrmActivity.id, CrmActivity.key, CrmActivity.person_id, CrmActivity.kind, CrmActivity.state)
    more = (CrmActivity.at, CrmActivity.subject, CrmActivity.text, CrmActivity.incoming)
    query = sa.select(*columns, *more).where(CrmActivity.connection_id == turn.connection_id, OPEN)
    query = query.where(CrmActivity.kind == first.kind, CrmActivity.tries == first.tries)
    rows = list(session().execute(query.order_by(CrmActivity.id).limit(1 if first.tries else BATCH)))
    with transaction():
        turn.connection()
        those = in_list(CrmActivity.id, [row.id for row in rows])
        change_rows(sa.update(CrmActivity).where(those).values(state=S.SENDING))
    return rows


def _contacts_of(turn: Turn, person_ids: set[int]) -> dict[int, str]:
    """Return the contact of each person; of several, the one that was known first."""
    query = sa.select(CrmContact.person_id, CrmContact.external_id).where(
        CrmContact.connection_id == turn.connection_id, in_list(CrmContact.person_id, list(person_ids))
    )
    rows = session().execute(query.order_by(CrmContact.id.desc()))
    return {row.person_id: row.external_id for row in rows}


def _alone(turn: Turn, keys: Sequence[str]) -> None:
    """Let activities that were refused together be tried one by one."""
    with transaction():
        again = sa.update(CrmActivity).where(CrmActivity.connection_id == turn.connection_id, CrmActivity.key.in_(keys))
        change_rows(again.values(tries=CrmActivity.tries + 1))


def _settle(turn: Turn, done: Recorded) -> None:
    now = clock.now()
    with transaction():
        rows = session().scalars(
            sa.select(CrmActivity).where(
                CrmActivity.connection_id == turn.connection_id,
                in_list(CrmActivity.key, [*done.ids, *done.refused]),
            )
        )
        for row in rows:
            if row.key in done.ids:
                row.state, row.external_id, row.sent_at, row.error = S.SENT, done.ids[row.key], now, ""
                row.text = ""  # no longer needed: the conversation and the CRM have the text
            else:
                row.state, row.error = S.FAILED, done.refused[row.key]


def _compare(turn: Turn) -> bool:
    """Write our values that the CRM lacks or may take, for some contacts per turn; return whether any were."""
    known = connection.get(turn.workspace)
    outgoing = {name: rule for name, rule in turn.settings.fields.items() if rule.outgoing != "off"}
    if not outgoing or (known.compare_at and known.compare_at > turn.workspace.now()):
        return False
    query = sa.select(CrmContact, Person).join(Person, Person.id == CrmContact.person_id)
    theirs = (CrmContact.connection_id == known.id, CrmContact.id > known.person_cursor)
    found = session().execute(query.where(*theirs).order_by(CrmContact.id).limit(LOOKED)).all()
    changes, last = [], 0
    for contact, person in found:
        last = contact.id
        if values := _differing(outgoing, contact, person):
            changes.append(CrmChange(contact.external_id, values))
        if len(changes) == COMPARED:
            break
    end_read()
    written: Mapping[str, There] = {}
    if changes:
        try:
            written = turn.ask(turn.adapter.change, changes)
        except Refused:
            written = _one_by_one(turn, changes)
    with transaction():
        current = turn.connection()
        for row in contacts.known(current, list(written)).values():
            there = written[row.external_id]
            row.values = {name: value for name, value in there.values.items() if value}
            row.changed_at = there.changed_at or row.changed_at
        current.person_cursor = last
        if not last:
            current.compare_at = turn.workspace.now() + COMPARE_EVERY
    return bool(last)


def _differing(outgoing: Mapping[str, Any], contact: CrmContact, person: Person) -> dict[str, tuple[str, Fill]]:
    """Return the values of a person that the CRM does not have and may take."""
    found = {}
    for name, rule in outgoing.items():
        value, there = getattr(person, name), contact.values.get(name, "")
        if not value or value == there or (there and rule.outgoing == "fill"):
            continue
        found[name] = (value, Fill(rule.outgoing))
    return found


def _one_by_one(turn: Turn, changes: Sequence[CrmChange]) -> dict[str, There]:
    """Write the changes singly; one that is refused is left until its values change."""
    written: dict[str, There] = {}
    for change in changes if len(changes) > 1 else ():
        try:
            written |= turn.ask(turn.adapter.change, [change])
        except Refused:
            continue
    return written
