"""PERSONAL: every table with rows about a person, as one table, from which the export and the erasure are made.

Each entry says how the rows are found, where they came from, what a person is shown of them, and what an erasure does:
delete them, blank some columns, or leave them to a rule of their own in `erasure`, which is named.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads.subjects import Subject
from app.domain.people import sources
from app.models.approvals import Approval
from app.models.autopilot import PlaySample
from app.models.campaigns import CampaignLead, ReplyAction
from app.models.conversations import Conversation, ConversationNote, DraftedReply, Message, Typed
from app.models.crm import CrmActivity, CrmContact, CrmMember
from app.models.exclusions import CompanyHold
from app.models.ledger import Action
from app.models.meetings import Meeting
from app.models.monitors import MonitorPerson
from app.models.people import NotSamePerson, PersonIdentity, PersonTag, PersonValue
from app.models.signals import ContactLookup, Signal
from app.models.tasks import MarkedAnswer, Referral, Task

DELETE, BY_RULE = "delete", "rule"
Condition = Callable[[Subject], sa.ColumnElement[bool]]
_SILENT = {"synchronize_session": False}
_NAMELESS_TEXT = dict.fromkeys(("text", "subject", "written_text", "written_subject"), "")


@dataclass(frozen=True)
class Personal:
    """Rows about a person. `origin` says in words where they came from; `source` is a column that names it per row.

    `erase`: DELETE, the values that stand there afterwards, or BY_RULE, where `erasure` has a function for it.
    """

    model: Any
    theirs: Condition
    origin: str
    shown: tuple[str, ...]
    erase: Mapping[str, Any] | str
    source: str = ""

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return str(self.model.__tablename__)


def _of_person(model: Any) -> Condition:
    return lambda subject: sa.and_(
        model.workspace_id == subject.workspace.id, in_list(model.person_id, subject.person_ids)
    )


def _of_lead(model: Any) -> Condition:
    return lambda subject: sa.and_(model.workspace_id == subject.workspace.id, in_list(model.lead_id, subject.lead_ids))


def _of_talk(model: Any) -> Condition:
    def theirs(subject: Subject) -> sa.ColumnElement[bool]:
        talks = sa.select(Conversation.id).where(_of_person(Conversation)(subject))
        return sa.and_(model.workspace_id == subject.workspace.id, model.conversation_id.in_(talks))

    return theirs


def _handles(subject: Subject) -> list[str]:
    return sorted(subject.persons | subject.addresses)


def _found_by_monitors(subject: Subject) -> sa.ColumnElement[bool]:
    theirs = sa.or_(
        in_list(MonitorPerson.handle, _handles(subject)), in_list(MonitorPerson.person_id, subject.person_ids)
    )
    return sa.and_(MonitorPerson.workspace_id == subject.workspace.id, theirs)


def _looked_up(subject: Subject) -> sa.ColumnElement[bool]:
    theirs = sa.or_(
        in_list(ContactLookup.lead_id, subject.lead_ids), in_list(ContactLookup.value, sorted(subject.addresses))
    )
    return sa.and_(ContactLookup.workspace_id == subject.workspace.id, theirs)


def _sampled(subject: Subject) -> sa.ColumnElement[bool]:
    return sa.and_(PlaySample.workspace_id == subject.workspace.id, in_list(PlaySample.person, _handles(subject)))


def _named(subject: Subject) -> sa.ColumnElement[bool]:
    theirs = sa.or_(
        in_list(Referral.person_id, subject.person_ids),
        in_list(Referral.named_id, subject.person_ids),
        in_list(Referral.email, sorted(subject.addresses)),
    )
    return sa.and_(Referral.workspace_id == subject.workspace.id, theirs)


def _signals(subject: Subject) -> sa.ColumnElement[bool]:
    """Return the condition for lookups by their name and company."""
    named = {f"{one.first_name} {one.last_name}".strip().casefold() for one in subject.people} - {""}
    firms = {one.company_name.strip().casefold() for one in subject.people}
    query = sa.select(Signal.id, Signal.full_name, Signal.company_name).where(
        Signal.workspace_id == subject.workspace.id, Signal.full_name != ""
    )
    ids = [
        row.id
        for row in (session().execute(query) if named else ())
        if row.full_name.strip().casefold() in named and row.company_name.strip().casefold() in firms
    ]
    return in_list(Signal.id, ids)


def _in_crm(subject: Subject) -> sa.ColumnElement[bool]:
    theirs = sa.or_(
        in_list(CrmContact.email, sorted(subject.addresses)), in_list(CrmContact.person_id, subject.person_ids)
    )
    return sa.and_(CrmContact.workspace_id == subject.workspace.id, theirs)


def _booked(subject: Subject) -> sa.ColumnElement[bool]:
    theirs = sa.or_(in_list(Meeting.person_id, subject.person_ids), in_list(Meeting.email, sorted(subject.addresses)))
    return sa.and_(Meeting.workspace_id == subject.workspace.id, theirs)


def _told_apart(subject: Subject) -> sa.ColumnElement[bool]:
    return sa.or_(
        in_list(NotSamePerson.person_id, subject.person_ids), in_list(NotSamePerson.other_id, subject.person_ids)
    )


_PEOPLE_SAID = "What the person wrote, and what your senders wrote to them."
_MEMBERS = "A member wrote it."
PERSONAL: Sequence[Personal] = (
    Personal(
        PersonIdentity,
        _of_person(PersonIdentity),
        "Files, calls and searches that named them; `sources` says which.",
        ("kind", "value"),
        DELETE,
    ),
    Personal(PersonTag, _of_person(PersonTag), "Members, files, calls and your rules for replies.", ("tag",), DELETE),
    Personal(
        PersonValue,
        _of_person(PersonValue),
        "Replaced values.",
        ("field", "value", "known_at", "ended_at", "taken"),
        DELETE,
        "source_id",
    ),
    Personal(NotSamePerson, _told_apart, "A member marked two people as different.", ("other_id",), DELETE),
    Personal(
        Message,
        _of_talk(Message),
        _PEOPLE_SAID,
        ("direction", "kind", "text", "subject", "at", "sentiment"),
        DELETE,
    ),
    Personal(ConversationNote, _of_talk(ConversationNote), _MEMBERS, ("by", "text", "at"), DELETE),
    Personal(DraftedReply, _of_talk(DraftedReply), "The writer suggested it.", ("text", "by", "note", "at"), DELETE),
    Personal(Typed, _of_talk(Typed), "Unsent text of a member.", ("text", "subject", "saved_at"), DELETE),
    Personal(
        Conversation,
        _of_person(Conversation),
        _PEOPLE_SAID,
        ("channel", "sentiment", "remind_text"),
        DELETE,
    ),
    Personal(
        ReplyAction,
        _of_person(ReplyAction),
        "Your rules for replies.",
        ("rule", "sentiment", "do", "value", "at"),
        DELETE,
    ),
    Personal(MarkedAnswer, _of_person(MarkedAnswer), "A member marked it.", ("answer", "by", "at"), DELETE),
    Personal(
        Meeting,
        _booked,
        "The person booked it at a service, or a member marked it.",
        ("state", "name", "email", "title", "starts_at", "ends_at", "at", "canceled_at", "by"),
        DELETE,
        "service",
    ),
    Personal(
        Task,
        _of_person(Task),
        "A reply of the person, or a member.",
        ("kind", "text", "due_at", "done_at", "done_by"),
        DELETE,
    ),
    Personal(
        Referral,
        _named,
        "One person named the other in a reply.",
        ("name", "email", "phone", "position", "said", "at"),
        BY_RULE,
    ),
    Personal(
        Approval,
        _of_lead(Approval),
        "Drafts from your texts, the writer and members.",
        ("kind", "status", "text", "subject", "facts", "created_at"),
        {
            **_NAMELESS_TEXT,
            "facts": [],
            "warnings": [],
            **dict.fromkeys(("before_text", "before_subject", "opener")),
        },
    ),
    Personal(
        ContactLookup,
        _looked_up,
        "A service that looks up contacts.",
        ("kind", "value", "source", "verdict", "answered_at"),
        {"lead_id": None, "value": "", "source": ""},
        "source",
    ),
    Personal(
        Signal,
        _signals,
        "A service that knows of signals.",
        ("kind", "full_name", "company_name", "job_title", "answer", "created_at"),
        {"full_name": "", "company_name": "", "job_title": "", "answer": {}},
        "source",
    ),
    Personal(
        PlaySample,
        _sampled,
        "A LinkedIn search for an autopilot play.",
        ("found", "reason", "messages", "created_at"),
        DELETE,
    ),
    Personal(
        MonitorPerson,
        _found_by_monitors,
        "A search or signal that a monitor watches.",
        ("found", "state", "reason", "found_at"),
        DELETE,
    ),
    Personal(CrmContact, _in_crm, "Your CRM.", ("email", "values", "stage", "status"), DELETE),
    Personal(CrmMember, _of_person(CrmMember), "A list of your CRM.", ("external_id",), DELETE),
    Personal(
        CrmActivity,
        _of_person(CrmActivity),
        "What was or will be sent to your CRM.",
        ("event", "kind", "subject", "text", "at"),
        DELETE,
    ),
    Personal(
        Action,
        _of_person(Action),
        "What your senders did, and the checks before each contact.",
        ("kind", "state", "at", "text", "subject", "asked"),
        {"error": "", "text": "", "subject": "", "provider_ref": "", "asked": sa.null()},
    ),
    Personal(
        CampaignLead,
        _of_person(CampaignLead),
        "Your campaigns and their outcome.",
        ("state", "connection", "sentiment", "enrolled_at", "finished_at", "error"),
        {"error": ""},
    ),
    Personal(CompanyHold, _of_person(CompanyHold), "A reply of the person.", ("name", "decision", "at"), BY_RULE),
)


def erase(subject: Subject) -> None:
    """Delete or blank all rows whose entry says so. Inside a transaction, before the person's own row is blanked."""
    for entry in PERSONAL:
        if entry.erase == DELETE:
            change: Any = sa.delete(entry.model).where(entry.theirs(subject))
        elif entry.erase == BY_RULE:
            continue
        else:
            change = sa.update(entry.model).where(entry.theirs(subject)).values(entry.erase)
        session().execute(change.execution_options(**_SILENT))


@dataclass(frozen=True)
class Stored:
    """The rows of one table about a person, each with where it came from."""

    table: str
    rows: Sequence[dict[str, Any]]


def stored(subject: Subject) -> list[Stored]:
    """Return everything that PERSONAL finds about the person."""
    return [Stored(entry.name, rows) for entry in PERSONAL if (rows := _rows(entry, subject))]


def _rows(entry: Personal, subject: Subject) -> list[dict[str, Any]]:
    columns = [getattr(entry.model, name) for name in (*entry.shown, *((entry.source,) if entry.source else ()))]
    order = sa.inspect(entry.model).primary_key
    found = session().execute(sa.select(*dict.fromkeys(columns)).where(entry.theirs(subject)).order_by(*order)).all()
    known = sources.by_id([row.source_id for row in found]) if entry.source == "source_id" else {}
    rows = []
    for row in found:
        at = getattr(row, entry.source) if entry.source else ""
        named = f"{known[at].kind} {known[at].name}".strip() if at in known else at if isinstance(at, str) else ""
        origin = f"{entry.origin} ({named})" if named else entry.origin
        rows.append({"origin": origin} | {name: getattr(row, name) for name in entry.shown})
    return rows
