"""Tasks as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource


class Referral(Resource):
    """A person named in a reply, with the data it gave. `personId` is null until they were added to a list."""

    id: int
    """The id of the referral."""
    name: str
    """The name; empty if it was not given."""
    email: str
    """The email address; empty if it was not given."""
    phone: str
    """The phone number; empty if it was not given."""
    position: str
    """The job title; empty if it was not given."""
    person_id: int | None
    """The person in the workspace; null until added."""

    @classmethod
    def of(cls, referral: Any) -> Json:
        return cls.filled(referral, person_id=referral.named_id)


class Task(Resource):
    """Something a member does about a person from `dueAt` on; nothing happens automatically."""

    id: int
    """The id of the task."""
    kind: Literal["come_back", "referral", "reply", "opt_out", "to_do"]
    """Follow up, review a referral, do what a campaign rule asks, decide a possible opt-out, or what was added by hand.

    Until an opt-out is decided, no campaign contacts them.
    """
    task_type: Literal["", "call", "whatsapp", "connection_request", "linkedin_message", "comment", "post", "other"]
    """What to do by hand; "" if none was named."""
    campaign_lead_id: int | None
    """The person in the campaign that waits for this task; null if no campaign made it."""
    continues_at: datetime | None
    """When that campaign continues without it; null if it waits."""
    outcome: str
    """What came of it, in a member's words; empty while it is open."""
    person_id: int
    """The person it is about."""
    person_name: str
    """The name of the person."""
    lead_id: int | None
    """The person's newest lead; null if there is none."""
    conversation_id: int | None
    """The conversation it comes from; null if from none."""
    text: str
    """The quote behind the task, or what to do; "" for an answer marked by hand."""
    guessed: bool
    """True if no day was named, so `dueAt` is a guess."""
    referral: Referral | None
    """The contact that was named; null for other tasks."""
    due_at: datetime
    """When it is due."""
    created_at: datetime
    """When the task was created."""
    done_at: datetime | None
    """When it was done; null while it is open."""
    done_by: str
    """The name of the member or API key that finished it; empty while it is open."""

    @classmethod
    def of(cls, entry: Any) -> Json:
        task, person, referral, lead_id = entry
        return cls.filled(
            task,
            person_name=person.name,
            lead_id=lead_id or None,
            referral=Referral.of(referral) if referral else None,
        )
