"""Notes of a conversation: for members only, never sent; `@name` mentions a member, who is told of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import change_rows, get_owned, session, transaction
from app.core.errors import InvalidRequest, NotFound
from app.domain.conversations import inbox
from app.models.conversations import Conversation, ConversationNote, Mention
from app.models.people import Person
from app.models.workspaces import User, Workspace

LONGEST = 4000
_EDGES = " \n\t.,;:!?)]}\"'’”"


class Told(NamedTuple):
    """A mention in words: who is named, by whom, about which person, in what note."""

    name: str
    by: str
    about: str
    text: str


def add(workspace: Workspace, conversation_id: int, text: str) -> ConversationNote:
    """Add a note; members whose name follows an `@` are mentioned."""
    text = text.replace("\r\n", "\n").strip()
    problems = []
    if not text:
        problems.append(("note", "Write a note."))
    elif len(text) > LONGEST:
        problems.append(("note", f"Use at most {LONGEST:,} characters; you have {len(text):,}."))
    if "\0" in text:
        problems.append(("note", "Remove the NUL character."))
    InvalidRequest.raise_for(problems)
    who = actor.get()
    with transaction() as current:
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        note = ConversationNote(
            workspace_id=workspace.id,
            conversation_id=thread.id,
            user_id=who.user_id,
            by=who.name,
            text=text,
            at=workspace.now(),
        )
        current.add(note)
        current.flush()
        for user_id in mentioned(workspace, text):
            current.add(
                Mention(
                    workspace_id=workspace.id,
                    conversation_id=thread.id,
                    note_id=note.id,
                    user_id=user_id,
                    at=note.at,
                    seen_at=note.at if user_id == who.user_id else None,
                )
            )
        thread.updated_at = note.at
        return note


def mentioned(workspace: Workspace, text: str) -> list[int]:
    """Return the user ids of members named in the text: `@` and their name, first name or address."""
    said = text.casefold()
    return [user_id for user_id, names in handles(workspace).items() if any(_names(said, name) for name in names)]


def handles(workspace: Workspace) -> dict[int, list[str]]:
    """Return how each member may be named: by name and address, and by a first name that only one of them has."""
    found = {user_id: {name.casefold()} for user_id, name in inbox.people(workspace).items()}
    addresses = sa.select(User.id, User.email).where(User.id.in_(list(found)))
    for user_id, email in session().execute(addresses):
        found[user_id].add(email.casefold())
    firsts: dict[str, list[int]] = {}
    for user_id, names in found.items():
        for first in {name.split()[0] for name in names if name.strip()}:
            firsts.setdefault(first, []).append(user_id)
    for first, owners in firsts.items():
        if len(owners) == 1:
            found[owners[0]].add(first)
    return {user_id: sorted(names) for user_id, names in found.items()}


def _names(said: str, name: str) -> bool:
    """Return whether the text has the name behind an `@`, as a whole word."""
    at = said.find(f"@{name}")
    while at >= 0:
        end = at + 1 + len(name)
        before = said[at - 1 : at]
        apart = end < len(said) and said[end : end + 1] not in _EDGES
        if not before.isalnum() and not apart:
            return True
        at = said.find(f"@{name}", at + 1)
    return False


def of(workspace: Workspace, conversation_id: int) -> Sequence[ConversationNote]:
    """Return the notes of the conversation, the oldest first."""
    query = sa.select(ConversationNote).where(
        ConversationNote.workspace_id == workspace.id, ConversationNote.conversation_id == conversation_id
    )
    return session().scalars(query.order_by(ConversationNote.at, ConversationNote.id)).all()


def select(workspace: Workspace, conversation_id: int) -> sa.Select[Any]:
    """Select the notes of the conversation, or raise NotFound."""
    get_owned(Conversation, workspace, conversation_id)
    return sa.select(ConversationNote).where(
        ConversationNote.workspace_id == workspace.id, ConversationNote.conversation_id == conversation_id
    )


def remove(workspace: Workspace, conversation_id: int, note_id: int) -> ConversationNote:
    """Delete a note and return it."""
    with transaction() as current:
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        note = get_owned(ConversationNote, workspace, note_id, lock=True)
        if note.conversation_id != thread.id:
            raise NotFound("Note not found.")
        current.delete(note)
        thread.updated_at = workspace.now()
        return note


def see(workspace: Workspace, user: User, conversation_id: int) -> None:
    """Note that the member looked at what mentions them in the conversation."""
    unseen = (Mention.user_id == user.id, Mention.conversation_id == conversation_id, Mention.seen_at.is_(None))
    if session().scalar(sa.select(Mention.id).where(*unseen).limit(1)) is None:
        return
    with transaction():
        seen = sa.update(Mention).where(*unseen, Mention.workspace_id == workspace.id)
        change_rows(seen.values(seen_at=workspace.now()))


def unseen(workspace: Workspace, user_id: int) -> set[int]:
    """Return the conversations with a mention that the member has not seen."""
    query = sa.select(Mention.conversation_id).where(
        Mention.workspace_id == workspace.id, Mention.user_id == user_id, Mention.seen_at.is_(None)
    )
    return set(session().scalars(query))


def told_between(workspace: Workspace, since: datetime, until: datetime, most: int = 20) -> list[Told]:
    """Return the mentions made in that time that are still unseen, the oldest first."""
    query = (
        sa.select(Mention, ConversationNote, User, Person)
        .join(ConversationNote, ConversationNote.id == Mention.note_id)
        .join(User, User.id == Mention.user_id)
        .join(Conversation, Conversation.id == Mention.conversation_id)
        .join(Person, Person.id == Conversation.person_id)
        .where(Mention.workspace_id == workspace.id, Mention.at > since, Mention.at <= until)
        .where(Mention.seen_at.is_(None))
        .order_by(Mention.at, Mention.id)
        .limit(most)
    )
    return [
        Told(user.name or user.email, note.by, person.name, note.text)
        for _, note, user, person in session().execute(query)
    ]
