"""A manual message's ledger entry: write it before the call, and apply its outcome."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.crypto import keyring
from app.core.db import session
from app.domain.conversations import attachments, messages, threads
from app.domain.engine.manual import recipients
from app.domain.engine.outbound import begin, doubt
from app.domain.engine.outbound import settle as outbound_settle
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import usage
from app.domain.people.exclusions import gate
from app.domain.people.exclusions.gate import Asked
from app.domain.platform import restore_hold
from app.domain.rules import limits
from app.domain.rules.reasons import REASONS
from app.domain.rules.step_kinds import STEPS
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Direction, Message, MessageStatus
from app.models.leads import Lead
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.ports import LoggedOut, Parties, ProviderError, Receipt, Refused, SenderAction, Throttled, Unknown, Unreachable

LONGEST_THREAD = 20
MOST_ATTEMPTS = 8  # some ten hours; a later message may no longer fit
CANNOT_TELL = "We can't confirm whether this message was sent. Check before you send it again."


@dataclass(frozen=True)
class ManualMessage:
    """A message recorded in the ledger as `sending`."""

    message_id: int
    action_id: int
    account: Any
    action: SenderAction
    at: datetime
    attempts: int
    since: datetime | None = None  # in a restored copy: the original server may have sent it after this

    @property
    def budget(self) -> str:
        """Return the limit it counts against."""
        return STEPS[self.action.kind].budget


def begin_message(
    account: Any, message_id: int, at: datetime, check_at: datetime, refused: str = ""
) -> ManualMessage | None:
    """Record the intent to send; return None when the message must not be sent, or not yet. Inside a transaction.

    `refused` is why the address takes no mail, if a check has just found that.

    This is the suppression check: no send to the do-not-contact list, none after a newer reply when the writer asked
    for that, and none beyond the hard safety limit.
    """
    copy = restore_hold.refuse_to_contact()
    message = session().get(Message, message_id, populate_existing=True, with_for_update=True)
    if message is None or message.status != MessageStatus.QUEUED or message.due_at is None or message.due_at > at:
        return None
    thread = session().get_one(Conversation, message.conversation_id, populate_existing=True)
    asked = gate.ask_by_hand(account.workspace_id, thread.person_id, at).asked
    if refused:
        messages.fail(message, refused)
        return None
    if asked.verdict:
        messages.fail(message, f"This person is on the do-not-contact list (“{asked.verdict.saw}”).")
        return None
    if address := recipients.blocked(account.workspace_id, Parties.of(message.letter).cc):
        messages.fail(message, f"{address} in Cc is on the do-not-contact list.")
        return None
    if message.seen_id is not None and messages.last_reply(thread.id) > message.seen_id:
        messages.fail(message, messages.THEY_WROTE)
        return None
    if brake := safety_limit(account, STEPS[message.kind].budget, at):
        message.due_at, message.error = brake.until, REASONS[brake.code][0]
        messages.note_change(thread.id)
        return None
    since = doubt.of_message(copy, message.at) if account.provider != "sandbox" else None
    letter = _begin(account, thread, message, asked, at, check_at)
    return replace(letter, since=since) if letter else None


def recipient(message_id: int) -> tuple[str, bool]:
    """Return the recipient's email address or '', and whether they wrote to us from it, which proves that it works."""
    message = session().get(Message, message_id)
    if message is None:
        return "", False
    thread = session().get_one(Conversation, message.conversation_id)
    return _address(thread.person, message), messages.last_reply(thread.id) > 0


def _address(person: Any, message: Message) -> str:
    """Return the message's own address, or the person's current one if it has none."""
    return next((one.address for one in Parties.of(message.letter).to), person.email)


def safety_limit(account: Any, budget: str, at: datetime) -> limits.Throttle | None:
    """Return the hard safety limit if it is reached; manual messages obey it, but not the workspace's own limits."""
    most = limits.HARD_CAPS[budget]
    rests = account.rests.get(budget)
    return limits.throttle(
        budget,
        most,
        usage.usage_of([account], at)[account.id],
        limit=most,
        health={},
        rests_until=datetime.fromisoformat(rests) if rests else None,
        at=at,
    )


def _begin(
    account: Any, thread: Conversation, message: Message, asked: Asked, at: datetime, check_at: datetime
) -> ManualMessage | None:
    action = session().get(Action, message.action_id or 0, populate_existing=True, with_for_update=True)
    if action is None or (action.state == ActionState.SENT and action.error):  # a bounce stays in the ledger
        after = f"|{action.id}" if action else ""
        token = keyring().sign("action", f"{account.workspace_id}|message|{message.id}{after}".encode()).hex()[:32]
        lead = threads.lead_of(thread)
        action = Action(
            workspace_id=account.workspace_id,
            sender_id=account.id,
            lead_id=lead.id if lead else None,
            person_id=thread.person_id,
            step=BY_HAND_STEP,
            kind=message.kind,
            budget=STEPS[message.kind].budget,
            token=token,
            text=message.text,
            subject=message.subject,
            attempts=0,
            asked=None if messages.last_reply(thread.id) else asked.told(),
        )
        session().add(action)
    elif action.state not in (ActionState.AGAIN, ActionState.FAILED):
        messages.fail(message, CANNOT_TELL)
        return None
    action.state, action.error, action.at, action.check_at = ActionState.SENDING, "", at, check_at
    action.attempts += 1
    session().flush()
    message.status, message.due_at, message.error, message.action_id = MessageStatus.SENDING, None, "", action.id
    messages.note_change(thread.id)
    person = thread.person
    return ManualMessage(message.id, action.id, account, _sender_action(action, person, message), at, action.attempts)


def load(action: Action, at: datetime) -> ManualMessage | None:
    """Load the message as it was sent; None when its conversation was deleted."""
    message = session().scalars(sa.select(Message).where(Message.action_id == action.id)).first()
    if message is None:
        return None
    person = session().get_one(Conversation, message.conversation_id).person
    account = session().get_one(Account, action.sender_id)
    return ManualMessage(message.id, action.id, account, _sender_action(action, person, message), at, action.attempts)


def _sender_action(action: Any, person: Any, message: Message) -> SenderAction:
    """Return the request to the provider, for sending or for a lookup."""
    thread = _thread(message) if action.kind == "email" else ()
    said = (action.text, action.subject, action.at, thread[-1] if thread else "", thread)
    files = attachments.files_of(message.id) if message.letter else []
    letter = ("", Parties.of(message.letter).cc, files)
    to = replace(begin.to_person_ref(person), email=_address(person, message))
    return SenderAction(action.kind, to, action.token, *said, *letter)


def _thread(message: Message) -> tuple[str, ...]:
    """Return the provider's ids of the messages before it, oldest first, for the mail thread."""
    query = sa.select(Message.provider_id).where(
        Message.conversation_id == message.conversation_id,
        Message.id != message.id,
        sa.or_(Message.direction == Direction.IN, Message.status == MessageStatus.SENT),
        Message.provider_id.not_like("action:%"),
        Message.provider_id.not_like("hand\\_%", escape="\\"),
    )
    latest = session().scalars(query.order_by(Message.at.desc(), Message.id.desc()).limit(LONGEST_THREAD)).all()
    return tuple(reversed(latest))


def settle(letter: ManualMessage, outcome: Receipt | ProviderError) -> dict[str, Any]:
    """Record the outcome in ledger and conversation; return the sender's changed columns. Inside a transaction.

    An outcome that another worker already recorded changes nothing.
    """
    action = session().get(Action, letter.action_id, populate_existing=True, with_for_update=True)
    receipt = outcome if isinstance(outcome, Receipt) else None
    same = action is not None and action.attempts == letter.attempts
    if action is None or not same or not (action.check_at or (action.state == ActionState.AGAIN and receipt)):
        outbound_settle.LOG.warning("An outcome came too late", extra={"fields": {"action": letter.action_id}})
        return {}
    message = session().get(Message, letter.message_id, populate_existing=True, with_for_update=True)
    if receipt:
        _sent(letter, action, message, receipt)
        return {}
    assert isinstance(outcome, ProviderError)
    if isinstance(outcome, doubt.Unproven):
        mark_unknown(letter)
        return {}
    _failed(letter, action, message, outcome)
    return outbound_settle.sender_changes_after(letter.account, outcome, letter.budget, letter.at)


def _sent(letter: ManualMessage, action: Action, message: Message | None, receipt: Receipt) -> None:
    action.state, action.settled_at, action.check_at = ActionState.SENT, letter.at, None
    action.provider_ref, action.error = receipt.ref, ""
    if message is None:  # the conversation was erased during the call
        return
    message.status, message.error, message.due_at, message.at = MessageStatus.SENT, "", None, letter.at
    if receipt.ref and not _is_stored_already(message, receipt.ref):
        message.provider_id = receipt.ref
    thread = session().get_one(Conversation, message.conversation_id, populate_existing=True)
    if letter.at >= thread.last_message_at:
        thread.last_message_at, thread.last_direction = letter.at, Direction.OUT
    messages.note_change(thread.id)
    session().flush()
    events.record(letter.account.workspace_id, [_happening(letter, thread, message)])


def _is_stored_already(message: Message, ref: str) -> bool:
    """Return whether the conversation already has another message with that provider id.

    A provider may report the same text sent twice in a minute as one message.
    """
    same = (Message.conversation_id == message.conversation_id, Message.provider_id == ref, Message.id != message.id)
    return session().scalar(sa.select(Message.id).where(*same)) is not None


def _happening(letter: ManualMessage, thread: Conversation, message: Message) -> NewEvent:
    current, kind = session(), STEPS[letter.action.kind]
    campaign = current.get(Campaign, thread.campaign_id or 0)
    lead = current.get(Lead, thread.lead_id or 0)
    account = current.get_one(Account, letter.account.id)
    progress = current.scalars(campaign_leads.of_thread(thread)).first()
    channel = str(kind.channel) if kind.event == "message_sent" else None
    about = {"campaign": campaign, "lead": lead, "account": account, "progress": progress, "message": message}
    return events.new(kind.event, letter.at, {**about, "channel": channel})


def _failed(letter: ManualMessage, action: Action, message: Message | None, failure: ProviderError) -> None:
    action.error, action.check_at = failure.sentence, None
    state, status, due_at = ActionState.AGAIN, MessageStatus.QUEUED, letter.at
    if isinstance(failure, Unknown):
        quarantine = ports.sender(letter.account.provider).quarantine
        action.check_at = clock.now() + timedelta(seconds=quarantine)
        state, status = ActionState.UNKNOWN, MessageStatus.UNKNOWN
    elif isinstance(failure, Refused) or (isinstance(failure, Unreachable) and letter.attempts >= MOST_ATTEMPTS):
        state, status = ActionState.FAILED, MessageStatus.FAILED
        action.settled_at = letter.at
    elif isinstance(failure, Throttled):
        due_at = letter.at + timedelta(seconds=failure.retry_after)
    elif isinstance(failure, Unreachable) and not isinstance(failure, outbound_settle.NotStarted):
        due_at = letter.at + outbound_settle.TRY_AGAIN * 2 ** (letter.attempts - 1)
    action.state = state
    if message is not None and status == MessageStatus.FAILED:
        messages.fail(message, failure.sentence)
    elif message is not None:
        message.status, message.error = status, failure.sentence
        message.due_at = due_at if status == MessageStatus.QUEUED else None
        if isinstance(failure, LoggedOut):
            message.error = ""  # the sender itself shows the problem for as long as it lasts
        messages.note_change(message.conversation_id)


def mark_not_sent(letter: ManualMessage) -> None:
    """Queue the message again under the same token: the network surely did not get it."""
    settle(letter, Unreachable(""))


def mark_unknown(letter: ManualMessage) -> None:
    """Record an unknown outcome: it counts as sent, and a person must check."""
    action = session().get_one(Action, letter.action_id, populate_existing=True, with_for_update=True)
    if action.attempts == letter.attempts and action.check_at:
        action.state, action.check_at, action.settled_at = ActionState.UNKNOWN, None, letter.at
        if message := session().get(Message, letter.message_id, populate_existing=True, with_for_update=True):
            message.status, message.error = MessageStatus.UNKNOWN, CANNOT_TELL
            messages.note_change(message.conversation_id)
