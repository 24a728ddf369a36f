"""What happened becomes activities of the CRM: each event once, by the place of the last one that was looked at.

Events have no gaps and are numbered in the order of their commits, so that none is passed over.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import change_rows, execute_many, in_list, insert, session, transaction
from app.core.errors import Conflict
from app.domain.enrichment.crm import connection
from app.domain.enrichment.crm.settings import CrmSettings
from app.models.conversations import Conversation, Message
from app.models.crm import CrmActivity, CrmActivityState, CrmConnection, CrmContact
from app.models.leads import Lead
from app.models.people import Person
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import ActivityKind

MOST_EVENTS = 500
SHOWN = 20  # failed activities on the page
LONGEST_SUBJECT, LONGEST_TEXT = 200, 20_000


class Told(NamedTuple):
    """How an event is told to the CRM. `words` name it, with the parts of its data."""

    kind: ActivityKind
    words: str
    incoming: bool = False


A = ActivityKind
# Events that are left out say nothing that another event does not.
TOLD: dict[str, Told] = {
    "invite_sent": Told(A.MESSAGE, "Connection request sent"),
    "invite_accepted": Told(A.NOTE, "Connection request accepted"),
    "message_sent": Told(A.MESSAGE, "Message sent"),
    "inmail_sent": Told(A.MESSAGE, "InMail sent"),
    "every_reply": Told(A.MESSAGE, "Replied", incoming=True),
    "lead_auto_tagged_positive": Told(A.NOTE, "Stage: interested"),
    "lead_auto_tagged_negative": Told(A.NOTE, "Stage: not interested"),
    "out_of_office": Told(A.NOTE, "Out of office"),
    "email_bounced": Told(A.NOTE, "Email bounced"),
    "unsubscribed": Told(A.NOTE, "Unsubscribed"),
    "lead_finished_without_reply": Told(A.NOTE, "Stage: finished without a reply"),
    "meeting_booked": Told(A.MEETING, "Meeting booked"),
}
REPLIES = ("every_reply", "meeting_booked")  # a contact is made for these where only people who replied become contacts


def take_events(workspace: Workspace, known: CrmConnection, settings: CrmSettings) -> int:
    """Make activities of the next events; return how many events there were. Inside a transaction that locks."""
    query = sa.select(Event.sequence, Event.ref, Event.kind, Event.lead_id, Event.body, Event.created_at).where(
        Event.workspace_id == workspace.id, Event.sequence > known.event_cursor
    )
    found = session().execute(query.order_by(Event.sequence).limit(MOST_EVENTS)).all()
    if not found:
        return 0
    if settings.activities:
        told = [(row, json.loads(row.body)["data"]) for row in found if row.kind in TOLD and row.body]
        _put(workspace, known, settings, told)
    known.event_cursor = found[-1].sequence
    session().flush()
    return len(found)


def _put(
    workspace: Workspace, known: CrmConnection, settings: CrmSettings, told: Sequence[tuple[Any, dict[str, Any]]]
) -> None:
    """Put activities of these events, of the people whom the CRM knows or is to know."""
    whose = _people(workspace, told)
    there = linked(known, set(whose.values()))
    named = _with_address(workspace, set(whose.values()) - there) if settings.create != "no" else set()
    rows = []
    for row, data in told:
        person_id = whose.get(row.ref)
        made = person_id in named and (settings.create == "all" or row.kind in REPLIES)
        if person_id is None or not (person_id in there or made):
            continue
        there.add(person_id)
        rows.append(_row(workspace, known, person_id, row, data))
    execute_many(insert(CrmActivity).on_conflict_do_nothing(), rows)


def _row(workspace: Workspace, known: CrmConnection, person_id: int, row: Any, data: dict[str, Any]) -> dict[str, Any]:
    told, message, meeting = TOLD[row.kind], data.get("message") or {}, data.get("meeting") or {}
    kind = told.kind
    if kind == A.MESSAGE and (data.get("channel") == "email" or message.get("kind") == "email"):
        kind = A.EMAIL
    said = message.get("text") or meeting.get("title")
    campaign = (data.get("campaign") or {}).get("name", "")
    words = told.words.replace("Message", "Email") if kind == A.EMAIL else told.words
    subject = f"{words}: {campaign}" if campaign else words
    return {
        "workspace_id": workspace.id,
        "connection_id": known.id,
        "person_id": person_id,
        "key": row.ref,
        "event": row.kind,
        "kind": str(kind),
        "incoming": told.incoming,
        "subject": text.shorten(subject, LONGEST_SUBJECT),
        "text": "" if kind == A.NOTE else text.shorten(str(said or ""), LONGEST_TEXT),
        "at": _moment(meeting.get("startsAt") or message.get("at")) or row.created_at,
        "state": str(CrmActivityState.WAITING),
        "external_id": "",
        "tries": 0,
        "error": "",
    }


def _moment(written: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(written) if written else None
    except (TypeError, ValueError):
        return None


def _people(workspace: Workspace, told: Sequence[tuple[Any, dict[str, Any]]]) -> dict[str, int]:
    """Return the person of each event, by its ref: by the lead, else by the message's conversation."""
    leads = {row.ref: row.lead_id for row, _ in told if row.lead_id}
    query = sa.select(Lead.id, Lead.person_id).where(Lead.workspace_id == workspace.id)
    of_leads = _pairs(query.where(in_list(Lead.id, list(set(leads.values())))))
    messages = {row.ref: data["message"]["id"] for row, data in told if row.ref not in leads and data.get("message")}
    spoken = (
        sa.select(Message.id, Conversation.person_id)
        .join(Conversation)
        .where(Message.workspace_id == workspace.id, in_list(Message.id, list(set(messages.values()))))
    )
    of_messages = _pairs(spoken)
    found = {ref: of_leads.get(lead_id) for ref, lead_id in leads.items()}
    found |= {ref: of_messages.get(message_id) for ref, message_id in messages.items()}
    return {ref: person_id for ref, person_id in found.items() if person_id is not None}


def _pairs(query: sa.Select[Any, Any]) -> dict[int, int | None]:
    return {row[0]: row[1] for row in session().execute(query)}


def linked(known: CrmConnection, person_ids: set[int]) -> set[int]:
    """Return which of the people the CRM knows."""
    query = sa.select(CrmContact.person_id).where(CrmContact.connection_id == known.id)
    found = session().scalars(query.where(in_list(CrmContact.person_id, list(person_ids))))
    return {one for one in found if one is not None}


def _with_address(workspace: Workspace, person_ids: set[int]) -> set[int]:
    query = sa.select(Person.id).where(Person.workspace_id == workspace.id, Person.email != "")
    return set(session().scalars(query.where(in_list(Person.id, list(person_ids)))))


def page(workspace: Workspace, state: str = "") -> sa.Select[Any]:
    """Select the activities of the workspace, all or those in one state."""
    query = sa.select(CrmActivity).where(CrmActivity.workspace_id == workspace.id)
    return query.where(CrmActivity.state == state) if state else query


def retry(workspace: Workspace) -> int:
    """Queue failed activities again; return how many."""
    with transaction():
        known = connection.get(workspace, lock=True)
        failed = sa.update(CrmActivity).where(
            CrmActivity.connection_id == known.id, CrmActivity.state == CrmActivityState.FAILED
        )
        again = failed.values(state=CrmActivityState.SENDING, tries=0, error="").returning(CrmActivity.id)
        count = len(change_rows(again).all())
        if not count:
            raise Conflict("No activity has failed.", recovery="There is nothing to retry.")
        connection.look_now(known)
        return count


def names(person_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of these people."""
    query = sa.select(Person).where(in_list(Person.id, list(set(person_ids))))
    return {one.id: one.name for one in session().scalars(query)}


def latest_failed(workspace: Workspace) -> Sequence[CrmActivity]:
    """Return the activities that failed last."""
    query = page(workspace, CrmActivityState.FAILED).order_by(CrmActivity.id.desc()).limit(SHOWN)
    return session().scalars(query).all()
