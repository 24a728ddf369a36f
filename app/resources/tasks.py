"""Tasks as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource


class Referral(Resource):
    """A person named in a reply, with the data it gave. `personId` is null until they were added to a list."""

    id: int
    name: str
    email: str
    phone: str
    position: str
    person_id: int | None

    @classmethod
    def of(cls, referral: Any) -> Json:
        same = {name: getattr(referral, name) for name in ("id", "name", "email", "phone", "position")}
        return same | {"personId": referral.named_id}


class Task(Resource):
    """Something a member does about a person from `dueAt` on; nothing happens automatically."""

    id: int
    kind: Literal["come_back", "referral", "reply", "opt_out"] = Field(
        description="Follow up, review a referral, do what a campaign rule asks, or decide a possible opt-out;"
        " until then no campaign contacts them."
    )
    person_id: int
    person_name: str
    lead_id: int | None
    conversation_id: int | None
    text: str = Field(description='The quote behind the task; "" for manual tasks.')
    guessed: bool = Field(description="No day was named, so `dueAt` is a guess.")
    referral: Referral | None
    due_at: datetime
    created_at: datetime
    done_at: datetime | None
    done_by: str

    @classmethod
    def of(cls, entry: Any) -> Json:
        task, person, referral, lead_id = entry
        same = ("id", "kind", "text", "guessed")
        return {name: getattr(task, name) for name in same} | {
            "personId": task.person_id,
            "personName": person.name,
            "leadId": lead_id or None,
            "conversationId": task.conversation_id,
            "referral": Referral.of(referral) if referral else None,
            "dueAt": task.due_at,
            "createdAt": task.created_at,
            "doneAt": task.done_at,
            "doneBy": task.done_by,
        }
