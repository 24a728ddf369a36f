"""A conversation's view data: list rows, days and bubbles of the thread, the panel about the person."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from flask import g

from app.core import clock, text
from app.core.errors import AppError
from app.core.mail import markup
from app.domain.campaign_leads import campaign_leads, why_waiting
from app.domain.campaigns import campaigns
from app.domain.conversations import attachments, inbox, messages, notes, reply_times, snippets, threads
from app.domain.conversations.reply_times import Zone
from app.domain.engine.manual import compose, recipients
from app.domain.engine.manual.compose import Reading, Unsent
from app.domain.exclusions import company_holds, never_contact
from app.domain.replies import own_words
from app.domain.rules.reasons import WaitReason
from app.domain.rules.step_kinds import action_words
from app.domain.senders import accounts
from app.domain.workspace import roles
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import words
from app.pages.tasks import follow_up
from app.pages.tasks.follow_up import FollowUp

STATES = {"": ("Open", "open"), "reminded": ("Reminded", "reminded"), "done": ("Done", "done"), "all": ("All", "all")}
TABS = {"positive": "Positive", "neutral": "Neutral", "negative": "Negative", "unread": "Unread", "silent": "No reply"}
TONES = {
    "positive": ("Positive", "p", "ok"),
    "generic": ("Neutral", "n", "neutral"),
    "negative": ("Negative", "u", "danger"),
}
TIMES = {"morning": "Tomorrow morning", "afternoon": "Tomorrow afternoon", "monday": "Monday morning"}
REMINDERS = {"tomorrow": "Tomorrow", "days": "In 3 days", "week": "Next week"}
STUCK = {
    "disconnected": ("{name} is disconnected, so you can't send.", "Reconnect {name}"),
    "challenged": ("LinkedIn needs a security check for {name}’s account.", "Open {name}"),
    "connecting": ("{name} is still connecting.", "Open {name}"),
}
WARNINGS = {
    "said_no": "They said no.",
    "asked_to_wait": "They asked to be contacted again on {day}.",
    "opt_out_question": "They may have opted out. Decide before you reply.",
    "company_held": "Someone else at {saw} replied. Decide whether to continue with this company.",
}
FOLDED_AFTER, NARROWEST = 12, 30  # lines, and how few signs may stand in one
TOGETHER = timedelta(minutes=10)  # messages of one side, so close to each other, are one group


@dataclass(frozen=True)
class Row:
    """A line of the list."""

    id: int
    name: str
    company: str
    tone: str
    mine: bool
    text: str
    sender: str
    channel: str
    unread: int
    muted: bool
    at: datetime
    returned: bool = False
    mentioned: bool = False
    assignee: str = ""
    unsent: bool = False
    meeting: bool = False
    scheduled: bool = False


@dataclass(frozen=True)
class Day:
    """The heading of a day."""

    label: str
    kind: Literal["day"] = "day"


@dataclass(frozen=True)
class Line:
    """An event between the messages."""

    icon: str
    text: str
    at: datetime
    kind: Literal["line"] = "line"


@dataclass(frozen=True)
class Note:
    """A note between the messages, for members only."""

    note: Any
    may_delete: bool
    kind: Literal["note"] = "note"


@dataclass(frozen=True)
class Bubble:
    """A message; `first` and `last` of a group by the same side."""

    message: Any
    mine: bool
    own: str
    quoted: str
    first: bool
    last: bool
    state: str
    why: str = ""
    unfold: bool = False
    unfold_quoted: bool = False
    moves: Collection[str] = ()
    held: bool = False  # they wrote before its time
    waits: bool = False  # for the seconds in which it can be taken back
    author: str = ""  # who wrote it, where it was not the person's own address
    kind: Literal["bubble"] = "bubble"

    @property
    def files(self) -> list[Any]:
        """Return the files of the message."""
        return list((self.message.letter or {}).get("files", ()))

    @property
    def addressed(self) -> str:
        """Return whom it went to, in words; '' for one recipient alone."""
        letter = self.message.letter or {}
        to, cc = ([_named(one) for one in letter.get(name, ())] for name in ("to", "cc"))
        said = [f"{word} {', '.join(named)}" for word, named in (("To", to), ("Cc", cc)) if named]
        return " · ".join(said) if cc or len(to) > 1 else ""

    @property
    def sent(self) -> bool:
        """Return whether the message was sent or received."""
        return self.state in ("sent", "received")


@dataclass
class Way:
    """A campaign of the person, and their state in it."""

    campaign: Any
    person: Any
    why: WaitReason


@dataclass(frozen=True)
class Ready:
    """A snippet as the person would get it; with `problem` its text stands as it was written."""

    id: int
    name: str
    text: str
    problem: str = ""


@dataclass
class Talk:
    """All values of a conversation's page."""

    row: Any
    person: Any
    lead_id: int  # 0 for people on no list
    account: Any
    name: str
    first_name: str
    items: list[Any]
    earlier: int = 0
    oldest: int = 0
    version: str = ""
    known: int = 0
    written: int = 0
    ways: list[Way] = field(default_factory=list)
    blocked: Any = None
    holds: Any = None  # their company, while colleagues are held
    stuck: tuple[str, str] | None = None
    refused: str = ""
    pauses: list[str] = field(default_factory=list)
    warnings: dict[str, str] = field(default_factory=dict)  # sentences by what they are about
    unsent: Unsent = field(default_factory=Unsent)  # what the user has typed
    reading: Reading | None = None
    may_write: bool = True
    moving: bool = False
    query: list[str] = field(default_factory=list)
    follow_up: FollowUp | None = None
    people: dict[int, str] = field(default_factory=dict)  # to whom it may be assigned
    me: int = 0
    now: datetime = field(default_factory=clock.now)
    days: list[tuple[str, str, str]] = field(default_factory=list)  # to come back on: value, words, date
    may_change: bool = False
    returned: bool = False
    comes: str = ""
    handles: list[str] = field(default_factory=list)  # how a note mentions a member
    snippets: list[Ready] = field(default_factory=list)
    times: list[tuple[str, str, str]] = field(default_factory=list)  # to send at: value, words, moment
    zone: Zone | None = None  # that times to send at are in
    drafted: bool = False  # whether the writer may be asked for a reply
    copies: list[Any] = field(default_factory=list)  # whom a reply to all has in Cc
    copy_blocked: str = ""  # the one of them on the do-not-contact list
    files: Sequence[Any] = ()  # that the user is about to send
    is_first: bool = False  # nothing was written yet, so an email needs a subject


def name_of(row: Any) -> str:
    """Return the person's name of a row."""
    return f"{row.first_name} {row.last_name}".strip() or row.public_id or row.email or "Erased person"


def rows(workspace: Workspace, user: User, found: Sequence[Any]) -> list[Row]:
    """Return the lines of the list."""
    people = inbox.people(workspace)
    mentioned, now = notes.unseen(workspace, user.id), workspace.now()
    return [
        Row(
            row.id,
            name_of(row),
            row.company_name,
            row.sentiment,
            row.last_direction == "out",
            " ".join(_said(row).split())[:240],
            row.account_name,
            row.channel,
            row.unread,
            row.muted_at is not None,
            row.last_message_at,
            row.remind_at is not None and row.remind_at <= now,
            row.id in mentioned,
            people.get(row.assignee_id, ""),
            row.last_status in ("failed", "unknown"),
            row.meeting_at is not None,
            row.last_status == "queued" and row.last_send_at is not None,
        )
        for row in found
    ]


def _said(row: Any) -> str:
    """Return what the last message of a row says, as it reads: without what it quotes, and without markup."""
    written = row.last_text or ""
    if row.last_direction == "out":
        return markup.plain(markup.with_link_named(written), links=False) if row.channel == "email" else written
    return own_words.own_and_quoted(written)[0]


def show(
    workspace: Workspace, user: User, row: Any, *, before: int | None = None, since: int | None = None, query: str = ""
) -> Talk:
    """Return the conversation with its last messages, those before one, or those from one on.

    Long texts are folded unless words of `query` are further down in them.
    """
    thread = threads.thread(workspace, row.id)
    person = thread.person
    account = accounts.get(workspace, thread.sender_id)
    said, older = threads.has_message(workspace, row.id, before=before, since=since)
    name = person.name
    first_name = person.first_name or name
    talk = Talk(row, person, row.lead_id or 0, account, name, first_name, [], query=text.words(query))
    talk.earlier = said[0].id if older and said else 0
    talk.oldest = said[0].id if said else 0
    talk.version = threads.etag(row.id)
    talk.known, talk.written = messages.last_reply(row.id), messages.last_written(row.id)
    talk.now = workspace.now()
    talk.me, talk.may_change = user.id, roles.may(g.role, "conversations", change=True)
    talk.items = _items(workspace, talk, said, threads.lines(thread), older, before)
    talk.people = inbox.people(workspace)
    talk.handles = [name for user_id, name in talk.people.items() if user_id != user.id]
    talk.days = _days(workspace)
    talk.snippets = ready(workspace, row.id) if talk.may_change else []
    talk.zone = reply_times.zone_of(workspace, person)
    talk.times = [
        (name, TIMES[name], f"{moment:%a} {moment.day} {moment:%b, %H:%M}")
        for name, moment in reply_times.offered(workspace.now(), talk.zone).items()
    ]
    talk.drafted = talk.may_change and not talk.unsent.text and row.last_direction == "in"
    talk.returned = row.remind_at is not None and row.remind_at <= workspace.now()
    talk.comes = words.day(row.remind_at, g.zone)
    talk.moving = any(one.status in ("queued", "sending", "unknown") and one.by_hand for one in said)
    talk.unsent = compose.draft(workspace, user, row.id)
    talk.reading = compose.read(workspace, row.id, talk.unsent.text)
    talk.is_first = account.channel == "email" and not said
    talk.copies = recipients.others(thread, account)
    talk.copy_blocked = recipients.blocked(workspace.id, talk.copies)
    talk.files = attachments.typed(workspace, user, row.id) if account.channel == "email" else ()
    _closed(workspace, talk)
    talk.follow_up = follow_up.of_person(workspace, row.person_id)
    talk.warnings = _warnings(workspace, thread, talk.follow_up)
    talk.pauses = [
        way.campaign.name for way in talk.ways if way.person.state in ("pending", "active", "awaiting_accept")
    ]
    return talk


def ready(workspace: Workspace, conversation_id: int) -> list[Ready]:
    """Return the snippets as the person would get them."""
    found = []
    for one in snippets.every(workspace):
        reading = compose.read(workspace, conversation_id, one.text)
        problem = reading.problems[0] if reading and reading.problems else ""
        found.append(Ready(one.id, one.name, reading.text if reading and not problem else one.text, problem))
    return found


def drafted_text(workspace: Workspace, conversation_id: int, text: str) -> str:
    """Return the writer's reply as the person would get it; '' when a value is missing."""
    reading = compose.read(workspace, conversation_id, text) if text else None
    return text if reading is None else "" if reading.problems else reading.text


def _days(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Return the days that a reminder offers."""
    return [
        (name, label, _day(day, workspace.now().astimezone(g.zone).date()))
        for (name, label), day in zip(REMINDERS.items(), remind_days(workspace).values(), strict=True)
    ]


def remind_days(workspace: Workspace) -> dict[str, date]:
    """Return the days that stand for these words: next week is its Monday."""
    today = workspace.now().astimezone(ZoneInfo(workspace.timezone)).date()
    after = {"tomorrow": 1, "days": 3, "week": 7 - today.weekday()}
    return {name: today + timedelta(days=number) for name, number in after.items()}


def _warnings(workspace: Workspace, thread: Any, follow: FollowUp) -> dict[str, str]:
    """Return what to know before writing, but for the day to come back where the conversation shows it already."""
    shown = {"asked_to_wait", "opt_out_question"} if any(line.referral is None for line in follow.lines) else set()
    said = {
        one.code: WARNINGS[one.code].format(saw=one.saw, day=words.day(one.until, g.zone))
        for one in compose.warnings(workspace, thread)
    }
    return {code: sentence for code, sentence in said.items() if code not in shown}


def _closed(workspace: Workspace, talk: Talk) -> None:
    """Return why the user can't reply now, if so."""
    talk.ways = [
        Way(campaign, way, why_waiting.of_people(workspace, campaign, [way])[way.id])
        for way, campaign in campaign_leads.campaigns_of(workspace, talk.row.person_id)[:5]
    ]
    talk.blocked = never_contact.find(workspace, talk.row.person_id)
    talk.holds = company_holds.of_conversation(workspace, talk.row.id)
    if stuck := STUCK.get(talk.account.status):
        talk.stuck = (stuck[0].format(name=talk.account.name), stuck[1].format(name=talk.account.name))
    elif not talk.account.active:
        talk.stuck = (f"{talk.account.name} is switched off.", f"See {talk.account.name}")
    try:
        campaigns.check_may_contact(workspace)
    except AppError as refusal:
        talk.refused = refusal.message
    talk.may_write = roles.may(g.role, "conversations", change=True) and not (
        talk.blocked or talk.stuck or talk.refused
    )


def _items(
    workspace: Workspace, talk: Talk, said: Sequence[Any], lines: Sequence[Any], older: bool, before: int | None
) -> list[Any]:
    """Return messages and events in their order, with a heading for each day."""
    begin = said[0].at if said and older else None
    end = said[-1].at if said and before else None
    kept = [line for line in lines if (begin is None or line.at >= begin) and (end is None or line.at <= end)]
    noted = [
        one
        for one in notes.of(workspace, talk.row.id)
        if (begin is None or one.at >= begin) and (end is None or one.at <= end)
    ]
    happened = sorted(
        [
            *((line.at, 0, line) for line in kept),
            *((one.at, 1, one) for one in said),
            *((one.at, 2, one) for one in noted),
        ],
        key=lambda each: each[:2],
    )
    items: list[Any] = []
    day = None
    for number, (at, book, thing) in enumerate(happened):
        local = at.astimezone(g.zone).date()
        if local != day:
            day = local
            items.append(Day(_day(local, workspace.now().astimezone(g.zone).date())))
        if book == 0:
            if thing.kind == "accepted":
                items.append(Line("circle-check", f"{talk.first_name} accepted the connection request", at))
            else:
                done = action_words(thing.kind)
                items.append(Line(done.icon, done.done, at))
            continue
        if book == 2:
            items.append(Note(thing, talk.may_change))
            continue
        previous = happened[number - 1][2] if number and happened[number - 1][1] == 1 else None
        following = happened[number + 1][2] if number + 1 < len(happened) and happened[number + 1][1] == 1 else None
        items.append(_bubble(talk, thing, _apart(previous, thing), _apart(thing, following)))
    return items


def _apart(one: Any, other: Any) -> bool:
    """Return whether two messages in a row belong to different groups."""
    if one is None or other is None or one.direction != other.direction:
        return True
    return bool(other.at - one.at > TOGETHER or one.at.astimezone(g.zone).date() != other.at.astimezone(g.zone).date())


def _bubble(talk: Talk, message: Any, first: bool, last: bool) -> Bubble:
    mine = message.direction == "out"
    own, quoted = (markup.with_link_named(message.text), "") if mine else own_words.own_and_quoted(message.text)
    state = message.status if mine and message.by_hand else "sent" if mine else "received"
    why = message.error
    if state == "queued" and talk.account.status in STUCK:
        why = STUCK[talk.account.status][0].format(name=talk.account.name)
    begin = _beginning(own)
    unfold = _hides(talk, begin, own[len(begin) :]), _hides(talk, own, quoted)
    last = last or state in ("failed", "unknown")
    held = state == "failed" and message.send_at is not None and why == messages.THEY_WROTE
    waits = message.due_at is not None and message.due_at > talk.now
    return Bubble(
        message,
        mine,
        own,
        quoted,
        first,
        last,
        state,
        why,
        *unfold,
        moves=compose.moves(message),
        held=held,
        waits=waits,
        author=_author(talk, message),
    )


def _named(party: Sequence[str]) -> str:
    name, address = party
    return f"{name} <{address}>" if name and name != address else address


def _author(talk: Talk, message: Any) -> str:
    """Return who wrote a received email, where it was not the person: a colleague may answer for them."""
    told = (message.letter or {}).get("from") or [("", "")]
    return "" if told[0][1].lower() in ("", talk.person.email.lower()) else _named(told[0])


def _beginning(own: str) -> str:
    """Return the part of a message that is never folded, on the narrowest screen."""
    return "\n".join(own.split("\n")[:FOLDED_AFTER])[: FOLDED_AFTER * NARROWEST]


def _hides(talk: Talk, seen: str, folded: str) -> bool:
    """Return whether folding would hide a word of the search that appears nowhere else."""
    if not talk.query or not folded:
        return False
    seen, folded = (" " + " ".join(text.words(part)) for part in (seen, folded))
    return any(f" {word}" in folded and f" {word}" not in seen for word in talk.query)


def _day(day: Any, today: Any) -> str:
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    return f"{day:%a} {day.day} {day:%b}" + ("" if day.year == today.year else f" {day:%Y}")
