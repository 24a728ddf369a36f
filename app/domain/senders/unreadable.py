"""What came in and could not be read: set aside for a member, so that the rest of the inbox goes on."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, insert, session, transaction
from app.models.accounts import Account, UnreadableMessage
from app.models.workspaces import Workspace
from app.ports import Incoming, Unreadable

SILENT = timedelta(hours=1)  # without one good look at an inbox, before it counts as a problem
SHOWN, LONGEST = 20, 200


def set_aside(account: Any, found: Sequence[Unreadable]) -> None:
    """Keep what is known of these messages, each once. Inside a transaction."""
    rows = [
        {
            "workspace_id": account.workspace_id,
            "account_id": account.id,
            "ref": one.ref,
            "at": one.at,
            "sender": text.shorten(text.squeeze(one.sender), LONGEST),
            "subject": text.shorten(text.squeeze(one.subject), LONGEST),
            "why": one.why,
        }
        for one in found
    ]
    if rows:
        session().execute(insert(UnreadableMessage).on_conflict_do_nothing(), rows)


def of_item(item: Incoming, fault: Exception) -> Unreadable:
    """Return what is known of an incoming item that could not be stored."""
    return Unreadable(item.ref, item.at, item.person, getattr(item, "subject", ""), type(fault).__name__)


def page(workspace: Workspace, account_id: int) -> sa.Select[UnreadableMessage]:
    """Return the query for the messages set aside that no member has put away."""
    return sa.select(UnreadableMessage).where(
        UnreadableMessage.workspace_id == workspace.id,
        UnreadableMessage.account_id == account_id,
        UnreadableMessage.seen_at.is_(None),
    )


def of_account(workspace: Workspace, account_id: int) -> Sequence[UnreadableMessage]:
    """Return the newest messages set aside, at most SHOWN."""
    return session().scalars(page(workspace, account_id).order_by(UnreadableMessage.id.desc()).limit(SHOWN)).all()


def put_away(workspace: Workspace, account_id: int) -> int:
    """Hide the messages that a member has looked at in the mailbox; return how many."""
    with transaction() as current:
        account = get_owned(Account, workspace, account_id)
        waiting = sa.and_(UnreadableMessage.account_id == account.id, UnreadableMessage.seen_at.is_(None))
        done = sa.update(UnreadableMessage).where(waiting).values(seen_at=workspace.now())
        return len(current.scalars(done.returning(UnreadableMessage.id)).all())


def read_soon(workspace: Workspace, account_id: int) -> Account:
    """Have the inbox read at once, not only when its next look is due."""
    with transaction():
        account = get_owned(Account, workspace, account_id, lock=True)
        account.polled_at = None
        return account


def note(accounts: Sequence[Any], unread: set[int], at: datetime) -> None:
    """Record since when the inboxes of the senders just looked at could not be read."""
    failed = [one.id for one in accounts if one.id in unread and one.unread_since is None]
    silent = [one.id for one in accounts if one.id in unread and _just_silent(one, at)]
    read = [one.id for one in accounts if one.id not in unread and one.unread_since is not None]
    _update_accounts(failed, unread_since=at)
    _update_accounts(silent, silent_at=at)
    _update_accounts(read, unread_since=None, silent_at=None)


def _just_silent(account: Any, at: datetime) -> bool:
    return account.unread_since is not None and account.silent_at is None and account.unread_since <= at - SILENT


def _update_accounts(account_ids: Sequence[int], **values: Any) -> None:
    if account_ids:
        with transaction() as current:
            current.execute(sa.update(Account).where(Account.id.in_(account_ids)).values(**values))


def erase(workspace: Workspace, names: Collection[str]) -> None:
    """Delete what names these addresses or profiles. Inside a transaction."""
    ours = UnreadableMessage.workspace_id == workspace.id
    for name in names:
        theirs = UnreadableMessage.sender.icontains(name, autoescape=True)
        session().execute(sa.delete(UnreadableMessage).where(ours, theirs))
