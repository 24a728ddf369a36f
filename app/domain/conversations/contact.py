"""The lead that a conversation belongs to."""

import sqlalchemy as sa

from app.core.db import session
from app.models.conversations import Conversation
from app.models.leads import Lead


def lead_of(thread: Conversation) -> Lead | None:
    """Return the lead that the conversation belongs to, else their newest one; None for people on no list."""
    theirs = sa.select(Lead).where(Lead.person_id == thread.person_id, Lead.deleted_at.is_(None))
    own_first = theirs.order_by(sa.case((Lead.id == thread.lead_id, 0), else_=1), Lead.id.desc())
    return session().scalars(own_first.limit(1)).first()
