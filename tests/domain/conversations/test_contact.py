"""The other person of a conversation."""

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.conversations import threads
from app.domain.leads import leads, lists
from app.domain.people import people
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.workspaces import Workspace


def test_the_contact_is_the_lead_of_the_conversation_or_else_the_newest_of_the_person(
    acme: Workspace, rival: Workspace
) -> None:
    """When that lead is gone another of the same person stands in, but none of another workspace."""
    add(rival, "Founders")
    at = acme.now()
    with transaction() as current:
        talk = Conversation(
            workspace_id=acme.id,
            sender_id=accounts.every(acme)[0].id,
            person_id=people.ensure(acme, "ada"),
            channel=Channel.SOCIAL,
            last_message_at=at,
            last_direction="in",
            created_at=at,
            updated_at=at,
        )
        current.add(talk)
    assert threads.lead_of(talk) is None
    first, second = add(acme, "Founders"), add(acme, "Customers")
    assert threads.lead_of(talk) is second
    for own in (first, second):
        with transaction():
            talk.lead_id = own.id
        assert threads.lead_of(talk) is own
    with transaction() as current:
        current.get_one(Lead, second.id).deleted_at = acme.now()
    assert threads.lead_of(talk) is first


def add(workspace: Workspace, name: str) -> Lead:
    made = lists.create_list(workspace, name)
    leads.add(workspace, made.id, [{"publicId": "ada"}])
    return session().scalars(sa.select(Lead).where(Lead.list_id == made.id)).one()
