"""Send manual messages: intent, call, outcome, as for campaign actions.

They share the ledger, the lease on the sender and the lookups of campaign actions: the intent is recorded before the
network is called, an unknown outcome is looked up and never repeated blindly, and a sender never does two things at
once. A manual message ignores working hours, pauses and daily targets; only the hard safety limit delays it.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock
from app.core.db import end_read, fetch, session, transaction
from app.domain.conversations import messages
from app.domain.engine.inbound import effects, poll
from app.domain.engine.manual import ledger_entry
from app.domain.engine.manual.ledger_entry import ManualMessage
from app.domain.engine.outbound import begin, doubt, email_recheck, reconcile, settle
from app.domain.platform import locks
from app.domain.rules import planner
from app.domain.senders import account_events, accounts, provider_credentials
from app.models.accounts import STUCK, Account, AccountStatus, Channel
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.workspaces import Subscription, Workspace, moved
from app.ports import LoggedOut, ProviderError, Receipt, RecipientRefused, Unknown, Unreachable

LOG = logging.getLogger(__name__)
MANY = 1000
LEASE = timedelta(seconds=30)  # to read the inbox; the call gets the provider's timeout in addition
ABLE = [AccountStatus.CONNECTED, AccountStatus.UNKNOWN]
_ACCOUNTS: Any = Account.__table__
_MESSAGES: Any = Message.__table__
_CONVERSATIONS: Any = Conversation.__table__
_LEASE: Any = _ACCOUNTS.c.claimed_until.type
_REAL = sa.bindparam("real", type_=_LEASE)
_FREE = claims.is_free(_ACCOUNTS.c.claimed_until, _REAL)
_WAITS = (_MESSAGES.c.due_at.is_not(None), _MESSAGES.c.status == MessageStatus.QUEUED)
_NEXT = sa.select(sa.func.min(_MESSAGES.c.due_at)).where(*_WAITS, _MESSAGES.c.workspace_id == sa.bindparam("workspace"))
_DUE = (
    sa.select(_CONVERSATIONS.c.sender_id, sa.func.min(_MESSAGES.c.id).label("message_id"))
    .join(_CONVERSATIONS, _CONVERSATIONS.c.id == _MESSAGES.c.conversation_id)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _CONVERSATIONS.c.sender_id)
    .where(
        *_WAITS,
        _MESSAGES.c.workspace_id == sa.bindparam("workspace"),
        _MESSAGES.c.due_at <= sa.bindparam("at", type_=_MESSAGES.c.due_at.type),
        _ACCOUNTS.c.status.in_([sa.literal_column(f"'{status}'") for status in ABLE]),
        _ACCOUNTS.c.active.is_(True),
        _FREE,
    )
    .group_by(_CONVERSATIONS.c.sender_id)
)
_TAKE = (
    sa.update(_ACCOUNTS)
    .where(_ACCOUNTS.c.id == sa.bindparam("of"), _FREE, _ACCOUNTS.c.active.is_(True))
    .values(claimed_until=sa.bindparam("until", type_=_LEASE))
    .returning(*_ACCOUNTS.c)
)
_OF_SENDER = _DUE.where(_CONVERSATIONS.c.sender_id == sa.bindparam("sender"))
_WORKSPACES: Any = Workspace.__table__
# A message is due by its workspace's clock. Few wait at a time, so `due` compares the times in Python.
_WAITING = claims.leave_out_busy(
    sa.select(_CONVERSATIONS.c.sender_id, _MESSAGES.c.workspace_id, _MESSAGES.c.due_at, _WORKSPACES.c.clock_offset)
    .join(_CONVERSATIONS, _CONVERSATIONS.c.id == _MESSAGES.c.conversation_id)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _CONVERSATIONS.c.sender_id)
    .join(_WORKSPACES, _WORKSPACES.c.id == _MESSAGES.c.workspace_id)
    .where(
        *_WAITS,
        _ACCOUNTS.c.status.in_([sa.literal_column(f"'{status}'") for status in ABLE]),
        _ACCOUNTS.c.active.is_(True),
        _FREE,
        _WORKSPACES.c.suspended_at.is_(None),
        _WORKSPACES.c.subscription != Subscription.ENDED,
    )
    .order_by(_MESSAGES.c.due_at),
    _CONVERSATIONS.c.sender_id,
    _MESSAGES.c.workspace_id,
)
_UNSETTLED = (
    sa.select(Action, Workspace)
    .join(Account, Account.id == Action.sender_id)
    .join(Workspace, Workspace.id == Action.workspace_id)
    .where(Action.step == BY_HAND_STEP, Action.check_at <= _REAL)
    .where(Action.state.in_([ActionState.SENDING, ActionState.UNKNOWN]))
    .where(claims.is_free(Account.claimed_until, _REAL))
    .where(Account.status == AccountStatus.CONNECTED)
    .order_by(Action.check_at)
    .limit(100)
)
_WORKSPACE_OF = (
    sa.select(Workspace).join(Account, Account.workspace_id == Workspace.id).where(Account.id == sa.bindparam("sender"))
)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return senders with a message to send."""
    real = clock.now()
    rows = fetch(_WAITING, real=real, **busy.parameters)
    found = {row.sender_id: row.workspace_id for row in rows if row.due_at <= moved(real, row.clock_offset)}
    return [claims.Due(*one) for one in found.items()][:most]


def run(sender_id: int) -> int:
    """Send the next message of one sender; return 1 if it did, 0 if none is due or another worker has the sender."""
    workspace = session().scalars(_WORKSPACE_OF, {"sender": sender_id}).one_or_none()
    if workspace is None or not workspace.may_contact:
        return 0
    due = fetch(_OF_SENDER, workspace=workspace.id, at=workspace.now(), real=clock.now(), sender=sender_id)
    return sum(_send(workspace, row.sender_id, row.message_id) for row in due)


def run_due() -> int:
    """Send one due message of each sender and look up unknown outcomes; return how many."""
    return sum(run(found.key) for found in due(MANY)) + len(look_up())


def run_all_of(workspace: Workspace) -> set[int]:
    """Send one waiting message of each sender of the workspace; return the senders that handled theirs."""
    if not workspace.may_contact:
        return set()
    due = fetch(_DUE, workspace=workspace.id, at=workspace.now(), real=clock.now())
    return {row.sender_id for row in due if _send(workspace, row.sender_id, row.message_id)}


def next_moment(workspace_id: int) -> datetime | None:
    """Return when the next message of the workspace is due; None when none waits."""
    ((moment,),) = fetch(_NEXT, workspace=workspace_id)
    return moment  # type: ignore[no-any-return]


def _send(workspace: Workspace, sender_id: int, message_id: int) -> bool:
    """Claim the sender, read its inbox and send the message; return False if another worker has the sender."""
    at = workspace.now()
    account = taken(sender_id, clock.now() + LEASE)
    if account is None:
        return False
    if poll.poll_safely([account], at):
        _give_back(account, {}, message_id, at + settle.TRY_AGAIN)
        return True
    refused = ""
    if account.channel == Channel.EMAIL:
        refused = email_recheck.before_letter(workspace, *ledger_entry.recipient(message_id), at)
    provider = ports.sender(account.provider)
    lease = clock.now() + begin.MARGIN + timedelta(seconds=provider.patience)
    with locks.changing(workspace.id) as current:
        fresh = current.get_one(Account, sender_id, populate_existing=True, with_for_update=True)
        if fresh.claimed_until != account.claimed_until:
            return False
        letter = None
        if fresh.active and fresh.status in ABLE:
            check_at = lease + timedelta(seconds=provider.quarantine)
            letter = ledger_entry.begin_message(account, message_id, at, check_at, refused)
        fresh.claimed_until = lease if letter else None
    if letter is not None:
        found = _looked_first(account, letter) if letter.since else None
        record(workspace, letter, found or performed(account, letter), lease, found=bool(found))
    return True


def taken(sender_id: int, until: datetime) -> Any:
    """Claim the sender's row for the lease; None if another worker has it, or it is switched off."""
    with transaction():
        taken = fetch(_TAKE, of=sender_id, until=until, real=clock.now())
    return taken[0] if taken else None


def _give_back(account: Any, columns: dict[str, Any], message_id: int, due_at: datetime) -> None:
    """Release a sender whose inbox could not be read, and postpone the message."""
    with transaction() as current:
        message = current.get(Message, message_id, populate_existing=True, with_for_update=True)
        if message and message.status == MessageStatus.QUEUED:
            message.due_at, message.error = due_at, "The sender's server is not reachable right now."
            messages.note_change(message.conversation_id)
        release(account.id, account.claimed_until, columns)


def release(sender_id: int, lease: datetime, columns: dict[str, Any]) -> None:
    ours = (_ACCOUNTS.c.id == sender_id, _ACCOUNTS.c.claimed_until == lease)
    session().connection().execute(sa.update(_ACCOUNTS).where(*ours).values(**columns, claimed_until=None))
    if columns.get("status") in STUCK:
        account_events.disconnected([sender_id], columns["status_at"])


def _looked_first(account: Any, letter: ManualMessage) -> Receipt | ProviderError | None:
    """Return the result if the server that this copy was restored from sent the message; None to send it now."""
    end_read()
    try:
        sender, known = ports.sender(account.provider), provider_credentials.to_account_ref(account, letter.at)
        return doubt.look_first(sender, known, letter.action, letter.since or letter.at)
    except ProviderError as failure:
        return failure
    except Exception:  # a bug in the adapter: this server sent nothing
        LOG.exception("An adapter failed", extra={"fields": {"provider": account.provider}})
        return Unreachable("We couldn't check what was sent.")


def performed(account: Any, letter: ManualMessage) -> Receipt | ProviderError:
    """Call the network, outside of any transaction."""
    end_read()
    try:
        return ports.sender(account.provider).act(
            provider_credentials.to_account_ref(account, letter.at), letter.action
        )
    except ProviderError as failure:
        return failure
    except Exception as fault:  # a bug in the adapter: the outcome is unknown
        LOG.exception("An adapter failed", extra={"fields": {"provider": account.provider}})
        return Unknown(f"Unexpected response ({type(fault).__name__}).")


def record(
    workspace: Workspace, letter: ManualMessage, outcome: Receipt | ProviderError, lease: datetime, found: bool
) -> None:
    with locks.changing(workspace.id):
        if found and isinstance(outcome, Receipt):
            letter = replace(letter, at=min(outcome.at, letter.at))
            doubt.enter_found(letter.action_id, letter.action, outcome, letter.at)
        refusal = outcome if isinstance(outcome, RecipientRefused) else None
        outcome = Receipt("", letter.at) if refusal else outcome
        columns = ledger_entry.settle(letter, outcome)
        if refusal:
            effects.apply_refusal(letter.account.id, letter.action, refusal, letter.at)
        if isinstance(outcome, Receipt):
            pause = planner.gap_after(letter.account.id, letter.account.channel, letter.budget, False, letter.at)
            columns = {"free_at": pause}
        release(letter.account.id, lease, columns)


def look_up(sender_id: int | None = None) -> set[int]:
    """Reconcile messages with an unknown outcome, of one sender or of all; return the senders."""
    whose = _UNSETTLED if sender_id is None else _UNSETTLED.where(Action.sender_id == sender_id)
    found: Sequence[Any] = session().execute(whose, {"real": clock.now()}).all()
    return {action.sender_id for action, workspace in found if _reconcile(workspace, action)}


def _reconcile(workspace: Workspace, action: Action) -> bool:
    at = workspace.now()
    letter = ledger_entry.load(action, at)
    if letter is None:
        with transaction() as current:
            lost = current.get_one(Action, action.id, populate_existing=True, with_for_update=True)
            lost.state, lost.check_at = ActionState.UNKNOWN, None  # it may have taken effect, so it counts
        return True
    try:
        receipt, known = reconcile.find(letter.account, letter.action, at)
    except LoggedOut as problem:
        accounts.logged_out(letter.account, problem, at)
        return False
    except ProviderError as problem:
        LOG.info("A lost answer could not be asked after", extra={"fields": {"why": problem.sentence}})
        _later(action.id)
        return False
    except Exception:  # a bug in the adapter affects this message only
        LOG.exception("An adapter failed", extra={"fields": {"provider": letter.account.provider}})
        _later(action.id)
        return False
    with locks.changing(workspace.id):
        if receipt:
            ledger_entry.settle(letter, receipt)
        elif known:
            ledger_entry.mark_not_sent(letter)
        else:
            ledger_entry.mark_unknown(letter)
    return True


def _later(action_id: int) -> None:
    with transaction() as current:
        action = current.get_one(Action, action_id, populate_existing=True, with_for_update=True)
        if action.check_at:
            action.check_at = clock.now() + reconcile.ASK_AGAIN
