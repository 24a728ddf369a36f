"""Reclassify a reply: update the message, the conversation, what the person answered, the statistics and the tag."""

from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import reply_actions
from app.domain.conversations import search_index
from app.domain.leads import tags
from app.domain.ledger.campaign_counters import SENTIMENTS, Tally
from app.domain.platform import locks
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, Direction, Message, Sentiment
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace


def classify(workspace: Workspace, conversation_id: int, sentiment: str, message_id: int | None = None) -> Conversation:
    """Classify a reply, by default their last.

    For the last reply, update the conversation, the person's answer, the campaign lead and the lead's tag too; an
    earlier one changes only itself. Emit an event with the former tag, also when nothing changed.
    """
    if sentiment not in list(Sentiment):
        raise InvalidRequest.of(("sentiment", f"Use one of {', '.join(Sentiment)}."))
    with transaction():
        locks.lock_workspaces([workspace.id])
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        last = _last_reply(thread)
        reply = last if message_id is None else _reply(thread, message_id)
        if last is None or reply is None:
            raise Conflict("This person hasn't replied yet.", recovery="Only replies have a sentiment.")
        reply.sentiment, thread.updated_at = sentiment, workspace.now()
        if reply.id == last.id:
            thread.sentiment = sentiment
            search_index.index_tone([thread.id])
            _remember(reply, thread.person_id)
            _follow(workspace, thread, reply)
        return thread


def _last_reply(thread: Conversation) -> Message | None:
    query = sa.select(Message).where(
        Message.conversation_id == thread.id, Message.direction == Direction.IN, Message.automatic.is_(False)
    )
    newest = query.order_by(Message.at.desc(), Message.id.desc()).limit(1)
    return session().scalars(newest.with_for_update().execution_options(populate_existing=True)).first()


def _reply(thread: Conversation, message_id: int) -> Message:
    query = sa.select(Message).where(
        Message.id == message_id,
        Message.conversation_id == thread.id,
        Message.direction == Direction.IN,
        Message.automatic.is_(False),
    )
    found = session().scalars(query.with_for_update().execution_options(populate_existing=True)).first()
    if found is None:
        raise InvalidRequest.of(("messageId", "Reply not found in this conversation."))
    return found


def _remember(reply: Message, person_id: int) -> None:
    """Correct the person's answer, unless they or a member said something else since."""
    person = session().get_one(Person, person_id, with_for_update=True)
    if person.replied_at is None or person.replied_at <= reply.at:
        person.answer = reply.sentiment


def _follow(workspace: Workspace, thread: Conversation, reply: Message) -> None:
    """Update the campaign lead, its statistics, the event and the tag."""
    current = session()
    campaign = current.get(Campaign, thread.campaign_id or 0)
    account = current.get_one(Account, thread.sender_id)
    lead = current.get(Lead, thread.lead_id or 0)
    person = _person(thread)
    if person is not None and person.sentiment and person.sentiment != reply.sentiment:
        tally = Tally()
        tally.add(person.campaign_id, **{SENTIMENTS[person.sentiment]: -1, SENTIMENTS[reply.sentiment]: 1})
        person.sentiment = reply.sentiment
        current.flush()
        tally.write()
    current.flush()
    if lead is None:
        return
    former = next((tag for tag in lead.tags if tag in list(Sentiment)), None)
    add, remove = ([reply.sentiment], [former] if former else []) if former != reply.sentiment else ([], [])
    tag: dict[str, Any] = {"label": reply.sentiment, "sentiment": reply.sentiment, "former": former}
    tag |= {"added": add, "removed": remove}
    about = events.about(campaign, lead, account, person, message=reply, tag=tag)
    kind = f"lead_auto_tagged_{reply.sentiment}"
    events.record(workspace.id, [NewEvent(kind, workspace.now(), thread.campaign_id, about)])
    if add:
        tags.tag(workspace, [lead.id], add=add, remove=remove)
    reply_actions.take_back(workspace, reply, person, reply.sentiment)
    reply_actions.run(workspace, reply, person, [reply.sentiment], workspace.now())


def _person(thread: Conversation) -> CampaignLead | None:
    query = sa.select(CampaignLead).where(
        CampaignLead.campaign_id == (thread.campaign_id or 0), CampaignLead.person_id == thread.person_id
    )
    locked = query.order_by(CampaignLead.id.desc()).limit(1).with_for_update()
    return session().scalars(locked.execution_options(populate_existing=True)).first()
