"""Poll inboxes: process each inbound item once, however often it is read."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock, parallel
from app.core.db import end_read, fetch, transaction
from app.domain.engine.inbound import effects, match_contact
from app.domain.engine.outbound.selection import Candidate
from app.domain.platform import locks
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import accounts as sender_accounts
from app.domain.senders import provider_credentials, unreadable
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import CampaignLead
from app.models.ledger import TEST_STEP, Action, ActionState
from app.models.workspaces import Workspace, moved
from app.ports import AccountRef, Inbound, LoggedOut, ProviderError, Unreachable

LOG = logging.getLogger(__name__)
EVERY = timedelta(minutes=5)  # of real time, between two looks at a network that sends no webhooks
# Errors of the database, not of the items that came in.
_OF_THE_DATABASE = (sa.exc.OperationalError, sa.exc.InterfaceError)
MOST_LOOKS = 3  # attempts at one inbox when other workers store its items first
_ACCOUNTS: Any = Account.__table__
_MOMENT = _ACCOUNTS.c.polled_at.type


_WAITS = sa.or_(_ACCOUNTS.c.polled_at.is_(None), _ACCOUNTS.c.polled_at <= sa.bindparam("before", type_=_MOMENT))
_CONNECTED = _ACCOUNTS.c.status == AccountStatus.CONNECTED
_LAST = sa.func.coalesce(_ACCOUNTS.c.polled_at, _ACCOUNTS.c.created_at)  # never polled: when it was created
_DUE = claims.share_fairly(_ACCOUNTS.c.id, _ACCOUNTS.c.workspace_id, _LAST, _CONNECTED, _WAITS)
# Marked as polled before the poll, so that other workers take other senders.
_TAKE = (
    sa.update(_ACCOUNTS)
    .where(_ACCOUNTS.c.id == sa.bindparam("sender"), _CONNECTED, _WAITS)
    .values(polled_at=sa.bindparam("real", type_=_MOMENT))
    .returning(*_ACCOUNTS.c)
)
_OFFSET = sa.select(Workspace.__table__.c.clock_offset).where(Workspace.__table__.c.id == sa.bindparam("workspace"))
_AS_THEY_ARE = sa.select(_ACCOUNTS).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return connected senders whose inbox was not read for some minutes."""
    return claims.due_units(_DUE, most, busy, before=clock.now() - EVERY)


def run(sender_id: int) -> int:
    """Poll the inbox of one sender; return 1 if it was due."""
    real = clock.now()
    with transaction():
        taken = fetch(_TAKE, real=real, before=real - EVERY, sender=sender_id)
    for account in taken:
        ((offset,),) = fetch(_OFFSET, workspace=account.workspace_id)
        poll_safely([account], moved(clock.now(), offset), keep_cursor=True)
    return len(taken)


def poll_due(limit: int = 50) -> int:
    """Poll every connected sender that is due, one after the other; return the number of senders."""
    return sum(run(found.key) for found in due(limit))


def poll_safely(accounts: Sequence[Any], at: datetime, *, keep_cursor: bool = False) -> set[int]:
    """Read inboxes so that one failing sender does not block the others."""
    try:
        return poll(accounts, at, keep_cursor=keep_cursor)
    except Exception:
        LOG.exception("An inbox could not be taken in", extra={"fields": {"accounts": [a.id for a in accounts]}})
        if len(accounts) == 1:
            return {accounts[0].id}
        return set[int]().union(*(poll_safely([account], at, keep_cursor=keep_cursor) for account in accounts))


def poll(accounts: Sequence[Any], at: datetime, *, keep_cursor: bool = False) -> set[int]:
    """Take in what arrived for these senders by `at`; return the ids of those that could not be read.

    A cursor that moved without new items is stored only with `keep_cursor`: it costs a transaction.
    """
    unread = {account.id for account in accounts}
    waiting, looked_at = list(accounts), list(accounts)
    for _ in range(MOST_LOOKS):
        by_provider = defaultdict(list)
        for account in waiting:
            by_provider[account.provider].append(account)
        waiting = []
        for provider, mine in by_provider.items():
            sender = ports.sender(provider)
            known = [(account, _ref(account, at)) for account in mine]  # no transaction stays open during the calls
            end_read()
            for account, inbound in parallel.run_parallel(sender.parallel, partial(_look, sender), known):
                if _taken(account, inbound, at, keep_cursor):
                    unread.discard(account.id)
                elif isinstance(inbound, Inbound):
                    waiting.append(account)
        if not waiting:
            break
        # Another worker took in these senders' items; there may be more by now.
        waiting = list(fetch(_AS_THEY_ARE, ids=[account.id for account in waiting]))
    unreadable.note(looked_at, unread, at)
    return unread


def _ref(account: Any, at: datetime) -> AccountRef:
    found = provider_credentials.to_account_ref(account, at)
    return replace(found, knows=match_contact.reader(account)) if account.provider == "smtp" else found


def _taken(account: Any, inbound: Inbound | ProviderError, at: datetime, keep_cursor: bool) -> bool:
    """Apply all that was read; return whether it worked."""
    if isinstance(inbound, LoggedOut):
        sender_accounts.logged_out(account, inbound, at)
        return False
    if isinstance(inbound, ProviderError):
        LOG.info("A network could not be read", extra={"fields": {"account": account.id, "why": inbound.sentence}})
        return False
    if inbound.items or inbound.unreadable or (keep_cursor and inbound.cursor != account.inbound_cursor):
        return ingest(account, inbound, at)
    return True


def _look(sender: ports.Sender, asked: tuple[Any, AccountRef]) -> tuple[Any, Inbound | ProviderError]:
    """Read a sender's inbox, or return why it cannot be read; the next poll reads the same items again."""
    account, known = asked
    try:
        return account, sender.inbound(known, account.inbound_cursor)
    except ProviderError as problem:
        return account, problem
    except Exception as fault:  # a bug in the adapter affects this sender only
        LOG.exception("An adapter failed", extra={"fields": {"provider": account.provider, "account": account.id}})
        return account, Unreachable(f"Unexpected response ({type(fault).__name__}).")


def ingest(account: Any, inbound: Inbound, at: datetime) -> bool:
    """Apply every item and move the cursor; return False if another worker stored them first.

    If they can't be applied together, they are applied one by one, and an item that fails is set aside.
    """
    try:
        return _apply(account, inbound, at)
    except _OF_THE_DATABASE:
        raise
    except Exception:
        LOG.exception("Items are taken in one by one", extra={"fields": {"account": account.id}})
    aside = list(inbound.unreadable)
    for item in inbound.items:
        try:
            if not _apply(account, Inbound([item], account.inbound_cursor), at):
                return False
        except _OF_THE_DATABASE:
            raise
        except Exception as fault:
            LOG.exception("An item was set aside", extra={"fields": {"account": account.id}})
            aside.append(unreadable.of_item(item, fault))
    return _apply(account, Inbound([], inbound.cursor, aside), at)


def _apply(account: Any, inbound: Inbound, at: datetime) -> bool:
    with locks.changing(account.workspace_id) as current:
        fresh = current.get_one(Account, account.id, populate_existing=True, with_for_update=True)
        if fresh.inbound_cursor != account.inbound_cursor:
            return False
        fresh.inbound_cursor = inbound.cursor
        unreadable.set_aside(fresh, inbound.unreadable)
        effects.apply_inbound(fresh, inbound.items, at)
        return True


FRESH = timedelta(minutes=1)  # an inbox read within it needs no new poll before a send
ANSWERABLE = timedelta(days=30)  # how long after a message a reply to it is expected
LOOK_AGAIN = timedelta(minutes=5)
REASON = "inbox_unread"
SENTENCE = "This person may have replied to {}, but that inbox can't be read. Reconnect or switch off that sender."
_ACTIONS: Any = Action.__table__
_PEOPLE: Any = CampaignLead.__table__
_ANSWERED = ["connection_request", *(name for name, step in STEPS.items() if step.reaches)]
_OTHERS = (
    sa.select(_PEOPLE.c.id.label("of"), *_ACCOUNTS.c)
    .join(_ACTIONS, _ACTIONS.c.person_id == _PEOPLE.c.person_id)
    .join(_ACCOUNTS, _ACCOUNTS.c.id == _ACTIONS.c.sender_id)
    .where(
        _PEOPLE.c.id.in_(sa.bindparam("people", expanding=True)),
        _ACTIONS.c.kind.in_(_ANSWERED),
        _ACTIONS.c.step != TEST_STEP,
        _ACTIONS.c.state.in_([ActionState.SENT, ActionState.UNKNOWN, ActionState.SENDING]),
        _ACTIONS.c.at > sa.bindparam("since", type_=_ACTIONS.c.at.type),
        _ACTIONS.c.sender_id != _PEOPLE.c.sender_id,
        # Skip a sender that is signed out and switched off: waiting for its inbox would hold people for a month.
        sa.or_(_ACCOUNTS.c.status == AccountStatus.CONNECTED, _ACCOUNTS.c.active),
    )
)
_READ = sa.update(_ACCOUNTS).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def read_other_inboxes(chosen: Sequence[Candidate], at: datetime) -> set[int]:
    """Read every other inbox in which these people could have answered, before they are written to. Calls out.

    A person with an invitation from one sender and an email from another may answer either. If such an inbox can't be
    read, the people it concerns are postponed; return their ids.
    """
    if not chosen:
        return set()
    others: defaultdict[int, dict[int, Any]] = defaultdict(dict)
    accounts: dict[int, Any] = {}
    for row in fetch(_OTHERS, people=[one.campaign_lead_id for one in chosen], since=at - ANSWERABLE):
        others[row.of][row.id] = accounts[row.id] = row
    deaf = {one.id for one in accounts.values() if one.status != AccountStatus.CONNECTED}
    real = clock.now()
    stale = [one for one in accounts.values() if one.id not in deaf and not _is_fresh(one, real)]
    if stale:
        unread = poll_safely(stale, at, keep_cursor=True)
        read = [one.id for one in stale if one.id not in unread]
        deaf |= unread
        if read:
            with transaction() as current:
                current.execute(_READ.values(polled_at=real), {"ids": read})
    held = {
        of: next(row for key, row in known.items() if key in deaf) for of, known in others.items() if {*known} & deaf
    }
    if held:
        _put_back(held, at)
    return {*held}


def _is_fresh(account: Any, real: datetime) -> bool:
    read_at = account.polled_at  # may be in the future, if the clock was set back
    return read_at is not None and real - FRESH < read_at <= real and account.unread_since is None


def _put_back(held: dict[int, Any], at: datetime) -> None:
    """Postpone these people, with the reason, so that their sender continues with the next one."""
    with transaction() as current:
        locks.lock_workspaces(account.workspace_id for account in held.values())
        for campaign_lead_id, account in held.items():
            waits = {"reason": REASON, "error": SENTENCE.format(account.name), "due_at": at + LOOK_AGAIN}
            theirs = sa.update(_PEOPLE).where(_PEOPLE.c.id == campaign_lead_id, _PEOPLE.c.due_at.is_not(None))
            current.execute(theirs.values(waits))
