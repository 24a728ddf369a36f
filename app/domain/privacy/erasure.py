"""Erasure of a person: their name is removed everywhere, counts stay true, and they are never contacted again.

Rows that statistics are counted from are kept without a name; what was written to and by them is gone. While the
outcome of something done to them is still open, or a file that names them is being taken in, they are hidden and
barred at once and a job erases the rest as soon as it is known.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, in_list, is_sqlite, session
from app.domain.conversations import search_index
from app.domain.leads import csv_import, leads, merge_people, subjects
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.subjects import Subject
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import people
from app.domain.people.exclusions import company_holds, never_contact
from app.domain.platform import audit_log, idempotency, jobs, locks, request_log
from app.domain.privacy import erased_bytes, erasure_list, leftovers, personal_rows
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import unreadable
from app.domain.tasks import referrals
from app.models.autopilot import CompanyReading
from app.models.campaigns import UNENDED_STATES, CampaignLead
from app.models.conversations import Conversation, Message
from app.models.leads import Lead, LeadList
from app.models.ledger import Action, ActionState
from app.models.platform.jobs import Job
from app.models.platform.requests import ApiRequest
from app.models.webhooks import Delivery, DeliveryAttempt, Event
from app.models.workspaces import Workspace

WIPE, SOON = "wipe", timedelta(minutes=1)
QUICK, NIGHT, LONGEST_WIPE = 512 * 2**20, (1, 2), 1800.0  # bytes; hours UTC, before the backup; seconds of a table
LOOK_AGAIN, PATIENCE = timedelta(minutes=1), timedelta(hours=1)
_COUNTED = {name: "messages_sent" for name, step in STEPS.items() if step.is_message} | {
    "connection_request": "invites_sent"
}
_BLANK: dict[str, Any] = dict.fromkeys((*people.COLUMNS, *people.COMPARED), "") | {
    "tags": [],
    "custom_fields": {},
    "company_by_hand": None,
    "origins": {},
    "source_id": None,
}


@dataclass
class Extent:
    """How much there is, or was, about a person. `finished` is false while a job still has to erase the rest."""

    leads: int = 0
    campaigns: int = 0
    actions: int = 0
    messages: int = 0
    events: int = 0
    finished: bool = True
    waits: bool = False  # until an action's outcome is known; before that only the names in lists are erased


def extent(workspace: Workspace, lead_id: int) -> Extent:
    """Return what an erasure of the lead's person would delete."""
    subject = subjects.find(workspace, leads.get_visible(workspace, lead_id).person_id)
    return _extent(subject, _events(subject))


def erase(workspace: Workspace, lead_id: int) -> Extent:
    """Erase the lead's person in every list, campaign and conversation, and block them for good."""
    with locks.changing(workspace.id):
        person_id = leads.get_visible(workspace, lead_id, lock=True).person_id
        done = erase_person(workspace, person_id)
        audit_log.record(workspace, "person.erased", f"person {lead_id}")
        return done


def erase_person(workspace: Workspace, person_id: int) -> Extent:
    """Erase that person. `finished` is false until the files of the database are clean of them."""
    with locks.changing(workspace.id):
        subject = subjects.find(workspace, person_id, lock=True)
        told = _events(subject)
        found = _extent(subject, told)
        merge_people.forget_undo(workspace, subject.person_ids)
        never_contact.add_erased(workspace, subject.persons, subject.addresses)
        _stop(subject)
        _hide(subject)
        found.finished, found.waits = False, _in_the_air(subject)
        if found.waits:
            payload = {"people": subject.person_ids, "shared": _shared(subject)}
            jobs.add(workspace, "erase", f"person {person_id}", payload)
        else:
            _sweep(subject, told)
        return found


def erase_rest(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Erase the rest once all actions have an outcome or can never get one."""
    with locks.changing(workspace.id):
        subject = subjects.find_again(workspace, payload.get("people") or _people_of(payload), payload["shared"])
        if not subject.people:
            return None
        if _in_the_air(subject):
            if clock.now() - job.created_at < PATIENCE:
                return LOOK_AGAIN
            _give_up(subject)
        _sweep(subject, _events(subject))
    return None


def _people_of(payload: dict[str, Any]) -> list[int]:
    """Return the people of a job that was queued by an older version, which named leads."""
    return list(session().scalars(sa.select(Lead.person_id).where(in_list(Lead.id, payload["leads"]))))


def _shared(subject: Subject) -> list[str]:
    """Return the person's addresses that other people share; these are not erased."""
    return sorted({person.email for person in subject.people if person.email} - subject.addresses)


def _rows_about(subject: Subject, model: Any) -> sa.ColumnElement[bool]:
    """Return the condition for the model's rows about the person."""
    return sa.and_(model.workspace_id == subject.workspace.id, in_list(model.person_id, subject.person_ids))


def _threads(subject: Subject) -> sa.Select[Any]:
    """Select the ids of the person's conversations."""
    return sa.select(Conversation.id).where(_rows_about(subject, Conversation))


def _events(subject: Subject) -> list[int]:
    """Return the ids of events about the person; reads all events, as their lead may be long deleted."""
    place = sa.func.instr if is_sqlite() else sa.func.strpos
    told = [f'"publicId":{_json(person)}' for person in sorted(subject.persons)]
    told += [f'"{name}":{_json(one)}' for name in ("address", "email") for one in sorted(subject.addresses)]
    told += [f'"conversationId":{thread},' for thread in session().scalars(_threads(subject))]
    named = [place(Event.body, one) > 0 for one in told]
    about = sa.or_(in_list(Event.lead_id, subject.lead_ids), *named)
    query = sa.select(Event.id).where(Event.workspace_id == subject.workspace.id, about, Event.body != "")
    return list(session().scalars(query.order_by(Event.id)))


def _extent(subject: Subject, told: list[int]) -> Extent:
    def count(model: Any, *where: sa.ColumnElement[bool]) -> int:
        return session().scalar(sa.select(sa.func.count()).select_from(model).where(*where)) or 0

    return Extent(
        leads=len(subject.leads),
        campaigns=count(CampaignLead, _rows_about(subject, CampaignLead)),
        actions=count(Action, _rows_about(subject, Action)),
        messages=count(Message, Message.conversation_id.in_(_threads(subject))),
        events=len(told),
    )


def _stop(subject: Subject) -> None:
    """Exclude the person from all campaigns and delete their queued manual messages."""
    query = sa.select(CampaignLead.id).where(_rows_about(subject, CampaignLead), CampaignLead.state.in_(UNENDED_STATES))
    campaign_leads.exclude_many(subject.workspace, list(session().scalars(query)), "never_contact")
    queued = sa.delete(Message).where(
        Message.conversation_id.in_(_threads(subject)), Message.due_at.is_not(None), Message.action_id.is_(None)
    )
    change_rows(queued)


def _hide(subject: Subject) -> None:
    """Take the person's leads out of all lists and searches."""
    lists = sa.select(Lead.list_id, sa.func.count()).where(in_list(Lead.id, subject.lead_ids)).group_by(Lead.list_id)
    for list_id, number in session().execute(lists.order_by(Lead.list_id)).all():
        change_rows(sa.update(LeadList).where(LeadList.id == list_id).values(lead_count=LeadList.lead_count - number))
    for lead in subject.leads:
        lead.deleted_at, lead.list_id = lead.deleted_at or subject.workspace.now(), None
    session().flush()


def _in_the_air(subject: Subject) -> bool:
    """Return whether an action has no outcome yet, or a file that names the person is being imported."""
    unsettled = sa.select(Action.id).where(_rows_about(subject, Action), Action.check_at.is_not(None)).limit(1)
    return session().scalar(unsettled) is not None or csv_import.is_taking_in(subject)


def _give_up(subject: Subject) -> None:
    """Count actions without an outcome as done after the longest wait."""
    query = sa.select(Action).where(_rows_about(subject, Action), Action.check_at.is_not(None)).with_for_update()
    tally = Tally()
    for action in session().scalars(query):
        action.state, action.check_at = ActionState.UNKNOWN, None
        if action.campaign_id and (counter := _COUNTED.get(action.kind)):
            tally.add(action.campaign_id, **{counter: 1})
    session().flush()
    tally.write()


def _sweep(subject: Subject, told: list[int]) -> None:
    """Delete or clear everything that names the person, and queue the cleaning of the database's files."""
    named = leftovers.names_of(subject)
    _forget_events(subject, told)  # before conversations are deleted: they tell which messages were the person's
    personal_rows.erase(subject)
    csv_import.forget(subject)
    idempotency.redact_stored_answers(subject.workspace, lambda answer: _rewritten(subject, answer))
    _forget_readings(subject)
    _forget_requests(subject)
    _forget_people(subject)
    leftovers.forget(subject.workspace, named)
    jobs.add(subject.workspace, WIPE, "files", after=SOON)


def wipe(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Clean the database's files of what was erased: at once where that is quick, else in the night."""
    now = clock.now()
    if erased_bytes.size() > QUICK and now.hour not in NIGHT:
        tonight = now.replace(hour=NIGHT[0], minute=0, second=0, microsecond=0)
        return (tonight if tonight > now else tonight + timedelta(days=1)) - now
    renew = partial(jobs.renew_lease, job, LONGEST_WIPE)
    renew()
    erasure_list.keep()
    search_index.forget_deleted()
    if not erased_bytes.wipe(before_each=renew):
        return LOOK_AGAIN
    audit_log.record(workspace, "person.erasure_finished", "")
    return None


def _forget_events(subject: Subject, told: list[int]) -> None:
    """Remove the person from their events, and clear the webhook endpoints' answers, which may repeat them."""
    current = session()
    threads = set(current.scalars(_threads(subject)))
    for event in current.scalars(sa.select(Event).where(in_list(Event.id, told))):
        body = json.loads(event.body)
        thread = body["data"].get("message", {}).get("conversationId")
        about_them = event.lead_id in subject.lead_ids or thread in threads
        event.body = _json(_nameless(subject, body, about_them))
    sent = sa.select(Delivery.id).where(in_list(Delivery.event_id, told))
    tries = sa.update(DeliveryAttempt).where(DeliveryAttempt.delivery_id.in_(sent))
    change_rows(tries.values(response=""))
    current.flush()


def _nameless(subject: Subject, body: dict[str, Any], about_them: bool) -> dict[str, Any]:
    """Return an event's body without the person and without texts written to or about them."""
    data = body["data"]
    about_them = about_them or any(subject.is_meant(data[part]) for part in _OF_THEM & data.keys())
    for part in _OF_THEM & data.keys() if about_them else ():
        kept = {name: data[part][name] for name in _SAYS_NOTHING & data[part].keys()}
        kept |= {name: [] for name, value in data[part].items() if isinstance(value, list)}
        data[part] = subject.without(data[part], about_them=True) | kept
    if about_them and "customFields" in data.get("lead", {}):
        data["lead"]["customFields"] = {}  # even a number or a field's name may identify the person
    return {**body, "data": subject.without(data)}


def _rewritten(subject: Subject, answer: bytes) -> bytes:
    """Return a stored response of the idempotency keys without the person."""
    written = answer.decode()
    if not subject.named_in(written) and not any(str(lead_id) in written for lead_id in subject.lead_ids):
        return answer
    value = json.loads(written)
    changed = subject.without(value)
    return answer if changed == value else _json(changed).encode()


def _forget_people(subject: Subject) -> None:
    """Clear the person's row; delete leads and people that no campaign's history needs."""
    current = session()
    for person in subject.people:
        person.erased_at = subject.workspace.now()
        for column, value in _BLANK.items():
            setattr(person, column, value)
    current.flush()
    company_holds.forget(subject.people)
    referrals.erase(subject.workspace, subject.person_ids, subject.addresses)
    unreadable.erase(subject.workspace, {*subject.addresses, *subject.persons})
    enrolled = sa.exists().where(CampaignLead.lead_id == Lead.id)
    change_rows(sa.delete(Lead).where(in_list(Lead.id, subject.lead_ids), ~enrolled))
    people.discard_unplaced(subject.person_ids)


_OF_THEM = {"lead", "message", "meeting", "tag", "bounce", "unsubscription", "approval"}  # parts of an event's data
_SAYS_NOTHING = {"at", "kind", "sentiment", "how", "expiresAt", "url", "service", "startsAt", "endsAt"}
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _forget_readings(subject: Subject) -> None:
    """Delete what was read on the websites of their companies: it may name them."""
    domains = {person.company_domain for person in subject.people} - {""}
    here = CompanyReading.workspace_id == subject.workspace.id
    change_rows(sa.delete(CompanyReading).where(here, in_list(CompanyReading.domain, domains)))


def _forget_requests(subject: Subject) -> None:
    """Clear the bodies and queries of logged requests about the person."""
    request_log.flush()
    columns = (ApiRequest.path, ApiRequest.sent, ApiRequest.answered)
    query = sa.select(ApiRequest).where(
        ApiRequest.workspace_id == subject.workspace.id, sa.or_(*(subject.mentioned(column) for column in columns))
    )
    for line in session().scalars(query):
        line.sent = line.answered = ""
        line.path = line.path.partition("?")[0]
    session().flush()
