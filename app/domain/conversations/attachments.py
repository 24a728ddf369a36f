"""Attachments: the files of messages, and those that a member is about to send."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import undefer

from app.core.db import change_rows, get_owned, session, transaction
from app.core.errors import InvalidRequest, NotFound
from app.models.conversations import Attachment, Conversation, Message
from app.models.workspaces import User, Workspace
from app.ports import File

MOST_FILES, MOST_BYTES = 20, 10_000_000  # of one message that is sent
TOO_LARGE = f"The files can be at most {MOST_BYTES // 1_000_000} MB in total."
LONGEST_NAME = 120
_NOT_IN_NAMES = str.maketrans(dict.fromkeys('\\/:*?"<>|', "_"))
# Types that browsers show by themselves and safely, by a file's first bytes: the sender's label proves nothing.
_SHOWN = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
}


def shown_as(content: bytes) -> str:
    """Return the type as which a browser may show the file; '' for one that is only downloaded."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SHOWN.items() if content.startswith(start)), "")


def check(files: Sequence[File], known: Sequence[Attachment] = ()) -> None:
    """Raise InvalidRequest for more, larger or empty files than can be sent in one message."""
    problems = [f"“{one.name}” is empty." for one in files if not one.size]
    if len(files) + len(known) > MOST_FILES:
        problems.append(f"Send at most {MOST_FILES} files.")
    if sum(one.size for one in files) + sum(one.size for one in known) > MOST_BYTES:
        problems.append(TOO_LARGE)
    if problems:
        raise InvalidRequest.of(*(("attachments", one) for one in problems))


def named(name: str) -> str:
    """Return a name that any computer can give to a file."""
    clean = "".join(sign for sign in name.translate(_NOT_IN_NAMES) if sign.isprintable()).strip(" .")
    stem, dot, ending = clean.rpartition(".")
    clean = clean if len(clean) <= LONGEST_NAME else f"{stem[: LONGEST_NAME - 12]}{dot}{ending[:10]}"
    return clean or "file"


def keep(message: Message, files: Sequence[File]) -> None:
    """Keep the files of a message, and their list in its `letter`. Inside a transaction."""
    for one in files:
        session().add(_row(message.workspace_id, one, message_id=message.id))
    session().flush()
    _list(message)


def _row(workspace_id: int, file: File, **of: Any) -> Attachment:
    return Attachment(
        workspace_id=workspace_id,
        name=named(file.name),
        media_type=file.media_type,
        size=file.size,
        content=file.content,
        **of,
    )


def _list(message: Message) -> None:
    query = sa.select(Attachment).where(Attachment.message_id == message.id).order_by(Attachment.id)
    listed = [
        {"id": one.id, "name": one.name, "mediaType": one.media_type, "size": one.size}
        for one in session().scalars(query)
    ]
    message.letter = {**(message.letter or {}), "files": listed}
    session().flush()


def files_of(message_id: int) -> list[File]:
    """Return the files of a message with their content, in their order."""
    query = sa.select(Attachment).where(Attachment.message_id == message_id).order_by(Attachment.id)
    found = session().scalars(query.options(undefer(Attachment.content)))
    return [File(one.name, one.media_type, one.size, one.content) for one in found]


def get(workspace: Workspace, conversation_id: int, attachment_id: int) -> Attachment:
    """Return a file of the conversation with its content, or raise NotFound."""
    query = (
        sa.select(Attachment)
        .join(Message, Message.id == Attachment.message_id)
        .where(Attachment.workspace_id == workspace.id, Attachment.id == attachment_id)
        .where(Message.conversation_id == conversation_id, Attachment.content.is_not(None))
    )
    found = session().scalars(query.options(undefer(Attachment.content))).one_or_none()
    if found is None:
        raise NotFound("This file isn't stored here.", recovery="Open the email in your mailbox.")
    return found


def typed(workspace: Workspace, user: User, conversation_id: int) -> Sequence[Attachment]:
    """Return the files that the user is about to send."""
    return session().scalars(_typed(workspace, user, conversation_id)).all()


def _typed(workspace: Workspace, user: User, conversation_id: int) -> sa.Select[Attachment]:
    mine = (Attachment.user_id == user.id, Attachment.conversation_id == conversation_id)
    return sa.select(Attachment).where(Attachment.workspace_id == workspace.id, *mine).order_by(Attachment.id)


def attach(workspace: Workspace, user: User, conversation_id: int, files: Sequence[File]) -> None:
    """Keep files until the user sends their reply."""
    with transaction():
        get_owned(Conversation, workspace, conversation_id, lock=True)
        check(files, typed(workspace, user, conversation_id))
        for one in files:
            session().add(_row(workspace.id, one, user_id=user.id, conversation_id=conversation_id))


def remove(workspace: Workspace, user: User, conversation_id: int, attachment_id: int) -> None:
    """Remove a file that the user was about to send."""
    with transaction():
        gone = [one for one in typed(workspace, user, conversation_id) if one.id == attachment_id]
        for one in gone:
            session().delete(one)


def send_typed(message: Message, user_id: int) -> None:
    """Make the files that the user was about to send those of the message. Inside a transaction."""
    mine = (Attachment.user_id == user_id, Attachment.conversation_id == message.conversation_id)
    change = sa.update(Attachment).where(Attachment.workspace_id == message.workspace_id, *mine)
    session().execute(change.values(message_id=message.id, user_id=None, conversation_id=None))
    session().flush()
    _list(message)


def take_back(message: Message, user_id: int) -> None:
    """Make the files of a message that was taken back those that the user is about to send. Inside a transaction."""
    change = sa.update(Attachment).where(Attachment.message_id == message.id)
    back = change.values(message_id=None, user_id=user_id, conversation_id=message.conversation_id)
    change_rows(back)


def move_typed(conversation_id: int, into_id: int) -> None:
    """Move what was about to be sent in one conversation to another. Inside a transaction."""
    change = sa.update(Attachment).where(Attachment.conversation_id == conversation_id)
    change_rows(change.values(conversation_id=into_id))
