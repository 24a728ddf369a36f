"""Reclassify a reply: update the message, the conversation, what the person answered, the statistics and the tag."""

from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import reply_actions
from app.domain.conversations import messages, search_index
from app.domain.leads import tags
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.platform import locks
from app.domain.webhooks import events
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Message, Sentiment
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
    with locks.changing(workspace.id):
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        last = _reply(thread)
        reply = last if message_id is None else _reply(thread, Message.id == message_id)
        if reply is None and message_id is not None:
            raise InvalidRequest.of(("messageId", "Reply not found in this conversation."))
        if last is None or reply is None:
            raise Conflict("This person hasn't replied yet.", recovery="Only replies have a sentiment.")
        reply.sentiment, thread.updated_at = sentiment, workspace.now()
        if reply.id == last.id:
            thread.sentiment = sentiment
            search_index.index_tone([thread.id])
            _remember(reply, thread.person_id)
            _follow(workspace, thread, reply)
        return thread


def _reply(thread: Conversation, *where: sa.ColumnElement[bool]) -> Message | None:
    """Lock and return the person's newest reply that matches."""
    newest = messages.replies(thread.id).where(*where).order_by(Message.at.desc(), Message.id.desc()).limit(1)
    return session().scalars(newest.with_for_update().execution_options(populate_existing=True)).first()


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
    locked = campaign_leads.of_thread(thread).with_for_update().execution_options(populate_existing=True)
    person = current.scalars(locked).first()
    if person is not None:
        campaign_leads.count_tone(person, reply.sentiment)
    current.flush()
    if lead is None:
        return
    former = next((tag for tag in lead.tags if tag in list(Sentiment)), None)
    changes = former != reply.sentiment
    add, remove = ([reply.sentiment], [former] if former else []) if changes else ([], [])
    tag: dict[str, Any] = {"label": reply.sentiment, "sentiment": reply.sentiment}
    tag |= {"former": former if changes else None, "added": add, "removed": remove}
    about = {"campaign": campaign, "lead": lead, "account": account, "progress": person, "message": reply, "tag": tag}
    events.record(workspace.id, [events.new(f"lead_auto_tagged_{reply.sentiment}", workspace.now(), about)])
    if add:
        tags.tag(workspace, [lead.id], add=add, remove=remove)
    reply_actions.take_back(workspace, reply, person, reply.sentiment)
    reply_actions.run(workspace, reply, person, [reply.sentiment], workspace.now())
