"""Events: numbered without gaps per workspace, in the same bytes for every receiver.

`record` runs in the transaction that makes an event true, and queues its deliveries to the webhooks that want it.
"""

import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from pydantic_core import to_json

from app.core import clock
from app.core.db import execute_many, fetch, in_batches, in_list, in_transaction, is_sqlite, session
from app.core.installation import address
from app.domain.webhooks.payload_versions import CURRENT
from app.models.conversations import Conversation
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.models.webhooks import Delivery, DeliveryState, Event, Webhook
from app.models.workspaces import Workspace
from app.resources import event_data as parts
from app.resources.event_data import EventLead

OF_LEAD = ("campaign", "lead", "account", "progress")
OF_MESSAGE = (*OF_LEAD, "message")
OF_TAG = (*OF_MESSAGE, "tag")
OF_DRAFT = (*OF_LEAD, "approval")
BY_HAND = ("account", "message")  # always present, also without a campaign lead


@dataclass(frozen=True, slots=True)
class EventKind:
    """One kind of event: when it is true, under which heading it is listed, which parts its data may hold.

    The parts in `always` are in every event of the kind; each part is a shape of resources.event_parts.
    """

    when: str
    group: str
    parts: tuple[str, ...]
    always: tuple[str, ...]


EVENTS: dict[str, EventKind] = {
    "invite_sent": EventKind("A connection request was sent.", "Outreach", OF_MESSAGE, OF_LEAD),
    "invite_accepted": EventKind("A person accepted a connection request.", "Outreach", OF_LEAD, OF_LEAD),
    "message_sent": EventKind("A message or an email was sent.", "Outreach", (*OF_MESSAGE, "channel"), BY_HAND),
    "inmail_sent": EventKind("An InMail was sent.", "Outreach", OF_MESSAGE, BY_HAND),
    "follow_sent": EventKind("A profile was followed.", "Outreach", OF_LEAD, OF_LEAD),
    "post_liked": EventKind("A person's post was liked.", "Outreach", OF_LEAD, OF_LEAD),
    "profile_viewed": EventKind("A profile was viewed.", "Outreach", OF_LEAD, OF_LEAD),
    "task_done": EventKind("A member completed a campaign task.", "Outreach", OF_LEAD, OF_LEAD),
    "every_reply": EventKind(
        "A person sent a message, other than an out-of-office reply.", "Replies", OF_MESSAGE, BY_HAND
    ),
    "message_reply": EventKind(
        "A person replied to a message or an email for the first time in a campaign.", "Replies", OF_MESSAGE, OF_MESSAGE
    ),
    "inmail_reply": EventKind(
        "A person replied to an InMail for the first time in a campaign.", "Replies", OF_MESSAGE, OF_MESSAGE
    ),
    "lead_auto_tagged_positive": EventKind(
        "A reply was classified as positive.", "Tags", OF_TAG, ("lead", "message", "tag")
    ),
    "lead_auto_tagged_negative": EventKind(
        "A reply was classified as negative.", "Tags", OF_TAG, ("lead", "message", "tag")
    ),
    "lead_auto_tagged_generic": EventKind(
        "A reply was classified as neutral.", "Tags", OF_TAG, ("lead", "message", "tag")
    ),
    "lead_tag_updated": EventKind("A person's tags changed.", "Tags", ("campaign", "lead", "tag"), ("lead", "tag")),
    "meeting_booked": EventKind(
        "A person booked a meeting.", "Replies", ("campaign", "lead", "account", "progress", "meeting"), ("meeting",)
    ),
    "lead_finished_without_reply": EventKind(
        "A person reached the end of the steps without replying, 7 days after the last action, if there was any.",
        "Ends",
        OF_LEAD,
        ("campaign", "lead", "progress"),
    ),
    "campaign_completed": EventKind("The last person in a campaign finished.", "Ends", ("campaign",), ("campaign",)),
    "campaign_started": EventKind("A campaign started.", "Campaigns", ("campaign",), ("campaign",)),
    "campaign_paused": EventKind("A campaign was paused.", "Campaigns", ("campaign", "reason"), ("campaign",)),
    "person_held": EventKind(
        "A person was put on hold because someone else at their company replied.",
        "Campaigns",
        OF_LEAD,
        ("campaign", "lead", "progress"),
    ),
    "approval_waiting": EventKind(
        "A draft is waiting for approval.", "Approvals", OF_DRAFT, ("campaign", "lead", "progress", "approval")
    ),
    "approval_expired": EventKind(
        "A draft expired without a decision.", "Approvals", OF_DRAFT, ("campaign", "lead", "progress", "approval")
    ),
    "email_bounced": EventKind("An email bounced.", "Email and absences", (*OF_LEAD, "bounce"), ("account", "bounce")),
    "unsubscribed": EventKind(
        "A person asked not to be contacted.",
        "Email and absences",
        ("campaign", "lead", "unsubscription"),
        ("unsubscription",),
    ),
    "out_of_office": EventKind(
        "An out-of-office reply came in.", "Email and absences", (*OF_MESSAGE, "absence"), (*BY_HAND, "absence")
    ),
    "account_connected": EventKind(
        "A sender was connected, or connected again.", "Senders", ("account",), ("account",)
    ),
    "account_disconnected": EventKind(
        "A sender was signed out and stopped sending.", "Senders", ("account", "reason"), ("account", "reason")
    ),
    "import_finished": EventKind("An import ended.", "Data", ("import",), ("import",)),
    "enrichment_finished": EventKind(
        "A lookup of email addresses or phone numbers ended.", "Data", ("enrichment",), ("enrichment",)
    ),
}

_SAMPLE_PARTS: dict[str, Any] = {
    "campaign": {"id": 31, "name": "Spring outreach"},
    "lead": {
        "id": 1204,
        "publicId": "ada-example",
        "profileUrl": "https://network.example/in/ada-example",
        "firstName": "Ada",
        "lastName": "Example",
        "headline": "Head of Operations",
        "companyName": "Example Ltd",
        "position": "COO",
        "email": "ada@example.com",
        "phone": "+44 20 7946 0000",
        "tags": ["vip", "berlin"],
        "customFields": {"segment": "B"},
        "list": {"id": 12, "name": "Operations leaders"},
        "conversationUrl": "https://overture.example/conversations/88",
    },
    "account": {"id": 3, "name": "Ines Duarte"},
    "progress": {"state": "active", "connection": "accepted", "replied": False, "messagesSent": 1},
    "message": {
        "id": 5117,
        "conversationId": 88,
        "kind": "message",
        "text": "Hello Ada, thank you for connecting.",
        "at": "2026-01-15T10:20:00.000Z",
    },
    "tag": {"label": "positive", "sentiment": "positive", "former": None, "added": ["positive"], "removed": []},
    "channel": "social",
    "bounce": {
        "address": "ada@example.com",
        "reason": "550 5.1.1 No such user here",
        "permanent": True,
        "senderAtFault": False,
    },
    "unsubscription": {"how": "link", "address": "ada@example.com"},
    "absence": {"until": "2026-01-26T08:00:00.000Z"},
    "approval": {
        "id": 904,
        "kind": "message",
        "subject": "",
        "text": "Hello Ada, thank you for connecting.",
        "expiresAt": "2026-01-29T10:20:00.000Z",
        "url": "https://overture.example/approvals/904",
    },
    "reason": "LinkedIn requires a security check.",
    "import": {
        "id": 41,
        "kind": "file",
        "state": "done",
        "list": {"id": 12, "name": "Operations leaders"},
        "fileName": "leaders.csv",
        "added": 180,
        "updated": 12,
        "skipped": 4,
        "invalid": 1,
        "error": "",
    },
    "enrichment": {
        "id": 17,
        "what": "email",
        "state": "finished",
        "list": {"id": 12, "name": "Operations leaders"},
        "queued": 180,
        "found": 131,
        "missed": 45,
        "skipped": 4,
        "credits": 131,
        "error": "",
    },
    "meeting": {
        "id": 12,
        "service": "cal",
        "title": "30 minutes",
        "name": "Ada Example",
        "email": "ada@example.com",
        "startsAt": "2026-01-20T09:00:00.000Z",
        "endsAt": "2026-01-20T09:30:00.000Z",
    },
}
_INVITED = {"connection": "sent", "messagesSent": 0}
_POSITIVE = {"text": "Yes, please send me the details."}
_NEGATIVE = {"text": "No, thanks. We have just bought something else."}
_GENERIC = {"text": "Who else works with you?"}
_REPLIED = {"state": "finished", "replied": True}
# Where a kind's sample differs from the parts above.
_SAMPLES: dict[str, dict[str, Any]] = {
    "invite_sent": {
        "progress": {"state": "awaiting_accept", **_INVITED},
        "message": {"text": "Hi Ada, we both work in logistics."},
    },
    "invite_accepted": {"progress": {"messagesSent": 0}},
    "inmail_sent": {"message": {"kind": "inmail"}, "progress": {"connection": "none"}},
    "every_reply": {"message": _POSITIVE},
    "message_reply": {"message": _POSITIVE, "progress": _REPLIED},
    "inmail_reply": {"message": {**_POSITIVE, "kind": "inmail"}, "progress": {**_REPLIED, "connection": "none"}},
    "lead_auto_tagged_positive": {"message": _POSITIVE, "progress": _REPLIED},
    "lead_auto_tagged_negative": {
        "message": _NEGATIVE,
        "progress": _REPLIED,
        "tag": {"label": "negative", "sentiment": "negative", "added": ["negative"]},
    },
    "lead_auto_tagged_generic": {
        "message": _GENERIC,
        "progress": _REPLIED,
        "tag": {"label": "generic", "sentiment": "generic", "added": ["generic"]},
    },
    "lead_tag_updated": {
        "tag": {"label": "vip, berlin", "sentiment": None, "former": "vip", "added": ["berlin"], "removed": []}
    },
    "lead_finished_without_reply": {"progress": {"state": "finished"}},
    "out_of_office": {"message": {"kind": "email", "text": "I am out of the office until 26 January."}},
}


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that has just become true. `once` names what may only become true one time in a workspace."""

    kind: str
    at: datetime
    campaign_id: int | None
    data: dict[str, Any]
    once: str | None = None


def record(workspace_id: int, happenings: Sequence[NewEvent]) -> None:
    """Record events with the next sequence numbers and queue their deliveries."""
    record_all({workspace_id: happenings})


def record_all(happenings: Mapping[int, Sequence[NewEvent]]) -> None:
    """Record the events of many workspaces in a handful of statements; skip known `once` keys."""
    if not in_transaction():
        raise RuntimeError("An event is recorded in the transaction that makes it true.")
    wanted = {workspace_id: happenings[workspace_id] for workspace_id in sorted(happenings)}
    if any(happening.once is not None for several in wanted.values() for happening in several):
        wanted = _without_known(wanted)
    wanted = {workspace_id: several for workspace_id, several in wanted.items() if several}
    if not wanted:
        return
    people = _load_people(wanted, [happening.data for several in wanted.values() for happening in several])
    first, heard = _take_numbers(wanted)
    written = [
        _row(workspace_id, number, replace(happening, data=people.complete(happening.data)))
        for workspace_id, several in wanted.items()
        for number, happening in enumerate(several, first[workspace_id])
    ]
    execute_many(_PUT, written)
    _queue({workspace_id: wanted[workspace_id] for workspace_id in heard}, first)


def page(
    workspace: Workspace, after: int = 0, kinds: Sequence[str] | None = None, since: datetime | None = None
) -> sa.Select[Any]:
    """Select the workspace's events after a number and since a time, all or of some kinds, for reading in order.

    Events whose content was deleted are left out.
    """
    wanted = [Event.workspace_id == workspace.id, Event.sequence > max(after, workspace.payloads_gone_to)]
    if kinds is not None:
        wanted.append(Event.kind.in_(kinds))
    if since is not None:
        wanted.append(Event.created_at >= since)
    return cast(sa.Select[Any], sa.select(Event.sequence, Event.body).where(*wanted))


_OF_ROWS: dict[str, Any] = {
    "campaign": parts.EventCampaign.filled,
    "lead": parts.EventLead.of,
    "account": parts.EventAccount.filled,
    "progress": parts.EventProgress.of,
    "message": parts.EventMessage.of,
    "tag": parts.EventTag.of,
}


def new(kind: str, at: datetime, about: Mapping[str, Any], once: str | None = None) -> NewEvent:
    """Return an event about these rows, by the names of its parts; None leaves one out.

    Parts that are not made of rows are given as they are.
    """
    data = {
        name: _OF_ROWS[name](part) if name in _OF_ROWS else part for name, part in about.items() if part is not None
    }
    return NewEvent(kind, at, about["campaign"].id if "campaign" in data else None, data, once)


def new_ref(prefix: str = "evt_") -> str:
    """Return an unguessable id; later ids sort after earlier ones, which keeps their index quick."""
    return f"{prefix}{time.time_ns() >> 20:011x}{secrets.token_hex(9)}"


def sample(kind: str) -> dict[str, Any]:
    """Return sample `data` of that kind of event, for tests of an endpoint and for documentation."""
    sample = {part: deepcopy(_SAMPLE_PARTS[part]) for part in EVENTS[kind].parts}
    for part, different in _SAMPLES.get(kind, {}).items():
        sample[part] |= different
    return sample


def body(ref: str, kind: str, at: datetime, workspace_id: int, data: Any, **marks: Any) -> str:
    """Return the JSON text in the newest version. `marks` are `sequence`, or `test` for a test event."""
    written = parts.moment(at)
    whole = {"id": ref, **marks, "type": kind, "version": CURRENT, "createdAt": written, "timestamp": written}
    return to_json({**whole, "workspaceId": workspace_id, "data": data}).decode()


_EVENT = cast(sa.Table, Event.__table__)
_PUT = sa.insert(_EVENT)
_DELIVERY = cast(sa.Table, Delivery.__table__)
_WORKSPACE = cast(sa.Table, Workspace.__table__)
_TAKE = (
    sa.update(_WORKSPACE)
    .where(_WORKSPACE.c.id == sa.bindparam("of"))
    .values(event_sequence=_WORKSPACE.c.event_sequence + sa.bindparam("count"))
    # Without a table, SQLite would take `id` for that of the webhook.
    .returning(
        _WORKSPACE.c.event_sequence, sa.exists().where(Webhook.workspace_id == sa.literal_column("workspace.id"))
    )
)
_LISTENING = (
    sa.select(
        *(Webhook.id, Webhook.workspace_id, Webhook.event, Webhook.more_events, Webhook.campaign_ids),
        *(Webhook.active, Webhook.payload_version, Webhook.probe_at),
    )
).order_by(Webhook.id)
_OF_WORKSPACES = _LISTENING.where(Webhook.workspace_id.in_(sa.bindparam("workspaces", expanding=True)))
# On Postgres, lock the webhooks until the transaction ends, so that none is deleted or starts to rest meanwhile.
_HELD = _LISTENING.where(Webhook.id.in_(sa.bindparam("ids", expanding=True))).with_for_update(read=True)
_NO_LEAD: dict[str, Any] = {}


def _without_known(wanted: dict[int, Sequence[NewEvent]]) -> dict[int, Sequence[NewEvent]]:
    """Drop events whose `once` is known; lock the workspaces first, so that no other worker records them."""
    current = session()
    if not is_sqlite():
        current.execute(
            sa.select(Workspace.id).where(Workspace.id.in_(wanted)).order_by(Workspace.id).with_for_update()
        )
    once = [h.once for several in wanted.values() for h in several if h.once is not None]
    query = sa.select(Event.workspace_id, Event.once).where(Event.workspace_id.in_(wanted), in_list(Event.once, once))
    known = {(workspace_id, name) for workspace_id, name in current.execute(query)}
    fresh: dict[int, Sequence[NewEvent]] = {}
    for workspace_id, several in wanted.items():
        kept = fresh[workspace_id] = []
        for happening in several:
            if happening.once is not None:
                if (workspace_id, happening.once) in known:
                    continue
                known.add((workspace_id, happening.once))
            kept.append(happening)
    return fresh


def _take_numbers(wanted: Mapping[int, Sequence[NewEvent]]) -> tuple[dict[int, int], list[int]]:
    """Reserve sequence numbers; return the first one of each workspace, and the workspaces that have a webhook."""
    first, heard = {}, []
    for workspace_id, several in wanted.items():
        ((last, is_heard),) = fetch(_TAKE, of=workspace_id, count=len(several))
        first[workspace_id] = last - len(several) + 1
        if is_heard:
            heard.append(workspace_id)
    return first, heard


def _row(workspace_id: int, sequence: int, happening: NewEvent) -> dict[str, Any]:
    ref = new_ref()
    return {
        "workspace_id": workspace_id,
        "sequence": sequence,
        "ref": ref,
        "kind": happening.kind,
        "campaign_id": happening.campaign_id,
        "lead_id": happening.data.get("lead", _NO_LEAD).get("id"),
        "once": happening.once,
        "body": body(ref, happening.kind, happening.at, workspace_id, happening.data, sequence=sequence),
        "created_at": happening.at,
    }


def _queue(wanted: Mapping[int, Sequence[NewEvent]], first: Mapping[int, int]) -> None:
    """Queue a delivery to each webhook for every event it wants; of one that is off, note what it misses."""
    for webhook in _listening(wanted):
        several = wanted[webhook.workspace_id]
        begin = first[webhook.workspace_id]
        conditions = [
            Event.workspace_id == webhook.workspace_id,
            Event.sequence.between(begin, begin + len(several) - 1),
            Event.kind.in_(_kinds(webhook)),
        ]
        if webhook.campaign_ids:
            conditions.append(Event.campaign_id.in_(webhook.campaign_ids))
        queue(webhook, conditions, missed=not webhook.active)


def _listening(wanted: Mapping[int, Sequence[NewEvent]]) -> Iterable[Any]:
    kinds = {workspace_id: {one.kind for one in several} for workspace_id, several in wanted.items()}
    for some in in_batches(list(wanted)):
        found = [one for one in fetch(_OF_WORKSPACES, workspaces=some) if kinds[one.workspace_id] & _kinds(one)]
        if found and not is_sqlite():
            found = list(fetch(_HELD, ids=[one.id for one in found]))
        yield from found


def _kinds(webhook: Any) -> set[str]:
    return {webhook.event, *(webhook.more_events or ())}


def queue(webhook: Any, conditions: Sequence[sa.ColumnElement[bool]], *, missed: bool = False) -> int:
    """Queue a delivery of every matching event in order, or note that it was missed; return how many."""
    at = clock.now()
    # otherwise it waits for the probe that checks whether the endpoint answers again
    due = None if webhook.probe_at or missed else at
    columns = {
        "workspace_id": Event.workspace_id,
        "webhook_id": sa.literal(webhook.id),
        "event_id": Event.id,
        "payload_version": sa.literal(webhook.payload_version),
        "test_kind": sa.literal(""),
        "test_ref": sa.literal(""),
        "test_body": sa.literal(""),
        "state": sa.literal(str(DeliveryState.CANCELED if missed else DeliveryState.PENDING)),
        "attempts": sa.literal(0),
        "last_error": sa.literal(""),
        "due_at": sa.literal(due, type_=Delivery.due_at.type),
        "done_at": sa.literal(at if missed else None, type_=Delivery.done_at.type),
        "created_at": sa.literal(at, type_=Delivery.created_at.type),
    }
    chosen = sa.select(*columns.values()).where(*conditions).order_by(Event.id)
    put = sa.insert(_DELIVERY).from_select(list(columns), chosen).execution_options(preserve_rowcount=True)
    return session().connection().execute(put).rowcount


@dataclass(frozen=True)
class _People:
    """The leads of some events, and the conversations with them: the newest of a person, and that of each sender."""

    leads: Mapping[int, Any]
    threads: Mapping[tuple[int, int | None], int]

    def complete(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the data of an event together with everything about its lead."""
        found = self.leads.get(data.get("lead", {}).get("id", 0))
        if found is None:
            return data
        thread = (data.get("message") or {}).get("conversationId")
        for sender in (data.get("account", {}).get("id"), None):
            thread = thread or self.threads.get((found.person_id, sender))
        more = EventLead.more(found, address(f"/conversations/{thread}") if thread else None)
        return {**data, "lead": {**data["lead"], **more}}


def _load_people(workspace_ids: Collection[int], events: Iterable[dict[str, Any]]) -> _People:
    """Load the leads that these data of events name. Inside a transaction."""
    named = {data["lead"]["id"] for data in events if "id" in data.get("lead", {})}
    if not named:
        return _People({}, {})
    query = _LEADS_TOLD.where(in_list(Lead.workspace_id, workspace_ids), in_list(Lead.id, sorted(named)))
    leads, threads = dict[int, Any](), dict[tuple[int, int | None], int]()
    for row in session().execute(query):
        leads[row.id] = row
        if row.thread:
            threads[row.person_id, row.sender_id] = threads[row.person_id, None] = row.thread
    return _People(leads, threads)


_LEADS_TOLD = (
    sa.select(
        *(Lead.id, Lead.person_id, LeadList.id.label("list_id"), LeadList.name.label("list_name")),
        *(Person.position, Person.email, Person.phone, Person.tags, Person.custom_fields),
        *(Conversation.id.label("thread"), Conversation.sender_id),
    )
    .join(Person, Person.id == Lead.person_id)
    .outerjoin(LeadList, LeadList.id == Lead.list_id)
    .outerjoin(Conversation, Conversation.person_id == Lead.person_id)
    .order_by(Conversation.last_message_at, Conversation.id)
)
