"""The other person of a conversation: a lead, or a profile known only by its public id."""

from dataclasses import dataclass, field

import sqlalchemy as sa

from app.core.db import session
from app.models.conversations import Conversation
from app.models.leads import Lead


@dataclass(frozen=True)
class UnknownContact:
    """A person who is not on any list, with the attributes of a lead."""

    person: str
    id: int = 0
    list_id: int | None = None
    profile_url: str = ""
    first_name: str = ""
    last_name: str = ""
    headline: str = ""
    position: str = ""
    company_name: str = ""
    company_url: str = ""
    location: str = ""
    image_url: str = ""
    email: str = ""
    phone: str = ""
    tags: list[str] = field(default_factory=list)

    @property
    def public_id(self) -> str:
        return self.person

    @property
    def name(self) -> str:
        """Return the public id, which stands in for the name."""
        return self.person


def for_thread(thread: Conversation) -> Lead | UnknownContact:
    """Return the conversation's lead, another lead of the same person, or an unknown contact."""
    ours = (Lead.workspace_id == thread.workspace_id, Lead.deleted_at.is_(None))
    found = None
    if thread.lead_id is not None:
        found = session().scalar(sa.select(Lead).where(Lead.id == thread.lead_id, *ours))
    if found is None:
        same = sa.select(Lead).where(Lead.person == thread.person, *ours)
        found = session().scalars(same.order_by(Lead.id.desc()).limit(1)).first()
    return found or UnknownContact(thread.person)
