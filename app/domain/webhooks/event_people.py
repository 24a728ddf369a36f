"""The people of events: what the newest payload says of them beside their names, as it stands when it is recorded."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.core.installation import address
from app.models.conversations import Conversation
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.resources.event_data import EventLead

Json = dict[str, Any]


@dataclass(frozen=True)
class EventPeople:
    """The leads of some events, and the conversations with them: the newest of a person, and that of each sender."""

    leads: Mapping[int, Any]
    threads: Mapping[tuple[int, int | None], int]

    def complete(self, data: Json) -> Json:
        """Return the data of an event with all that is said of its lead."""
        found = self.leads.get(data.get("lead", {}).get("id", 0))
        if found is None:
            return data
        thread = (data.get("message") or {}).get("conversationId")
        for sender in (data.get("account", {}).get("id"), None):
            thread = thread or self.threads.get((found.person_id, sender))
        more = EventLead.more(found, address(f"/conversations/{thread}") if thread else None)
        return {**data, "lead": {**data["lead"], **more}}


def load(workspace_ids: Collection[int], events: Iterable[Json]) -> EventPeople:
    """Load the leads that these data of events name. Inside a transaction."""
    named = {data["lead"]["id"] for data in events if "id" in data.get("lead", {})}
    if not named:
        return EventPeople({}, {})
    query = _LEADS.where(in_list(Lead.workspace_id, workspace_ids), in_list(Lead.id, sorted(named)))
    leads, threads = dict[int, Any](), dict[tuple[int, int | None], int]()
    for row in session().execute(query):
        leads[row.id] = row
        if row.thread:
            threads[row.person_id, row.sender_id] = threads[row.person_id, None] = row.thread
    return EventPeople(leads, threads)


_LEADS = (
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
