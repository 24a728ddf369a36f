"""People as API resources: what they answered last."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource

MarkName = Literal["none", "positive", "generic", "negative", "not_now", "replied_elsewhere", "met"]


class PersonAnswer(Resource):
    """A person's last reply, in any campaign or marked manually."""

    person_id: int
    """The person."""
    answer: MarkName
    """Their reply."""
    replied_at: datetime | None
    """When they replied; null if they did not."""
    come_back_at: datetime | None
    """When they asked to be contacted again."""

    @classmethod
    def of(cls, person: Any, answer: str = "none") -> Json:
        return {
            "personId": person.id,
            "answer": answer,
            "repliedAt": person.replied_at,
            "comeBackAt": person.come_back_at,
        }
