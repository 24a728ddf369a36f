"""Join the conversations of two people who are one, and separate them again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_list, session
from app.domain.conversations import attachments, messages, search_index
from app.models.conversations import Conversation, ConversationNote, Mention, Message, Typed
from app.models.exclusions import CompanyHold
from app.models.workspaces import Workspace

_COLUMNS = (
    *("sender_id", "lead_id", "campaign_id", "channel", "unread", "sentiment", "muted_at", "last_message_at"),
    *("last_direction", "created_at", "done_at", "remind_at", "remind_by", "remind_text", "assignee_id"),
    "meeting_at",
)


def count(keep_id: int, gone_id: int) -> tuple[int, int]:
    """Return how many conversations `gone` has, and how many of them are joined with one of `keep`."""
    senders = sa.select(Conversation.sender_id).where(Conversation.person_id == keep_id)
    joined = sa.func.sum(sa.case((Conversation.sender_id.in_(senders), 1), else_=0))
    found = session().execute(sa.select(sa.func.count(), joined).where(Conversation.person_id == gone_id)).one()
    return found[0], int(found[1] or 0)


def join(workspace: Workspace, keep_id: int, gone_id: int) -> dict[str, Any]:
    """Make the conversations of `gone` those of `keep`; return what the undo needs. Inside a transaction."""
    known = {one.sender_id: one for one in _of(keep_id)}
    moved, joined = [], []
    for thread in _of(gone_id):
        if into := known.get(thread.sender_id):
            joined.append(_join(into, thread))
            into.updated_at = workspace.now()
        else:
            thread.person_id, thread.updated_at = keep_id, workspace.now()
            moved.append(thread.id)
    session().flush()
    return {"moved": moved, "joined": joined}


def separate(workspace: Workspace, keep_id: int, gone_id: int, undo: Mapping[str, Any], ours: Sequence[int]) -> None:
    """Give `gone` the conversations that were theirs; messages of these campaign leads are theirs too."""
    theirs = (in_list(Conversation.id, undo["moved"]), Conversation.person_id == keep_id)
    change_rows(sa.update(Conversation).where(*theirs).values(person_id=gone_id, updated_at=workspace.now()))
    for one in undo["joined"]:
        into = session().get(Conversation, one["into"], with_for_update=True, populate_existing=True)
        if into is not None and into.person_id == keep_id:
            _separate(workspace, into, gone_id, one, ours)
    session().flush()


def _of(person_id: int) -> Sequence[Conversation]:
    query = sa.select(Conversation).where(Conversation.person_id == person_id).order_by(Conversation.id)
    return session().scalars(query.with_for_update().execution_options(populate_existing=True)).all()


def _join(into: Conversation, thread: Conversation) -> dict[str, Any]:
    """Move the messages into the other conversation and delete this one; return what the undo needs."""
    undo: dict[str, Any] = {"into": into.id, "id": thread.id, "row": _kept(thread), "before": _kept(into)}
    undo["copies"] = _drop_copies(into.id, thread.id)
    undo["messages"] = _move(Message.conversation_id == thread.id, into.id)
    undo["typed"] = _join_typed(into.id, thread.id)
    attachments.move_typed(thread.id, into.id)
    held = sa.update(CompanyHold).where(CompanyHold.conversation_id == thread.id).values(conversation_id=into.id)
    undo["holds"] = list(change_rows(held.returning(CompanyHold.id)).scalars())
    for model in (ConversationNote, Mention):
        notes = sa.update(model).where(model.conversation_id == thread.id).values(conversation_id=into.id)
        undo[model.__tablename__] = list(change_rows(notes.returning(model.id)).scalars())
    newer, older = (thread, into) if thread.last_message_at > into.last_message_at else (into, thread)
    after = {
        "unread": into.unread + thread.unread,
        "sentiment": newer.sentiment or older.sentiment,
        "lead_id": newer.lead_id or older.lead_id,
        "campaign_id": newer.campaign_id or older.campaign_id,
        "last_message_at": newer.last_message_at,
        "last_direction": newer.last_direction,
        "created_at": min(into.created_at, thread.created_at),
        "assignee_id": into.assignee_id or thread.assignee_id,
        "meeting_at": into.meeting_at or thread.meeting_at,
    }
    if thread.done_at is None and thread.remind_at is None:  # one of them is open
        after |= {"done_at": None, "remind_at": None, "remind_by": "", "remind_text": ""}
    session().delete(thread)
    _set(into, after)
    search_index.reindex_all(into.id)
    return undo | {"after": _kept(into)}


def _separate(
    workspace: Workspace, into: Conversation, gone_id: int, undo: Mapping[str, Any], ours: Sequence[int]
) -> None:
    unread = min(undo["row"]["unread"], into.unread)
    thread = Conversation(id=undo["id"], workspace_id=workspace.id, person_id=gone_id, updated_at=workspace.now())
    _set(thread, _read(undo["row"]) | {"unread": unread})
    session().add(thread)
    now = _kept(into)
    then, since = undo["before"], undo["after"]  # of an older join some columns are not known
    same = {name: then[name] for name in _COLUMNS if name in then and now[name] == since[name]}
    _set(into, _read(same) | {"unread": into.unread - unread})
    session().flush()
    _move(in_list(Message.id, undo["messages"]), thread.id, into.id)
    _move(in_list(Message.campaign_lead_id, ours), thread.id, into.id)
    for copy in session().scalars(sa.select(Message).where(in_list(Message.id, undo["copies"]))):
        values = {column.name: getattr(copy, column.name) for column in Message.__table__.columns}
        session().add(Message(**values | {"id": None, "conversation_id": thread.id}))
    for one in undo["typed"]:
        _give_back_typed(into.id, thread.id, one)
    for model in (ConversationNote, Mention):
        notes = sa.update(model).where(in_list(model.id, undo.get(model.__tablename__, [])))
        change_rows(notes.values(conversation_id=thread.id))
    held = sa.update(CompanyHold).where(in_list(CompanyHold.id, undo["holds"]))
    change_rows(held.values(conversation_id=thread.id))
    session().flush()
    into.updated_at = workspace.now()
    for one in (into, thread):
        messages.note_last(one)
        search_index.reindex_all(one.id)


def _move(which: sa.ColumnElement[bool], to: int, of: int | None = None) -> list[int]:
    """Move messages to a conversation; return their ids."""
    chosen = [which] if of is None else [which, Message.conversation_id == of]
    change = sa.update(Message).where(*chosen).values(conversation_id=to).returning(Message.id)
    return sorted(change_rows(change).scalars())


def _drop_copies(into_id: int, thread_id: int) -> list[int]:
    """Delete messages that the other conversation has too; return the ids of those that stay."""
    there = sa.select(Message.provider_id).where(Message.conversation_id == thread_id)
    stay = sa.select(Message).where(Message.conversation_id == into_id, Message.provider_id.in_(there))
    found = session().scalars(stay.order_by(Message.id)).all()
    names = [message.provider_id for message in found]
    change_rows(sa.delete(Message).where(Message.conversation_id == thread_id, in_list(Message.provider_id, names)))
    return [message.id for message in found]


def _join_typed(into_id: int, thread_id: int) -> list[dict[str, Any]]:
    """Move unsent texts; a member's two become one. Return those that were joined, as they were."""
    known = {one.user_id: one for one in session().scalars(sa.select(Typed).where(Typed.conversation_id == into_id))}
    undo = []
    for one in session().scalars(sa.select(Typed).where(Typed.conversation_id == thread_id).order_by(Typed.id)).all():
        both = known.get(one.user_id)
        before = {"text": both.text, "subject": both.subject} if both else None
        undo.append({"user_id": one.user_id, "text": one.text, "subject": one.subject, "before": before})
        if both is None:
            one.conversation_id = into_id
        else:
            both.text = "\n\n".join(filter(None, (both.text, one.text)))
            both.subject, both.saved_at = both.subject or one.subject, max(both.saved_at, one.saved_at)
            both.cc = both.cc or one.cc
            session().delete(one)
    session().flush()
    return undo


def _give_back_typed(into_id: int, thread_id: int, was: Mapping[str, Any]) -> None:
    """Separate a member's unsent text, unless it was sent or changed since."""
    query = sa.select(Typed).where(Typed.conversation_id == into_id, Typed.user_id == was["user_id"])
    found = session().scalars(query).one_or_none()
    if found is None:
        return
    if was["before"] is None:
        found.conversation_id = thread_id
    elif found.text == "\n\n".join(filter(None, (was["before"]["text"], was["text"]))):
        found.text, found.subject = was["before"]["text"], was["before"]["subject"]
        theirs = {name: was[name] for name in ("user_id", "text", "subject")}
        session().add(
            Typed(workspace_id=found.workspace_id, conversation_id=thread_id, saved_at=found.saved_at, **theirs)
        )


def _kept(thread: Conversation) -> dict[str, Any]:
    """Return the conversation's columns as a job keeps them."""
    values = {name: getattr(thread, name) for name in _COLUMNS}
    return {name: one.isoformat() if isinstance(one, datetime) else one for name, one in values.items()}


def _read(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {name: datetime.fromisoformat(one) if name.endswith("_at") and one else one for name, one in kept.items()}


def _set(thread: Conversation, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(thread, name, value)
