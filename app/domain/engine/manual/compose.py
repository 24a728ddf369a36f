"""Compose a manual message: it waits in its conversation to be sent.

Nothing here reaches the network; `outgoing` sends what waits. Writing by hand to a person who is still in a sequence
pauses that sequence for them (reason "You wrote by hand"), so that the engine does not write in between. Only a member
knows how the conversation continues, so only a member resumes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.actor import actor, refuse_unapproved
from app.core.db import get_owned, insert, session, transaction
from app.core.errors import Conflict, ConversationChanged, Field, InvalidRequest, NotFound
from app.core.mail.markup import has_markup
from app.core.text import number
from app.domain.campaigns import campaigns
from app.domain.conversations import attachments, inbox, inbox_settings, meeting_links, messages, search_index
from app.domain.engine.manual import recipients
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import gate, never_contact
from app.domain.platform import locks
from app.domain.rules import message_templates
from app.domain.rules.contact_rules import Verdict
from app.domain.rules.message_syntax import foreign
from app.domain.rules.message_templates import Draw, Filled
from app.domain.rules.step_kinds import STEPS
from app.domain.webhooks import events
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import OPEN_STATES
from app.models.conversations import Conversation, Direction, Message, MessageStatus, Typed
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import User, Workspace
from app.ports import File, Parties, Party

LONGEST, LONGEST_CC = 8000, 6000
LONGEST_WAIT = timedelta(days=90)  # that a reply can be scheduled ahead
LONGEST_INMAIL, LONGEST_SUBJECT = STEPS["inmail"].max_text, STEPS["inmail"].max_subject
WAITING = (MessageStatus.QUEUED, MessageStatus.FAILED)
# Why a sender cannot send now, and what to do first.
CLOSED = {
    AccountStatus.DISCONNECTED: ("is disconnected", "Connect the sender again, then send."),
    AccountStatus.CHALLENGED: ("needs a security check", "Complete the security check, then send."),
    AccountStatus.CONNECTING: ("is still connecting", "Send again in a moment."),
}


def write(
    workspace: Workspace,
    conversation_id: int,
    text: str,
    subject: str = "",
    seen_id: int | None = None,
    *,
    send_at: datetime | None = None,
    wait: int = 0,
    reply_all: bool = False,
    cc: Sequence[str] = (),
    files: Sequence[File] | None = None,
) -> Message:
    """Queue a manual message in its conversation; it is sent as soon as its sender is free.

    It waits a few seconds, in which `discard` undoes it, or until `send_at`: a scheduled message is held if the person
    writes something that the member has not seen.

    With `reply_all` those whom the person's last email went to get it in Cc, besides those in `cc`. `files` go with an
    email; None for those that the actor attached to their draft.

    `seen_id` is the newest message its writer has seen. Raise ConversationChanged when the person wrote after it; a
    reply that arrives before the send stops it too. The message counts against the sender's limits. Working hours,
    pauses and daily targets do not delay it; only the hard safety limit does.
    """
    campaigns.check_may_contact(workspace)
    with locks.changing(workspace.id) as current:
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        account = current.get_one(Account, thread.sender_id)
        kind = _kind(account, subject)
        if first := is_first(thread.id):
            refuse_unapproved("Write to the person in a campaign with approval")
        text, subject = _checked(kind, *_written(thread, account, text, subject), first=first)
        _check_sender(account)
        _check_person(workspace, thread, account)
        copies = _copies(workspace, thread, account, cc, reply_all=reply_all)
        if files:
            _check_files(account, files)
        if seen_id is not None and messages.last_reply(thread.id) > seen_id:
            raise ConversationChanged("A newer message has arrived. Nothing was sent.")
        at = workspace.now()
        if send_at is not None:
            _check_time(send_at, at)
            seen_id = seen_id if seen_id is not None else messages.last_reply(thread.id)
        message = _queued(thread, kind, text, subject or _reply_subject(thread, kind), at)
        message.due_at, message.send_at, message.seen_id = send_at or at + timedelta(seconds=wait), send_at, seen_id
        message.letter = _letter(thread, copies) if kind == "email" else None
        current.add(message)
        thread.last_message_at, thread.last_direction, thread.unread = max(at, thread.last_message_at), Direction.OUT, 0
        thread.updated_at = at
        inbox.end_returned(thread, at)
        _pause_sequences(workspace, thread)
        current.flush()
        _take_draft(message, files)
        search_index.index({thread.id: f"{message.subject} {text}"})
        return message


def begin(workspace: Workspace, person_id: int, account_id: int, text: str, subject: str = "", **how: Any) -> Message:
    """Queue the first message to a person from one of the senders; a conversation that they have already goes on.

    The checks of every manual message apply; `how` are the other arguments of `write`.
    """
    with locks.changing(workspace.id):
        account = _named(Account, workspace, account_id, "accountId", "Sender")
        person = _named(Person, workspace, person_id, "personId", "Person")
        thread = messages.between(account, person.id, workspace.now(), Direction.OUT)
        return write(workspace, thread.id, text, subject, **how)


def _named(model: Any, workspace: Workspace, row_id: int, field: str, what: str) -> Any:
    """Return the workspace's row of that id, or raise InvalidRequest for the field."""
    found = session().get(model, row_id)
    if found is None or found.workspace_id != workspace.id or getattr(found, "erased_at", None):
        raise InvalidRequest.of((field, f"{what} not found in this workspace."))
    return found


def _queued(thread: Conversation, kind: str, text: str, subject: str, at: datetime) -> Message:
    return Message(
        workspace_id=thread.workspace_id,
        conversation_id=thread.id,
        direction=Direction.OUT,
        kind=kind,
        text=text,
        subject=subject,
        provider_id=events.new_ref("hand_"),
        status=MessageStatus.QUEUED,
        by_hand=True,
        at=at,
    )


def _copies(
    workspace: Workspace, thread: Conversation, account: Account, cc: Sequence[str], *, reply_all: bool
) -> list[Party]:
    """Return who gets the email in Cc; raise Conflict when one of them must not be contacted."""
    added = recipients.given(account, thread.person_id, cc)
    if address := recipients.blocked(workspace.id, added):
        raise Conflict(f"{address} in Cc is on the do-not-contact list.", recovery="Remove the address from Cc.")
    copies = recipients.others(thread, account) if reply_all else []
    if address := recipients.blocked(workspace.id, copies):
        raise Conflict(
            f"{address} in Cc is on the do-not-contact list.", recovery=f"Reply to {thread.person.name} only."
        )
    return recipients.joined(copies, added)


def _check_files(account: Account, files: Sequence[File]) -> None:
    if account.channel != Channel.EMAIL:
        raise InvalidRequest.of(("attachments", "Only an email can have attachments."))
    attachments.check(files)


def _letter(thread: Conversation, copies: Sequence[Party]) -> dict[str, Any]:
    return dict(Parties(None, [Party(thread.person.name, recipients.address_of(thread))], copies).told())


def _take_draft(message: Message, files: Sequence[File] | None) -> None:
    writer = actor.get().user_id
    if files:
        attachments.keep(message, files)
    elif files is None and writer:
        _delete_draft(writer, message.conversation_id)
        if message.kind == "email":
            attachments.send_typed(message, writer)


def _check_time(send_at: datetime, at: datetime) -> None:
    if not at < send_at <= at + LONGEST_WAIT:
        raise InvalidRequest.of(("sendAt", f"Choose a time within the next {LONGEST_WAIT.days} days."))


@dataclass(frozen=True)
class Reading:
    """What the person would get of a text with variables, choices or conditions, or what is wrong with it."""

    text: str
    problems: Sequence[str] = ()
    foreign: Sequence[tuple[str, str]] = ()  # (another tool's syntax in the text, the same in ours)
    mail: bool = False
    signature: str = ""


def read(workspace: Workspace, conversation_id: int, text: str) -> Reading | None:
    """Return how the person would get the text; None for a text without syntax, which is sent unchanged."""
    thread = get_owned(Conversation, workspace, conversation_id)
    return _reading(thread, session().get_one(Account, thread.sender_id), text)


def read_first(workspace: Workspace, person_id: int, account_id: int, text: str) -> Reading | None:
    """Return how the person would get the text as the first message from that sender, as `read` does."""
    account = _named(Account, workspace, account_id, "accountId", "Sender")
    person = _named(Person, workspace, person_id, "personId", "Person")
    return _reading(Conversation(workspace_id=workspace.id, person_id=person.id, person=person), account, text)


def _reading(thread: Conversation, account: Account, text: str) -> Reading | None:
    mail = account.channel == Channel.EMAIL
    if message_templates.is_plain(text) and not (mail and text.strip() and (account.signature or has_markup(text))):
        return None
    try:
        return Reading(_written(thread, account, text, "")[0], mail=mail, signature=account.signature)
    except InvalidRequest as refusal:
        return Reading("", [field.message for field in refusal.fields], foreign.pairs([text]))


def _written(thread: Conversation, account: Account, text: str, subject: str) -> tuple[str, str]:
    """Return the text and subject as this person gets them, or raise every problem with their syntax.

    Random choices are seeded with the sender and the last reply, so that the text sent is the one shown.
    """
    draw = Draw(thread.person_id, f"reply {account.id} {messages.last_reply(thread.id)}")
    known = message_templates.values(thread.person, account.name, account.address)
    del known[message_templates.WAY_OUT]
    if message_templates.asks_for_meeting(text, subject):
        owner, place = actor.get().user_id, (thread.workspace_id, thread.person_id)
        known[message_templates.MEETING] = meeting_links.of_reply(*place, owner, account.channel)
    problems, written = [], []
    for name, given in (("text", text.replace("\r\n", "\n")), ("subject", subject)):
        said = message_templates.problems(given, whole=True)
        filled = Filled((given,), ()) if said else message_templates.fill_whole(given, known, draw)
        if message_templates.MEETING in filled.missing:
            said = [inbox_settings.NO_LINK]
        elif filled.missing:
            first = f"{{{{{filled.missing[0]}|…}}}}"
            said = [f"No value for {', '.join(filled.missing)}. Write the text out, or add a fallback: {first}."]
        problems += [(name, sentence) for sentence in said]
        written.append(filled.parts[0])
    if problems:
        fields = [Field(*problem) for problem in problems]
        raise InvalidRequest("The request is not valid.", foreign.advice([text, subject]) or None, fields)
    return written[0], written[1]


def warnings(workspace: Workspace, thread: Conversation) -> list[Verdict]:
    """Return warnings before writing: the person said no, asked to be contacted later, or their company is on hold."""
    return gate.ask_by_hand(workspace.id, thread.person_id, workspace.now()).warnings


def fingerprint(workspace: Workspace, conversation_id: int, written: str) -> int:
    """Return the id of the newest message a caller has seen; raise ConversationChanged when it does not exist."""
    query = sa.select(Message.id).where(
        Message.workspace_id == workspace.id, Message.conversation_id == conversation_id, Message.id == number(written)
    )
    found = session().scalar(query)
    if found is None:
        raise ConversationChanged(
            "If-Match is not a message in this conversation. Nothing was sent.",
            recovery="Read the messages, then send again with the newest id.",
        )
    return found


def _kind(account: Account, subject: str) -> str:
    if account.channel == Channel.EMAIL:
        return "email"
    return "inmail" if subject.strip() else "message"


def is_first(conversation_id: int) -> bool:
    """Return whether nothing was written in the conversation yet."""
    return session().scalar(sa.select(Message.id).where(Message.conversation_id == conversation_id).limit(1)) is None


def _checked(kind: str, text: str, subject: str, *, first: bool) -> tuple[str, str]:
    """Return the stripped text and subject, or raise every problem with them."""
    text, subject = text.strip(), " ".join(subject.split())
    most = min(LONGEST, STEPS[kind].max_text)
    problems = []
    if not text:
        problems.append(("text", "Write a message."))
    elif len(text) > most:
        inmail = " in an InMail" if kind == "inmail" else ""
        problems.append(("text", f"Use at most {most:,} characters{inmail}; you have {len(text):,}."))
    if "\0" in text + subject:
        problems.append(("text", "Remove the NUL character."))
    if first and kind == "email" and not subject:
        problems.append(("subject", "Write a subject."))
    if subject and kind == "email" and not first:
        problems.append(("subject", "Only an InMail has a subject. An email keeps its conversation's subject."))
    elif len(subject) > LONGEST_SUBJECT:
        problems.append(("subject", f"Use at most {LONGEST_SUBJECT} characters."))
    InvalidRequest.raise_for(problems)
    return text, subject


def _check_sender(account: Account) -> None:
    if problem := CLOSED.get(AccountStatus(account.status)):
        raise Conflict(f"{account.name} {problem[0]}.", recovery=problem[1])
    if not account.active:
        raise Conflict(f"{account.name} is switched off.", recovery="Switch the sender on, then send.")


def _check_person(workspace: Workspace, thread: Conversation, account: Account) -> None:
    person = thread.person
    if never := gate.ask_by_hand(workspace.id, person.id, workspace.now()).asked.verdict:
        raise Conflict(
            f"{person.name} is on the do-not-contact list (“{never.saw}”).",
            recovery="If this person asked you to write, remove the entry first.",
        )
    if account.channel == Channel.EMAIL and not person.email:
        raise Conflict(f"{person.name} has no email address.", recovery="Add an email address, then send.")
    if account.channel != Channel.EMAIL and not person.public_id:
        raise Conflict(f"{person.name} has no LinkedIn profile.", recovery="Add a profile link, or write an email.")


def _reply_subject(thread: Conversation, kind: str) -> str:
    """Return the subject of the email before, for a reply in the same thread."""
    if kind != "email":
        return ""
    query = sa.select(Message.subject).where(Message.conversation_id == thread.id, Message.subject != "")
    last = session().scalar(query.order_by(Message.at.desc(), Message.id.desc()).limit(1)) or ""
    return last if not last or last[:3].casefold() == "re:" else f"Re: {last}"


def _pause_sequences(workspace: Workspace, thread: Conversation) -> None:
    """Pause sequences for a person who gets a manual message, also during an absence."""
    for person in campaign_leads.still_there(workspace.id, thread.person_id):
        if person.state in OPEN_STATES:
            campaign_leads.pause_for(person, "wrote_by_hand")
        elif person.reason == "out_of_office":
            person.reason, person.next_budget, person.due_at = "wrote_by_hand", "", None


def stop_sequences(workspace: Workspace, conversation_id: int) -> int:
    """Stop all campaigns for the conversation's person; return the number of campaigns stopped."""
    with locks.changing(workspace.id):
        thread = get_owned(Conversation, workspace, conversation_id)
        found = campaign_leads.still_there(workspace.id, thread.person_id)
        for person in found:
            campaign_leads.finish(person, "stop", "stopped_by_you", workspace.now())
        return len(found)


def retry(workspace: Workspace, conversation_id: int, message_id: int) -> Message:
    """Retry a failed or waiting message now."""
    campaigns.check_may_contact(workspace)
    with transaction() as current:
        thread, message = _waiting(workspace, conversation_id, message_id)
        account = current.get_one(Account, thread.sender_id)
        if _is_dead(message):
            raise Conflict("This email bounced.", recovery="Correct the address, then write again.")
        _check_sender(account)
        _check_person(workspace, thread, account)
        message.status, message.error = MessageStatus.QUEUED, ""
        message.due_at = thread.updated_at = workspace.now()
        message.seen_id = message.send_at = None
        inbox.end_returned(thread, workspace.now())
        return message


def moves(message: Message) -> set[str]:
    """Return the actions offered on the message now."""
    if message.status not in WAITING or not message.by_hand:
        return set()
    now = (message.status == MessageStatus.FAILED or message.send_at is not None) and not _is_dead(message)
    return {"retry", "discard"} if now and not _blocked(message) else {"discard"}


def _blocked(message: Message) -> bool:
    person_id = session().get_one(Conversation, message.conversation_id).person_id
    return bool(never_contact.blocked_people(message.workspace_id, [person_id]))


def _is_dead(message: Message) -> bool:
    """Return whether the message bounced for good; after a temporary bounce (a full mailbox), a retry may work."""
    action = session().get(Action, message.action_id) if message.action_id else None
    came_back = action is not None and action.state == ActionState.SENT
    return came_back and bool(recipients.blocked(message.workspace_id, Parties.of(message.letter).to))


def discard(workspace: Workspace, conversation_id: int, message_id: int) -> Message:
    """Delete an unsent message and return it."""
    with transaction() as current:
        thread, message = _waiting(workspace, conversation_id, message_id)
        thread.updated_at = workspace.now()
        inbox.end_returned(thread, workspace.now())
        if writer := actor.get().user_id:
            attachments.take_back(message, writer)
        current.delete(message)
        current.flush()
        messages.note_last(thread)
        search_index.reindex_all(conversation_id)
        return message


def _waiting(workspace: Workspace, conversation_id: int, message_id: int) -> tuple[Conversation, Message]:
    locks.lock_workspaces([workspace.id])
    thread = get_owned(Conversation, workspace, conversation_id, lock=True)
    message = get_owned(Message, workspace, message_id, lock=True)
    if message.conversation_id != thread.id:
        raise NotFound("Message not found.")
    if message.status not in WAITING or not message.by_hand:
        raise Conflict(
            "This message is being sent, or has been sent.", recovery="You can only change waiting or failed messages."
        )
    return thread, message


class Unsent(NamedTuple):
    """An unsent draft: text, subject, the Cc that the user typed, and whether it `goes_to` all or only the person."""

    text: str = ""
    subject: str = ""
    cc: str = ""
    goes_to: str = ""


def save_draft(
    workspace: Workspace, user: User, conversation_id: int, unsent: Unsent, written_id: int | None = None
) -> None:
    """Save what the user has typed; delete the draft when it is empty.

    `written_id` is the newest manual message on the page where it was typed. A browser may save after it sent, so
    nothing is saved once there is a newer one.
    """
    text = unsent.text
    with transaction() as current:
        get_owned(Conversation, workspace, conversation_id, lock=True)  # `write` locks it, too
        if written_id is not None and messages.last_written(conversation_id) > written_id:
            return
        if not text.strip():
            _delete_draft(user.id, conversation_id)
            return
        row = {
            "workspace_id": workspace.id,
            "user_id": user.id,
            "conversation_id": conversation_id,
            "text": text[: 2 * LONGEST],
            "subject": unsent.subject[:500],
            "cc": unsent.cc[:LONGEST_CC],
            "goes_to": unsent.goes_to[:3],
            "saved_at": workspace.now(),
        }
        keep = insert(Typed).values(row)
        kept = {name: keep.excluded[name] for name in (*Unsent._fields, "saved_at")}
        current.execute(keep.on_conflict_do_update(index_elements=["user_id", "conversation_id"], set_=kept))


def _delete_draft(user_id: int, conversation_id: int) -> None:
    mine = (Typed.user_id == user_id, Typed.conversation_id == conversation_id)
    session().execute(sa.delete(Typed).where(*mine))


def draft(workspace: Workspace, user: User, conversation_id: int) -> Unsent:
    """Return the user's unsent draft."""
    query = sa.select(*(getattr(Typed, name) for name in Unsent._fields)).where(
        Typed.workspace_id == workspace.id, Typed.user_id == user.id, Typed.conversation_id == conversation_id
    )
    row = session().execute(query).first()
    return Unsent(*row) if row else Unsent()


def taken_back(workspace: Workspace, user: User, conversation_id: int, message_id: int) -> None:
    """Move an unsent message and its recipients back into the user's draft; a text typed since then stays."""
    gone = discard(workspace, conversation_id, message_id)
    thread = session().get_one(Conversation, conversation_id)
    copied = {one.address.lower(): one.address for one in Parties.of(gone.letter).cc}
    offered = {one.address.lower() for one in recipients.others(thread, session().get_one(Account, thread.sender_id))}
    own = ", ".join(address for key, address in copied.items() if key not in offered)
    goes_to = "one" if offered and not offered & {*copied} else ""
    typed = draft(workspace, user, conversation_id).text
    save_draft(workspace, user, conversation_id, Unsent(typed or gone.text, gone.subject, own, goes_to))
