"""The inbox: conversations are open, come back on a day, or are done; each may be one member's."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import change_rows, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.conversations import threads
from app.domain.conversations.threads import Place, ThreadFilter
from app.domain.platform.undo import Undoable
from app.domain.replies import postponement
from app.models.conversations import Conversation, Direction
from app.models.workspaces import Membership, User, Workspace

LONGEST_REMINDER = 200
STATES = ("open", "reminded", "done")
OPEN_PARTS = ("returned", "ours", "theirs")  # in their order
_C: Any = Conversation.__table__
_OPEN = {"done_at": None, "remind_at": None, "remind_by": "", "remind_text": ""}


def page(
    workspace: Workspace, choice: ThreadFilter, behind: Place | None = None, limit: int = 25
) -> tuple[list[Any], Place | None]:
    """Return one page; open conversations begin with reminders that came back and end with those we answered."""
    if choice.state != "open":
        return threads.newest(workspace, choice, behind, limit)
    rows: list[Any] = []
    for part in OPEN_PARTS[OPEN_PARTS.index(behind.part) if behind else 0 :]:
        found, more = threads.newest(workspace, replace(choice, state=part), behind, max(1, limit - len(rows)))
        rows += found
        if more:
            return rows, more._replace(part=part)
        behind = None
    return rows, None


def following(workspace: Workspace, choice: ThreadFilter, place: Place, *, around: bool = True) -> Any | None:
    """Return the conversation after that place, after the last one the first if `around`; None if there is none."""
    for behind in (place, None) if around else (place,):
        rows, _ = page(workspace, choice, behind, 1)
        if rows:
            return rows[0]
    return None


def place_of(workspace: Workspace, row: Any, choice: ThreadFilter) -> Place:
    """Return the conversation's position in the list."""
    if choice.state == "reminded" and row.remind_at:
        return Place(row.remind_at, row.id)
    if choice.state == "open" and row.remind_at is not None and row.remind_at <= workspace.now():
        return Place(row.remind_at, row.id, "returned")
    return Place(row.last_message_at, row.id, "ours" if row.last_direction == Direction.IN or row.unread else "theirs")


def counts(workspace: Workspace, choice: ThreadFilter) -> dict[str, int]:
    """Return the number of conversations of every state in the chosen tone, and of those without a reply."""
    among = replace(choice, state="", sentiment=None, unread=None, answered=None)
    number = dict.fromkeys(("open", "reminded", "done", "all"), 0)
    for row in threads.by_state(workspace, among):
        if choice.sentiment in (None, row.sentiment):
            state = "open" if row.state in ("returned", "waiting") else row.state
            matching = row.unread if choice.unread else row.number
            number[state] += matching
            number["all"] += matching
    return number | {"silent": threads.silent(workspace, among)}


def finish(workspace: Workspace, conversation_id: int) -> tuple[Conversation, str]:
    """Mark the conversation as done: it leaves the open ones until the person writes. Also return the undo's name."""
    with transaction():
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        return thread, _move(workspace, thread, done_at=thread.done_at or workspace.now())


def reopen(workspace: Workspace, conversation_id: int) -> Conversation:
    """Put the conversation among the open ones: it is neither done nor to come back."""
    with transaction():
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        return _put(workspace, thread)


def remind(workspace: Workspace, conversation_id: int, day: date | None, text: str = "") -> tuple[Conversation, str]:
    """Hide the conversation until the morning of that day, or until a reply. Also return the undo's name."""
    text = " ".join(text.split())
    problems = []
    if day is None or not postponement.may_come_back(day, workspace.now(), workspace.timezone):
        problems.append(("day", postponement.WRONG_DAY))
    if len(text) > LONGEST_REMINDER:
        problems.append(("text", f"Use at most {LONGEST_REMINDER} characters."))
    if day is None or problems:
        raise InvalidRequest.of(*problems)
    with transaction():
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        back = postponement.morning_of(day, workspace.timezone)
        return thread, _move(workspace, thread, remind_at=back, remind_by=actor.get().name, remind_text=text)


def _move(workspace: Workspace, thread: Conversation, **place: Any) -> str:
    """Take the conversation out of the open ones, and return the undo's name."""
    before = _place(thread)
    _put(workspace, thread, **place)
    thread.unread = 0
    kept = {"conversation": thread.id, "before": before, "after": _place(thread)}
    return MOVED.offer(workspace, kept, f"conversation {thread.id} moved")


def _put(workspace: Workspace, thread: Conversation, **place: Any) -> Conversation:
    for name, value in (_OPEN | place).items():
        setattr(thread, name, value)
    thread.updated_at = workspace.now()
    return thread


def _place(thread: Conversation) -> dict[str, str]:
    moments = {name: getattr(thread, name) for name in ("done_at", "remind_at")}
    texts = {name: getattr(thread, name) for name in ("remind_by", "remind_text")}
    return texts | {name: moment.isoformat() for name, moment in moments.items() if moment}


def _put_back(workspace: Workspace, moved: dict[str, Any]) -> Conversation:
    """Restore the conversation's place, unless it was moved since."""
    thread, before = get_owned(Conversation, workspace, moved["conversation"], lock=True), moved["before"]
    if _place(thread) != moved["after"]:
        raise Conflict("This conversation has been moved again since then.", recovery=MOVED.instead)
    place = {name: datetime.fromisoformat(value) if name.endswith("_at") else value for name, value in before.items()}
    return _put(workspace, thread, **place)


MOVED = Undoable("moved_conversation", _put_back, "Reopen the conversation, or set another reminder.")


def assign(workspace: Workspace, conversation_id: int, user_id: int | None) -> tuple[Conversation, int | None]:
    """Give the conversation to a member, or to no one; return it and whose it was."""
    with transaction():
        if user_id is not None and user_id not in people(workspace):
            raise InvalidRequest.of(("userId", "No member of this workspace has this id."))
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        before = thread.assignee_id
        thread.assignee_id, thread.updated_at = user_id, workspace.now()
        return thread, before


def note_meeting(thread: Conversation, booked_at: datetime | None, at: datetime) -> None:
    """Show in the conversation since when a meeting is booked, or that none is. Inside a transaction."""
    thread.meeting_at = (thread.meeting_at or booked_at) if booked_at else None
    thread.updated_at = at


def unassign_all(workspace_id: int, user_id: int) -> None:
    """Take every conversation from a member who leaves. Inside a transaction."""
    theirs = sa.update(Conversation).where(
        Conversation.workspace_id == workspace_id, Conversation.assignee_id == user_id
    )
    change_rows(theirs.values(assignee_id=None))


def people(workspace: Workspace) -> dict[int, str]:
    """Return the names of those who may be given a conversation, by user id."""
    query = (
        sa.select(User.id, User.name, User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.workspace_id == workspace.id)
        .order_by(Membership.id)
    )
    return {row.id: row.name or row.email for row in session().execute(query)}


def end_returned(thread: Conversation, at: datetime) -> None:
    """End a reminder that came back: it was answered. Inside a transaction."""
    if thread.remind_at is not None and thread.remind_at <= at:
        thread.remind_at, thread.remind_by, thread.remind_text = None, "", ""


def member_id(workspace: Workspace, email: str, field: str) -> int:
    """Return the user id of the member with that address, 0 for `none`; InvalidRequest at `field` without one."""
    if field == "assignee" and email == "none":
        return 0
    query = sa.select(User.id).join(Membership, Membership.user_id == User.id)
    found = session().scalar(query.where(Membership.workspace_id == workspace.id, User.email == email.strip().lower()))
    if found is None:
        raise InvalidRequest.of((field, "No member of this workspace has this email address."))
    return found
