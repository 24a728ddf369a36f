"""Tasks as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource


class Referral(Resource):
    """A person named in a reply, with the data from the reply."""

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
    """The id of the person; null until the person is added to a list."""

    @classmethod
    def of(cls, referral: Any) -> Json:
        return cls.filled(referral, person_id=referral.named_id)


class Task(Resource):
    """A task that a member has to do about a person."""

    id: int
    """The id of the task."""
    kind: Literal["come_back", "referral", "reply", "opt_out", "to_do"]
    """What the task is for: follow up (`come_back`), review a referral (`referral`), act on a reply (`reply`), decide a
    possible opt-out (`opt_out`), or anything else (`to_do`).

    Until a possible opt-out is decided, no campaign contacts the person.
    """
    task_type: Literal["", "call", "whatsapp", "connection_request", "linkedin_message", "comment", "post", "other"]
    """What to do by hand, such as `call`, or `other` for anything else; empty if the task names nothing."""
    campaign_lead_id: int | None
    """The id of the campaign lead that is waiting for this task; null if no campaign created the task."""
    continues_at: datetime | None
    """When the campaign continues if the task is still open; null if the campaign waits for the task."""
    outcome: str
    """The outcome of the task, in a member's words; empty while the task is open."""
    person_id: int
    """The id of the person the task is about."""
    person_name: str
    """The name of the person."""
    lead_id: int | None
    """The id of the person's newest lead; null if there is none."""
    conversation_id: int | None
    """The id of the conversation the task comes from; null if there is none."""
    text: str
    """What to do, or the person's words that led to the task; empty if a member recorded the reply."""
    guessed: bool
    """True if `dueAt` is a guess, because the person named no day."""
    referral: Referral | None
    """The person who was referred; null unless the task is a referral."""
    due_at: datetime
    """When the task is due; for a day you chose, at 8:00 in the workspace's time zone."""
    created_at: datetime
    """When the task was created."""
    done_at: datetime | None
    """When the task was done; null while it is open."""
    done_by: str
    """The name of the member or API key that finished the task; empty while it is open."""

    @classmethod
    def of(cls, entry: Any) -> Json:
        task, person, referral, lead_id = entry
        return cls.filled(task, person_name=person.name, lead_id=lead_id or None, referral=referral)
