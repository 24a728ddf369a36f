"""Conversations between a sender and a person, and their messages in both directions."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers, Personal, ids
from app.models.people import Person


class Direction(StrEnum):
    """Who wrote a message: the person (`in`) or your side (`out`)."""

    IN = "in"
    OUT = "out"


class Sentiment(StrEnum):
    """The sentiment of a reply; `generic` is neutral."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    GENERIC = "generic"


class MessageStatus(StrEnum):
    """The progress of your message. `queued`: waiting for its sender. `unknown`: it may or may not have been sent."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Conversation(Numbered, OfWorkspace, Base):
    """All messages between one sender and one person."""

    __tablename__ = "conversation"
    __personal__ = Personal(
        ("person_id",),
        "What the person wrote, and what your senders wrote to them.",
        ("channel", "sentiment", "remind_text"),
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("sender_id", "person_id"),
        sa.Index("ix_conversation_workspace_id_last_message_at", "workspace_id", "last_message_at"),
        sa.Index("ix_conversation_workspace_id_updated_at", "workspace_id", "updated_at"),
        sa.Index("ix_conversation_person_id", "person_id"),
        sa.Index("ix_conversation_lead_id", "lead_id"),
        sa.Index("ix_conversation_campaign_id", "campaign_id"),
        # With every column that the inbox counts by, so that the index alone answers
        sa.Index(
            "ix_conversation_tone",
            *("workspace_id", "sentiment", "last_message_at", "unread", "done_at", "remind_at", "assignee_id"),
        ),
        partial_index("ix_conversation_done", "workspace_id", "last_message_at", where="done_at IS NOT NULL"),
        partial_index("ix_conversation_reminder", "workspace_id", "remind_at", where="remind_at IS NOT NULL"),
        partial_index("ix_conversation_assignee", "assignee_id", where="assignee_id IS NOT NULL"),
        partial_index(
            "ix_conversation_unread",
            "workspace_id",
            "last_message_at",
            "sentiment",
            "unread",  # so that the index alone answers a count
            where="unread > 0",
        ),
    )

    sender_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"))
    lead_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead.id", ondelete="SET NULL"))
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    channel: Mapped[str]
    unread: Mapped[int] = mapped_column(default=0)
    sentiment: Mapped[str] = mapped_column(default="", info={"words": Sentiment})
    muted_at: Mapped[datetime | None]  # since then new messages count as read and raise no alert
    done_at: Mapped[datetime | None]  # marked done: not among the open ones until the person writes
    remind_at: Mapped[datetime | None]  # not among the open ones until this time or a new message
    remind_by: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    remind_text: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    assignee_id: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"))
    meeting_at: Mapped[datetime | None]  # when the conversation was marked as having a booked meeting
    last_message_at: Mapped[datetime]
    last_direction: Mapped[str] = mapped_column(info={"words": Direction})
    created_at: Mapped[datetime]
    # When the conversation or one of its messages last changed, on the workspace's clock
    updated_at: Mapped[datetime] = mapped_column(server_default=sa.text("'1970-01-01 00:00:00+00'"))

    person: Mapped[Person] = relationship()


class Message(Numbered, OfWorkspace, Base):
    """One message. `provider_id` prevents storing it twice; while it waits to be sent, that is a name of ours."""

    __tablename__ = "message"
    __personal__ = Personal(
        ("conversation_id",),
        "What the person wrote, and what your senders wrote to them.",
        ("direction", "kind", "text", "subject", "letter", "at", "sentiment"),
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("conversation_id", "provider_id"),
        sa.Index("ix_message_conversation_id_at", "conversation_id", "at"),
        sa.Index("ix_message_campaign_lead_id", "campaign_lead_id"),
        # With `automatic`, so that the index alone answers a count of replies
        partial_index("ix_message_replies", "workspace_id", "at", "automatic", where="direction = 'in'"),
        partial_index("ix_message_queue", "workspace_id", "due_at", where="due_at IS NOT NULL"),
    )

    conversation_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"))
    campaign_lead_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign_lead.id", ondelete="SET NULL"))
    action_id: Mapped[int | None] = mapped_column(sa.ForeignKey("action.id", ondelete="SET NULL"), index=True)
    direction: Mapped[str] = mapped_column(info={"words": Direction})
    kind: Mapped[str]  # message, inmail or email
    text: Mapped[str]
    subject: Mapped[str] = mapped_column(default="")
    provider_id: Mapped[str]
    automatic: Mapped[bool] = mapped_column(default=False)  # out of office and the like: not a reply
    sentiment: Mapped[str] = mapped_column(default="", info={"words": Sentiment})
    at: Mapped[datetime]
    status: Mapped[str] = mapped_column(default=MessageStatus.SENT, server_default="sent")  # of an outbound one
    by_hand: Mapped[bool] = mapped_column(default=False, server_default=sa.false())  # written manually in the workspace
    # the newest message the member had seen; if set, sending requires that the person wrote none since
    seen_id: Mapped[int | None] = mapped_column(info=ids("message"))
    due_at: Mapped[datetime | None]  # when to send it; None when there is nothing to send
    send_at: Mapped[datetime | None]  # the time its writer chose; None for at once
    error: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # why it failed, or why it still waits
    # For an email: `from`, `to` and `cc` as lists of names and addresses, and `files` with the ids of attachments
    letter: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True), info=ids({"id": "attachment"}))


class Attachment(Numbered, IndexedOfWorkspace, Base):
    """A file of a message, or one that a member is about to send; a file that was too large has no content."""

    __tablename__ = "attachment"
    __personal__ = Personal(
        ("message_id", "conversation_id"),
        "What the person wrote, and what your senders wrote to them.",
        ("name", "media_type", "size"),
    )
    __table_args__ = table_args(sa.Index("ix_attachment_typed", "conversation_id", "user_id"))

    message_id: Mapped[int | None] = mapped_column(sa.ForeignKey("message.id", ondelete="CASCADE"), index=True)
    # Set while the file is not sent yet: the conversation and the member, as in Typed
    conversation_id: Mapped[int | None] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"))
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    media_type: Mapped[str]
    size: Mapped[int]
    content: Mapped[bytes | None] = mapped_column(deferred=True)


class ConversationWords(Base):
    """The searchable words of a conversation, separated by spaces: the person's names and the text of all messages.

    A migration creates the full-text index `fulltext_conversation`: on Postgres over FOUND, on SQLite a virtual table
    that triggers keep in step. `names` begins with index terms for the workspace and the sentiment.
    """

    __tablename__ = "conversation_words"
    __stays__ = "rebuilt from the messages"
    __leftovers__ = Leftovers.NOTHING

    conversation_id: Mapped[int] = mapped_column(
        sa.ForeignKey("conversation.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    names: Mapped[str]
    said: Mapped[str]


# The indexed expression on Postgres; a query must repeat it exactly to use the index.
FOUND = "array_to_tsvector(string_to_array(conversation_words.names || ' ' || conversation_words.said, ' '))"


class Typed(Numbered, IndexedOfWorkspace, Base):
    """A member's unsent text in a conversation."""

    __tablename__ = "typed"
    __personal__ = Personal(("conversation_id",), "A member's unsent text.", ("text", "subject", "cc", "saved_at"))
    __table_args__ = table_args(sa.UniqueConstraint("user_id", "conversation_id"))

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"))
    conversation_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"))
    text: Mapped[str]
    subject: Mapped[str] = mapped_column(default="")
    cc: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # as it was typed
    goes_to: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # `all`, `one`; '': the default
    saved_at: Mapped[datetime]


class ConversationNote(Numbered, IndexedOfWorkspace, Base):
    """A note that only members see; it is never sent."""

    __tablename__ = "conversation_note"
    __noun__ = "note"
    __personal__ = Personal(("conversation_id",), "A note by a member.", ("by", "text", "at"))
    __leftovers__ = Leftovers.NOTHING

    conversation_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"), index=True)
    by: Mapped[str]
    text: Mapped[str]
    at: Mapped[datetime]


class Mention(Numbered, OfWorkspace, Base):
    """A member whom a note names with `@`, until they have looked at it."""

    __tablename__ = "mention"
    __table_args__ = table_args(
        sa.UniqueConstraint("note_id", "user_id"),
        sa.Index("ix_mention_workspace_id_at", "workspace_id", "at"),
        sa.Index("ix_mention_user_id", "user_id"),
        sa.Index("ix_mention_conversation_id", "conversation_id"),
    )

    conversation_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"))
    note_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation_note.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    seen_at: Mapped[datetime | None]


class Snippet(Numbered, OfWorkspace, Base):
    """A short text of the workspace to put into replies, with variables."""

    __tablename__ = "snippet"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "name"))

    name: Mapped[str]
    text: Mapped[str]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class DraftedReply(Numbered, IndexedOfWorkspace, Base):
    """The writer's suggested reply to the newest message of a conversation; its text is '' if it has none."""

    __tablename__ = "drafted_reply"
    __personal__ = Personal(("conversation_id",), "A reply suggested by the writer.", ("text", "by", "note", "at"))
    __stays__ = "made again when the conversation is opened"

    conversation_id: Mapped[int] = mapped_column(sa.ForeignKey("conversation.id", ondelete="CASCADE"), unique=True)
    answers_id: Mapped[int]  # the message it answers
    sentiment: Mapped[str] = mapped_column(info={"words": Sentiment})  # the message's when the reply was drafted
    text: Mapped[str]
    by: Mapped[str]
    note: Mapped[str]
    facts: Mapped[list[Any]] = mapped_column(sa.JSON)  # the Evidence for its sentences
    at: Mapped[datetime]
