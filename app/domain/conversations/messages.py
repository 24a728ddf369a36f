"""Conversations and their messages in both directions; saving a message twice is harmless."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from app.core import clock
from app.core.db import by_dialect, fetch, in_batches, insert, session
from app.domain.conversations import attachments, search_index
from app.domain.rules.step_kinds import STEPS
from app.models.conversations import Conversation, Direction, Message, MessageStatus
from app.models.workspaces import Workspace, moved
from app.ports import File, Parties, Party, Receipt, SenderAction

NO_PARTIES = Parties()
THEY_WROTE = "A new message arrived before this was sent. Read it, then send or edit yours."
NOT_SENT = "Your message was not delivered."
_CONVERSATIONS: Any = Conversation.__table__
_MESSAGES: Any = Message.__table__


class SentAction(Protocol):
    """What a conversation needs to know of an action that was sent."""

    @property
    def action_id(self) -> int: ...
    @property
    def account(self) -> Any: ...
    @property
    def campaign(self) -> Any: ...
    @property
    def campaign_lead_id(self) -> int: ...
    @property
    def lead(self) -> Any: ...
    @property
    def action(self) -> SenderAction: ...
    @property
    def at(self) -> datetime: ...


def note_change(conversation_id: int) -> None:
    """Note that something of the conversation or its messages changed now. Inside a transaction."""
    thread = session().get(Conversation, conversation_id)
    if thread is not None:
        thread.updated_at = _workspace_time(thread.workspace_id)


def fail(message: Message, sentence: str) -> None:
    """Mark a manual message as not sent, and bring its conversation back to whoever wrote it. Inside a transaction."""
    message.status, message.error, message.due_at = MessageStatus.FAILED, sentence, None
    thread = session().get_one(Conversation, message.conversation_id)
    thread.updated_at = thread.remind_at = _workspace_time(thread.workspace_id)
    thread.remind_by, thread.remind_text, thread.done_at = "", NOT_SENT, None


def replies(conversation_id: int | None) -> sa.Select[Message]:
    """Select what the person wrote in the conversation; automatic replies do not count."""
    wrote = (Message.direction == Direction.IN, Message.automatic.is_(False))
    return sa.select(Message).where(Message.conversation_id == conversation_id, *wrote)


def last_reply(conversation_id: int | None) -> int:
    """Return the id of the person's newest message, 0 without one; automatic replies do not count."""
    return session().scalar(replies(conversation_id).with_only_columns(sa.func.max(Message.id))) or 0


def last_letter(conversation_id: int) -> Mapping[str, Any]:
    """Return who wrote and got the person's newest message, and its files, as they are kept; empty without any."""
    query = replies(conversation_id).with_only_columns(Message.letter)
    return session().scalar(query.order_by(Message.at.desc(), Message.id.desc()).limit(1)) or {}


def last_written(conversation_id: int) -> int:
    """Return the id of the newest message written by hand, 0 without one."""
    written = (Message.conversation_id == conversation_id, Message.by_hand.is_(True))
    return session().scalar(sa.select(sa.func.max(Message.id)).where(*written)) or 0


def note_last(thread: Conversation) -> None:
    """Store which message of the conversation is the newest. Inside a transaction."""
    query = sa.select(Message.at, Message.direction).where(Message.conversation_id == thread.id)
    last = session().execute(query.order_by(Message.at.desc(), Message.id.desc()).limit(1)).first()
    if last:
        thread.last_message_at, thread.last_direction = last.at, last.direction


def _workspace_time(workspace_id: int) -> datetime:
    return session().get_one(Workspace, workspace_id).now()


def _now_of(account: Any) -> datetime:
    """Return the time on the clock of the sender's workspace; a turn loads its sender with that clock's offset."""
    offset = getattr(account, "clock_offset", None)
    return _workspace_time(account.workspace_id) if offset is None else moved(clock.now(), offset)


def outgoing(sent: Sequence[tuple[SentAction, Receipt]]) -> dict[int, Any]:
    """Add sent messages to their conversations; return the message rows by action id. Inside a transaction."""
    said = [
        (intent, receipt)
        for intent, receipt in sent
        if (kind := STEPS.get(intent.action.kind)) and kind.reaches and not kind.by_hand and intent.action.text
    ]
    if not said:
        return {}
    written = _threads(
        [
            _thread(intent.account, intent.lead.person_id, intent.at)
            | {"lead_id": intent.lead.id, "campaign_id": intent.campaign.id}
            for intent, _ in said
        ]
    )
    threads = {(row.sender_id, row.person_id): row.id for row in written}
    rows = [
        {
            "workspace_id": intent.account.workspace_id,
            "conversation_id": threads[intent.account.id, intent.lead.person_id],
            "campaign_lead_id": intent.campaign_lead_id,
            "action_id": intent.action_id,
            "direction": Direction.OUT,
            "kind": "message" if intent.action.kind == "connection_request" else intent.action.kind,
            "text": intent.action.text,
            "subject": intent.action.subject,
            "provider_id": receipt.ref or f"action:{intent.action_id}",
            "automatic": False,
            "sentiment": "",
            "at": intent.at,
            "letter": _addressed(intent.action),
        }
        for intent, receipt in said
    ]
    new = session().connection().execute(_message_statement().returning(*_MESSAGES.c), rows)
    found = {row.action_id: row for row in new}
    search_index.index(_texts_by_conversation(rows), written)
    for batch in in_batches([row["action_id"] for row in rows if row["action_id"] not in found]):  # others are saved
        found.update({row.action_id: row for row in fetch(_OF_ACTIONS, actions=batch)})
    return found


def _addressed(action: SenderAction) -> dict[str, Any] | None:
    """Return who an email was sent to; None for other messages."""
    person = action.person
    to = [f"{person.first_name} {person.last_name}".strip(), person.email]
    return {"from": [], "to": [to], "cc": []} if action.kind == "email" else None


def _texts_by_conversation(rows: Sequence[dict[str, Any]]) -> dict[int, str]:
    """Return the messages' text by conversation."""
    said: defaultdict[int, str] = defaultdict(str)
    for row in rows:
        said[row["conversation_id"]] += f"{row['subject']} {row['text']}\n"
    return said


_OF_ACTIONS = sa.select(_MESSAGES).where(_MESSAGES.c.action_id.in_(sa.bindparam("actions", expanding=True)))


@by_dialect
def _message_statement() -> Any:
    return insert(Message).on_conflict_do_nothing()


def _thread(account: Any, person_id: int, at: datetime) -> dict[str, Any]:
    """Return the conversation of a sender and a person with a message of ours."""
    return {
        "workspace_id": account.workspace_id,
        "sender_id": account.id,
        "person_id": person_id,
        "channel": account.channel,
        "unread": 0,
        "sentiment": "",
        "last_message_at": at,
        "last_direction": Direction.OUT,
        "created_at": at,
        "updated_at": _now_of(account),
    }


def _threads(rows: list[dict[str, Any]]) -> Sequence[Any]:
    """Find or create the conversations of these senders and people; return them as the search index knows them."""
    apart = {(row["sender_id"], row["person_id"]): row for row in rows}  # Postgres changes no row twice at once
    return session().connection().execute(_thread_statement(), list(apart.values())).all()


@by_dialect
def _thread_statement() -> Any:
    changed = _newest_last("campaign_id", "lead_id")
    return changed.returning(_CONVERSATIONS.c.sender_id, _CONVERSATIONS.c.person_id, *search_index.FOUND_BY)


def _newest_last(*taken_over: str) -> Any:
    """Add conversations; where one exists, its last message changes unless the person has written meanwhile."""
    statement = insert(Conversation)
    newer = statement.excluded.last_message_at >= _CONVERSATIONS.c.last_message_at
    last = {
        name: sa.case((newer, statement.excluded[name]), else_=_CONVERSATIONS.c[name])
        for name in ("last_message_at", "last_direction")
    }
    about = {name: statement.excluded[name] for name in (*taken_over, "updated_at")}
    return statement.on_conflict_do_update(index_elements=["sender_id", "person_id"], set_=last | about)


def written(account: Any, person_id: int, *, kind: str, text: str, ref: str, at: datetime) -> None:
    """Save what the owner wrote in the network's own app, once. Inside a transaction."""
    session().execute(_newest_last(), [_thread(account, person_id, at)])
    thread = session().scalar(
        sa.select(Conversation.id).where(Conversation.sender_id == account.id, Conversation.person_id == person_id)
    )
    message = {
        "workspace_id": account.workspace_id,
        "conversation_id": thread,
        "direction": Direction.OUT,
        "kind": kind,
        "text": text,
        "subject": "",
        "provider_id": ref,
        "automatic": False,
        "sentiment": "",
        "at": at,
    }
    session().execute(_message_statement(), [message])
    search_index.index(_texts_by_conversation([message]))


def between(account: Any, person_id: int, at: datetime, direction: Direction) -> Conversation:
    """Return the conversation of a sender and a person, begun now by that side if there is none. In a transaction."""
    query = sa.select(Conversation).where(Conversation.sender_id == account.id, Conversation.person_id == person_id)
    if thread := session().scalar(query):
        return thread
    thread = Conversation(
        workspace_id=account.workspace_id,
        sender_id=account.id,
        person_id=person_id,
        channel=account.channel,
        last_message_at=at,
        last_direction=direction,
        created_at=at,
        updated_at=_workspace_time(account.workspace_id),
    )
    session().add(thread)
    session().flush()
    return thread


def incoming(
    account: Any,
    person_id: int,
    *,
    kind: str,
    text: str,
    subject: str,
    ref: str,
    at: datetime,
    automatic: bool,
    parties: Parties = NO_PARTIES,
    files: Sequence[File] = (),
) -> Message | None:
    """Save the message as unread; return None when it was known already. Inside a transaction."""
    current = session()
    thread = between(account, person_id, at, Direction.IN)
    known = sa.select(Message.id).where(Message.conversation_id == thread.id, Message.provider_id == ref)
    if current.scalar(known) is not None:
        return None
    if kind == "email" and parties.sender is None and thread.person.email:  # the sandbox's emails name no sender
        sender, to = Party(thread.person.name, thread.person.email), [Party(account.name, account.address)]
        parties = replace(parties, sender=sender, to=parties.to or to)
    message = Message(
        workspace_id=account.workspace_id,
        conversation_id=thread.id,
        direction=Direction.IN,
        kind=kind,
        text=text,
        subject=subject,
        provider_id=ref,
        automatic=automatic,
        at=at,
        letter=dict(parties.told()) if parties != NO_PARTIES else None,
    )
    current.add(message)
    if at >= thread.last_message_at:
        thread.last_message_at, thread.last_direction = at, Direction.IN
    thread.updated_at = _workspace_time(account.workspace_id)
    thread.unread = (thread.unread or 0) + (0 if automatic or thread.muted_at else 1)
    if not automatic:  # a reply reopens a conversation that was done, and ends a reminder
        thread.done_at = thread.remind_at = None
        thread.remind_by = thread.remind_text = ""
        _hold_scheduled(thread.id)
    current.flush()
    if files:
        attachments.keep(message, files)
    search_index.index({thread.id: f"{subject} {text}"})
    return message


def _hold_scheduled(conversation_id: int) -> None:
    """Hold scheduled messages: their writer should read the person's new message first. Inside a transaction."""
    waits = (Message.conversation_id == conversation_id, Message.status == MessageStatus.QUEUED)
    hold = sa.update(Message).where(*waits, Message.send_at.is_not(None), Message.due_at.is_not(None))
    session().execute(hold.values(status=MessageStatus.FAILED, error=THEY_WROTE, due_at=None))
