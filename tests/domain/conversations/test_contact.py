"""The other person of a conversation."""

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.conversations import contact
from app.domain.leads import leads, lists
from app.domain.people import people
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.workspaces import Workspace


@pytest.fixture
def ada(acme: Workspace) -> Lead:
    """A lead of ours."""
    return add(acme, "Founders")


def add(workspace: Workspace, name: str) -> Lead:
    """Ada, in a list of that name."""
    made = lists.create_list(workspace, name)
    leads.add(workspace, made.id, [{"publicId": "ada"}])
    return session().scalars(sa.select(Lead).where(Lead.list_id == made.id)).one()


def thread(workspace: Workspace, lead: Lead | None) -> Conversation:
    """A conversation with Ada."""
    at = workspace.now()
    with transaction() as current:
        talk = Conversation(
            workspace_id=workspace.id,
            sender_id=accounts.every(workspace)[0].id,
            lead_id=lead.id if lead else None,
            person_id=people.ensure(workspace, "ada"),
            channel=Channel.SOCIAL,
            last_message_at=at,
            last_direction="in",
            created_at=at,
            updated_at=at,
        )
        current.add(talk)
    return talk


def test_the_contact_is_the_lead_of_the_conversation_where_the_person_is_in_many_lists(
    acme: Workspace, ada: Lead
) -> None:
    add(acme, "Customers")
    assert contact.lead_of(thread(acme, ada)) is ada


def test_without_a_lead_of_its_own_the_contact_is_the_newest_of_the_person(acme: Workspace, ada: Lead) -> None:
    newest = add(acme, "Customers")
    assert contact.lead_of(thread(acme, None)) is newest


def test_when_that_lead_is_gone_another_of_the_same_person_stands_in(acme: Workspace, ada: Lead) -> None:
    other = add(acme, "Customers")
    talk = thread(acme, other)
    with transaction() as current:
        current.get_one(Lead, other.id).deleted_at = acme.now()
    assert contact.lead_of(talk) is ada


def test_a_lead_of_another_workspace_is_not_the_person(acme: Workspace, rival: Workspace) -> None:
    add(rival, "Founders")
    assert contact.lead_of(thread(acme, None)) is None
