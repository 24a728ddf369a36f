"""The doctor's look at rows that contradict each other."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from app.core.db import is_sqlite, session
from app.core.text import counted
from app.domain.installation.doctor_checks.remote import Problem
from app.domain.installation.doctor_checks.schema import MEND, RESTORE
from app.models.accounts import Account
from app.models.campaigns import OPEN_STATES, Campaign, CampaignLead, CampaignStats, CampaignStatus
from app.models.conversations import Attachment, Conversation, ConversationWords, Direction, Message
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import DataSource, IdentityKind, Person, PersonIdentity, PersonTag
from app.models.webhooks import Event
from app.models.workspaces import Workspace


def _of_another(kind: str, value: Any, *conditions: Any) -> sa.ColumnElement[bool]:
    """Return the condition that a person's identity (such as an address) is registered to another person."""
    identity = PersonIdentity
    theirs = (identity.workspace_id == Person.workspace_id, identity.kind == kind, identity.value == value)
    return sa.exists().where(*theirs, identity.person_id != Person.id, *conditions)


def _waits_although(*conditions: Any) -> sa.ColumnElement[bool]:
    """Return the condition that someone still waits in a campaign although a row exists that should have ended it."""
    return sa.and_(CampaignLead.state.in_(OPEN_STATES), sa.exists().where(*conditions))


def _count(*conditions: Any) -> Any:
    return sa.select(sa.func.count()).where(*conditions).scalar_subquery()


_INDEXED = _count(PersonTag.person_id == Person.id)
_RECEIVED = _count(Message.conversation_id == Conversation.id, Message.direction == Direction.IN)
_ADDRESS = sa.exists().where(  # it may belong to another person, as two people can share an address
    PersonIdentity.workspace_id == Person.workspace_id,
    PersonIdentity.kind == IdentityKind.EMAIL,
    PersonIdentity.value == Person.email,
)
# A table, the condition of a wrong row, what that means, and what to do instead of restoring a backup.
_AT_ODDS: tuple[tuple[Any, ...], ...] = (
    (
        CampaignLead,
        sa.exists().where(Lead.id == CampaignLead.lead_id, Lead.person_id != CampaignLead.person_id),
        "the person differs from the one on the list, so messages may go to someone else",
    ),
    (
        Action,
        sa.exists().where(CampaignLead.id == Action.campaign_lead_id, Action.person_id != CampaignLead.person_id),
        "the person differs from the one in the campaign, so people may get a message twice",
    ),
    (
        Message,
        sa.exists().where(
            CampaignLead.id == Message.campaign_lead_id,
            Conversation.id == Message.conversation_id,
            Conversation.person_id != CampaignLead.person_id,
        ),
        "the person differs from the one in the conversation, so replies are shown under the wrong person",
    ),
    (
        Conversation,
        sa.and_(Conversation.unread > 1, Conversation.unread > _RECEIVED),  # one may be marked as unread
        "there are more unread messages than messages, so the inbox shows a wrong count",
        "In the inbox, open the conversation, mark it as unread, and open it again.",
    ),
    (
        Conversation,
        sa.exists().where(Account.id == Conversation.sender_id, Account.channel != Conversation.channel),
        "the sender is of another kind than the conversation, so messages in it can't be sent",
    ),
    (
        CampaignLead,
        _waits_although(
            Campaign.id == CampaignLead.campaign_id,
            Campaign.status.in_([CampaignStatus.FINISHED, CampaignStatus.CANCELED]),
        ),
        "the campaign has ended although these people still wait in it, so they get nothing more",
    ),
    (
        CampaignLead,
        _waits_although(
            Lead.id == CampaignLead.lead_id,
            Person.id == CampaignLead.person_id,
            sa.or_(Lead.deleted_at.is_not(None), Person.erased_at.is_not(None)),
        ),
        "the person was deleted or erased, but may still be contacted",
        "Remove the person from the campaign, then find out who can write to the database.",
    ),
    (
        Person,
        sa.or_(
            _of_another(IdentityKind.PROFILE, Person.public_id),
            _of_another(IdentityKind.EMAIL, Person.email, Person.public_id == ""),
        ),
        "the profile or email leads to someone else, so do-not-contact entries and replies meet the wrong person",
    ),
    (
        Conversation,
        ~sa.exists().where(ConversationWords.conversation_id == Conversation.id),
        "no words are indexed, so search doesn't find these conversations",
        MEND,
    ),
    (
        Campaign,
        ~sa.exists().where(CampaignStats.campaign_id == Campaign.id),
        "the numbers of the campaign are missing, so it can't be shown",
    ),
    (
        Person,
        sa.func.json_array_length(sa.type_coerce(Person.tags, sa.JSON())) > _INDEXED,
        "the tags aren't indexed, so filters don't find these people",
    ),
    (
        Event,
        sa.and_(Event.body != "", ~Event.body.like("{%}")),
        "the content can't be read, so webhooks and `GET /v1/events` fail",
    ),
    (
        Account,
        sa.exists().where(Workspace.id == Account.workspace_id, Workspace.sandbox != (Account.provider == "sandbox")),
        "a sandbox sender is in a live workspace, or the reverse, so nothing is really sent",
    ),
    (
        Person,
        sa.and_(Person.email != "", ~_ADDRESS),
        "the email address isn't indexed, so do-not-contact entries don't protect it",
    ),
    (
        Attachment,
        sa.and_(Attachment.size > 0, Attachment.content.is_(None)),
        "the file is gone, so no one can open or send it",
        "Open the emails in the mailbox, or restore the newest backup.",
    ),
)


def problems() -> Iterator[Problem]:
    """Yield rows that contradict related rows, and invalid settings."""
    for table, wrong, what, *remedy in _AT_ODDS:
        if count := session().scalar(sa.select(sa.func.count()).select_from(table).where(wrong)):
            yield f"In {counted(count, 'row')} of {table.__tablename__}, {what}.", *(remedy or [RESTORE])
    yield from _origins()


def _origins() -> Iterator[Problem]:
    """Yield people with a value whose recorded source does not exist."""
    text = sa.cast(Person.origins, sa.Text()) if is_sqlite() else None
    read = sa.case((sa.func.json_valid(text) == 1, text), else_="{}") if text is not None else Person.origins
    one = sa.func.json_each(read).table_valued("key", "value").alias("origin")
    source = sa.func.json_extract(one.c.value, "$.source") if is_sqlite() else one.c.value.op("->>")("source")
    known = sa.select(DataSource.id).where(DataSource.workspace_id == Person.workspace_id)
    query = sa.select(sa.func.count(Person.id.distinct()), sa.func.min(Person.id)).join(one, sa.true())
    count, first = session().execute(query.where(sa.cast(source, sa.BigInteger).not_in(known))).one()
    if count:
        where = f"In {counted(count, 'row')} of person (the first is {first})"
        yield f"{where}, the source of a value is missing, so exports of personal data lack it.", RESTORE
