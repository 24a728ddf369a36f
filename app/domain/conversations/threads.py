"""Read conversations: list, messages and unread state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, cast
from zlib import crc32

import sqlalchemy as sa

from app.core import paging
from app.core.db import get_owned, session, transaction
from app.core.errors import NotFound
from app.core.paging import Page, Window
from app.domain.conversations import search_index
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation, ConversationNote, Direction, Mention, Message, MessageStatus
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from app.resources.conversations import LAST, NEWEST, TONES
from app.resources.conversations import Conversation as Shown

_C: Any = Conversation.__table__
_P: Any = Person.__table__
_M: Any = Message.__table__
_A: Any = Account.__table__
ANSWERED = _C.c.sentiment != sa.literal_column("''")  # every reply by a person has a tone
MOST_UNSENT = 5  # conversations of which Home speaks
_ORIGIN = datetime(1, 1, 1, tzinfo=UTC)  # the earliest moment: positions in lists are counted from it
_MICROSECOND = timedelta(microseconds=1)
_UNREAD = _C.c.unread > sa.literal_column("0")  # written as in the index, so that the database uses it
# Steps without text that the person notices.
LINES = (*(name for name, step in STEPS.items() if step.noticed and not step.is_message), "withdraw")


class Place(NamedTuple):
    """Where a row stands in a list, and in which part of the open ones."""

    at: datetime
    id: int
    part: str = "ours"


@dataclass(frozen=True)
class ThreadFilter:
    """Which conversations: of a tone, unread or read, of a sender, campaign, company or member, with these words.

    `state` is open, reminded, done or all, or a part of open: `returned` reminders, what waits for `ours`, our answer,
    and what for `theirs`. An `assignee_id` of 0 is no one. `oldest_first` turns the order of a list around.
    """

    sentiment: str | None = None
    unread: bool | None = None
    answered: bool | None = None
    account_id: int | None = None
    campaign_id: int | None = None
    updated_after: datetime | None = None
    query: str = ""
    state: str = ""
    assignee_id: int | None = None
    mentioned_id: int | None = None
    company: str = ""
    meeting: bool | None = None
    oldest_first: bool = False


@dataclass(frozen=True)
class Found:
    """The matching conversations, to be read page by page: the newest first, or those with the latest message."""

    workspace: Workspace
    choice: ThreadFilter
    latest: bool = False

    def page(self, window: Window) -> Page:
        """Return one page, each row with the person, the sender's name and the newest message."""
        if not self.latest:
            found = paging.page(_ids(self.workspace, self.choice), _C.c.id, window)
            return Page(_rows(self.workspace, found.rows), found.next_cursor)
        place = window.place
        behind = Place(_ORIGIN + place[0] * _MICROSECOND, place[1]) if place else None
        rows, last = newest(self.workspace, self.choice, behind, window.limit)
        return Page(rows, window.after((last.at - _ORIGIN) // _MICROSECOND, last.id) if last else "")


@dataclass(frozen=True)
class ThreadRow:
    """Something that happened between sender and person without words: invited, accepted, followed, liked."""

    at: datetime
    kind: str


def _of(workspace_id: Any) -> sa.Select[Any]:
    return (
        sa.select(*Shown.selected)
        .select_from(_C)
        .join(_A, _A.c.id == _C.c.sender_id)
        .join(_P, _P.c.id == _C.c.person_id)
        .outerjoin(LAST, LAST.c.id == NEWEST)
        .where(_C.c.workspace_id == workspace_id)
    )


def _conditions(workspace: Workspace, choice: ThreadFilter) -> list[Any]:
    found: list[Any] = []
    if choice.sentiment is not None:
        found.append(_C.c.sentiment == choice.sentiment)
    if choice.unread is not None:
        found.append(_UNREAD if choice.unread else _C.c.unread == 0)
    if choice.answered is not None:
        found.append(ANSWERED if choice.answered else _C.c.sentiment == "")
    if choice.account_id is not None:
        found.append(_C.c.sender_id == choice.account_id)
    if choice.campaign_id is not None:
        found.append(_C.c.campaign_id == choice.campaign_id)
    if choice.state:
        found.append(_state(workspace, choice.state))
    if choice.meeting is not None:
        found.append(_C.c.meeting_at.is_not(None) if choice.meeting else _C.c.meeting_at.is_(None))
    if choice.assignee_id is not None:
        found.append(_C.c.assignee_id == (choice.assignee_id or None))
    if choice.mentioned_id is not None:
        named = sa.select(Mention.conversation_id).where(Mention.user_id == choice.mentioned_id)
        found.append(_C.c.id.in_(named.where(Mention.workspace_id == workspace.id)))
    if choice.company:
        there = sa.select(_P.c.id).where(_P.c.workspace_id == workspace.id, _P.c.company_name == choice.company)
        found.append(_C.c.person_id.in_(there))
    if choice.updated_after is not None:
        found.append(_C.c.updated_at > choice.updated_after)
    if choice.query.strip():
        found.append(_with_words(workspace, choice))
    return found


def _state(workspace: Workspace, state: str) -> sa.ColumnElement[bool]:
    now, comes = workspace.now(), _C.c.remind_at
    returned = sa.and_(comes.is_not(None), comes <= now)
    waiting = sa.and_(comes.is_(None), _C.c.done_at.is_(None), ANSWERED)
    states: dict[str, sa.ColumnElement[bool]] = {
        "open": sa.or_(returned, waiting),
        "returned": returned,
        "ours": sa.and_(waiting, sa.or_(_C.c.last_direction == Direction.IN, _UNREAD)),
        "theirs": sa.and_(waiting, _C.c.last_direction != Direction.IN, sa.not_(_UNREAD)),
        "reminded": sa.and_(comes.is_not(None), comes > now),
        "done": _C.c.done_at.is_not(None),
        "all": sa.or_(ANSWERED, comes.is_not(None), _C.c.done_at.is_not(None)),
    }
    return states[state]


def newest(
    workspace: Workspace, choice: ThreadFilter, behind: Place | None = None, limit: int = 25
) -> tuple[list[Any], Place | None]:
    """Return a page and the place behind it, None after the last: latest or oldest first, reminders by their day."""
    moment = _C.c.remind_at if choice.state in ("returned", "reminded") else _C.c.last_message_at
    ids = _ids(workspace, choice).limit(limit + 1)
    if choice.oldest_first or choice.state == "reminded":
        ids = ids.order_by(moment, _C.c.id)
        later = behind and (moment >= behind.at, sa.or_(moment > behind.at, _C.c.id > behind.id))
    else:
        ids = ids.order_by(moment.desc(), _C.c.id.desc())
        later = behind and (moment <= behind.at, sa.or_(moment < behind.at, _C.c.id < behind.id))
    rows = _rows(workspace, session().execute(ids.where(*later) if later else ids).all())
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1]
    return rows[:limit], Place(getattr(last, moment.name), last.id)


def contains(workspace: Workspace, choice: ThreadFilter, conversation_id: int) -> bool:
    """Return whether the filter includes the conversation."""
    return session().execute(_ids(workspace, choice).where(_C.c.id == conversation_id)).first() is not None


def by_state(workspace: Workspace, choice: ThreadFilter) -> Sequence[Any]:
    """Count the inbox by state and tone; conversations without a reply count only when done or with a reminder."""
    is_set = sa.or_(_C.c.done_at.is_not(None), _C.c.remind_at.is_not(None))
    state = sa.case(
        (_C.c.done_at.is_not(None), "done"),
        (_C.c.remind_at > workspace.now(), "reminded"),
        (_C.c.remind_at.is_not(None), "returned"),
        else_="waiting",
    ).label("state")
    found: list[Any] = []
    for tone, words in ((_C.c.sentiment.in_(TONES), True), (sa.and_(_C.c.sentiment == "", is_set), False)):
        ours = (_ours(workspace, choice), tone, *_conditions(workspace, replace(choice, query="")))
        query = sa.select(_C.c.sentiment, state, _C.c.unread).where(*ours)
        if choice.query.strip():
            query = query.where(_with_words(workspace, replace(choice, answered=words)))
        each = query.subquery("each")
        number, fresh = sa.func.count().label("number"), sa.func.count(sa.case((each.c.unread > 0, 1))).label("unread")
        counted = sa.select(each.c.sentiment, each.c.state, number, fresh)
        found += session().execute(counted.group_by(each.c.sentiment, each.c.state)).all()
    return found


def _ids(workspace: Workspace, choice: ThreadFilter) -> sa.Select[Any]:
    """Select the ids and sort keys of the matching conversations; many more may have to be sorted than are shown."""
    ours = (_ours(workspace, choice), *_conditions(workspace, choice))
    return cast(sa.Select[Any], sa.select(_C.c.id, _C.c.last_message_at).where(*ours))


def _rows(workspace: Workspace, found: Sequence[Any]) -> list[Any]:
    """Return the full rows in this order; one query for sorted full rows would read the whole workspace."""
    ids = [each.id for each in found]
    rows = {row.id: row for row in session().execute(_of(workspace.id).where(_C.c.id.in_(ids)))}
    return [rows[one] for one in ids if one in rows]


def _ours(workspace: Workspace, choice: ThreadFilter) -> sa.ColumnElement[bool]:
    """Return the workspace condition as an expression, so that SQLite uses the campaign's narrower index."""
    owner = _C.c.workspace_id if choice.campaign_id is None else _C.c.workspace_id + 0
    ours: sa.ColumnElement[bool] = owner == workspace.id
    return ours


def silent(workspace: Workspace, choice: ThreadFilter) -> int:
    """Return the number of conversations without a reply, for a sender, a campaign or a search."""
    if choice.query.strip() and replace(choice, query="") == ThreadFilter():
        return search_index.number(workspace.id, choice.query, search_index.SILENT)
    ours = (_ours(workspace, choice), *_conditions(workspace, replace(choice, query="")))
    query = sa.select(sa.func.count()).where(*ours, _C.c.sentiment == "")
    if choice.query.strip():
        query = query.where(_with_words(workspace, replace(choice, answered=False)))
    return session().scalar(query) or 0


def _with_words(workspace: Workspace, choice: ThreadFilter) -> sa.ColumnElement[bool]:
    kinds = {None: "", True: search_index.ANSWERED, False: search_index.SILENT}
    words = search_index.search(workspace.id, choice.query, choice.sentiment or kinds[choice.answered])
    with_them: sa.ColumnElement[bool] = _C.c.id.in_(words)
    return with_them


def waiting(workspace: Workspace) -> int:
    """Count the conversations to look at: those with unread messages, and reminders that came back."""
    return session().scalar(sa.select(count_waiting(workspace))) or 0


def count_waiting(workspace: Workspace) -> sa.ColumnElement[int]:
    """Return the column that counts the conversations to look at; each of its two parts has an index."""
    back = (_C.c.remind_at.is_not(None), _C.c.remind_at <= workspace.now())
    read = sa.not_(sa.and_(_UNREAD, ANSWERED))
    ours = sa.select(sa.func.count()).where(_C.c.workspace_id == workspace.id)
    return ours.where(_UNREAD, ANSWERED).scalar_subquery() + ours.where(*back, read).scalar_subquery()


def unsent(workspace: Workspace) -> Sequence[Any]:
    """Return the conversations that came back because a manual message did not reach the person, each with `why`."""
    failed = (_M.c.conversation_id == _C.c.id, _M.c.by_hand.is_(True), _M.c.status == MessageStatus.FAILED)
    why = sa.select(_M.c.error).where(*failed).order_by(_M.c.id.desc()).limit(1).correlate(_C).scalar_subquery()
    back = (_C.c.remind_at.is_not(None), _C.c.remind_at <= workspace.now(), why.is_not(None))
    query = _of(workspace.id).add_columns(why.label("why")).where(*back)
    return session().execute(query.order_by(_C.c.remind_at.desc(), _C.c.id.desc()).limit(MOST_UNSENT)).all()


def get(workspace: Workspace, conversation_id: int) -> Any:
    """Return the conversation as a row of a page, or raise NotFound."""
    found = session().execute(_of(workspace.id).where(_C.c.id == conversation_id)).first()
    if found is None:
        raise NotFound("Conversation not found.")
    return found


def thread(workspace: Workspace, conversation_id: int) -> Conversation:
    """Return the conversation, or raise NotFound."""
    return get_owned(Conversation, workspace, conversation_id)


def of_person(workspace: Workspace, person_id: int) -> Sequence[Conversation]:
    """Return the conversations with a person, one for each sender."""
    query = sa.select(Conversation).where(
        Conversation.workspace_id == workspace.id, Conversation.person_id == person_id
    )
    return session().scalars(query.order_by(Conversation.id)).all()


def with_person(workspace: Workspace, person_id: int) -> Any:
    """Return the conversation to write in, as a row of a page: one that waits for an answer, with replies, the last."""
    waits = sa.and_(ANSWERED, _C.c.last_direction == Direction.IN, _state(workspace, "open")).label("waits")
    query = _of(workspace.id).add_columns(waits).where(_C.c.person_id == person_id)
    return session().execute(query.order_by(waits.desc(), ANSWERED.desc(), _C.c.last_message_at.desc())).first()


def messages(workspace: Workspace, conversation_id: int) -> sa.Select[Any]:
    """Select the messages of the conversation."""
    get_owned(Conversation, workspace, conversation_id)
    return sa.select(Message).where(Message.conversation_id == conversation_id, Message.workspace_id == workspace.id)


def message(workspace: Workspace, conversation_id: int, message_id: int) -> Message:
    """Return one message of the conversation, or raise NotFound."""
    query = messages(workspace, conversation_id).where(Message.id == message_id)
    found: Message | None = session().scalars(query).first()
    if found is None:
        raise NotFound("Message not found.")
    return found


def has_message(
    workspace: Workspace, conversation_id: int, before: int | None = None, since: int | None = None, limit: int = 30
) -> tuple[list[Message], bool]:
    """Return messages, oldest first, and whether there are older ones: the last, those before one or from one on."""
    query = messages(workspace, conversation_id)
    pivot = session().scalar(query.where(Message.id == (before or since or 0)))
    if pivot is not None:
        earlier = sa.or_(Message.at < pivot.at, sa.and_(Message.at == pivot.at, Message.id < pivot.id))
        query = query.where(earlier if before else sa.not_(earlier))
        limit = limit if before else 500
    newest_first = query.order_by(Message.at.desc(), Message.id.desc()).limit(limit + 1)
    found = list(session().scalars(newest_first))
    older = len(found) > limit
    if since and pivot is not None and not older:
        older = session().scalar(sa.select(messages(workspace, conversation_id).where(earlier).exists())) or False
    return found[:limit][::-1], older


def etag(conversation_id: int) -> str:
    """Return a tag that changes whenever anything about the messages does."""
    query = sa.select(sa.func.count(), sa.func.max(Message.id)).where(Message.conversation_id == conversation_id)
    number, last = session().execute(query).one()
    moving = sa.select(
        Message.id, Message.status, Message.due_at, Message.send_at, Message.error, Message.sentiment
    ).where(Message.conversation_id == conversation_id, sa.or_(Message.by_hand.is_(True), Message.sentiment != ""))
    rows = session().execute(moving.order_by(Message.id.desc()).limit(40)).all()
    notes = sa.select(sa.func.count(), sa.func.max(ConversationNote.id))
    noted = tuple(session().execute(notes.where(ConversationNote.conversation_id == conversation_id)).one())
    return f"{crc32(repr((number, last, noted, [tuple(row) for row in rows])).encode()):x}"


def lines(conversation: Conversation) -> list[ThreadRow]:
    """Return what happened between sender and person besides messages, oldest first."""
    done = sa.select(Action.at, Action.kind, Action.accepted_at).where(
        Action.workspace_id == conversation.workspace_id,
        Action.sender_id == conversation.sender_id,
        Action.person_id == conversation.person_id,
        Action.kind.in_(LINES),
        Action.state.in_([ActionState.SENT, ActionState.UNKNOWN]),
    )
    found = [ThreadRow(row.at, row.kind) for row in session().execute(done)]
    accepted = sa.select(CampaignLead.accepted_at).where(
        CampaignLead.workspace_id == conversation.workspace_id,
        CampaignLead.person_id == conversation.person_id,
        CampaignLead.account_id == conversation.sender_id,
        CampaignLead.accepted_at.is_not(None),
    )
    found += [ThreadRow(at, "accepted") for at in dict.fromkeys(session().scalars(accepted)) if at]
    return sorted(found, key=lambda line: line.at)


def mark(workspace: Workspace, conversation_id: int, *, read: bool) -> Conversation:
    """Mark the conversation as read, or as unread with one new message."""
    with transaction():
        found = get_owned(Conversation, workspace, conversation_id, lock=True)
        found.unread, found.updated_at = 0 if read else max(found.unread, 1), workspace.now()
        if not read:  # an unread conversation is an open one
            found.done_at = found.remind_at = None
            found.remind_by = found.remind_text = ""
        return found


def mute(workspace: Workspace, conversation_id: int, *, muted: bool) -> Conversation:
    """Mute or unmute the conversation: a muted one gets no unread mark and no alert, but stays in the list."""
    with transaction():
        found = get_owned(Conversation, workspace, conversation_id, lock=True)
        found.muted_at = (found.muted_at or workspace.now()) if muted else None
        found.unread, found.updated_at = 0 if muted else found.unread, workspace.now()
        return found


def muted(workspace: Workspace) -> set[int]:
    """Return the ids of muted conversations."""
    ids = sa.select(_C.c.id).where(_C.c.workspace_id == workspace.id, _C.c.muted_at.is_not(None))
    return set(session().scalars(ids))


def lead_of(thread: Conversation) -> Lead | None:
    """Return the lead that the conversation belongs to, else their newest one; None for people on no list."""
    theirs = sa.select(Lead).where(Lead.person_id == thread.person_id, Lead.deleted_at.is_(None))
    own_first = theirs.order_by(sa.case((Lead.id == thread.lead_id, 0), else_=1), Lead.id.desc())
    return session().scalars(own_first.limit(1)).first()
