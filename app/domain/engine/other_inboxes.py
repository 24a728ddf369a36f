"""Before a person is written to: read every other inbox in which they could have answered.

A person who got an invitation from one sender and an email from another may answer either. The inbox of the sender
whose turn it is has just been read; here are the others. A person whom an unread inbox concerns waits.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import fetch, transaction
from app.domain.engine.inbound import poll
from app.domain.engine.outbound.selection import Candidate
from app.domain.platform import locks
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import CampaignLead
from app.models.ledger import TEST_STEP, Action, ActionState

FRESH = timedelta(minutes=1)  # how long ago an inbox may have been read
ANSWERABLE = timedelta(days=30)  # for so long what was sent may be answered
LOOK_AGAIN = timedelta(minutes=5)
REASON = "inbox_unread"
SENTENCE = "They may have replied to {}, but that inbox can't be read. Reconnect it, or switch it off."
_ACCOUNTS: Any = Account.__table__
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
        # A sender that is signed out and switched off is given up: its inbox would hold its people for a month.
        sa.or_(_ACCOUNTS.c.status == AccountStatus.CONNECTED, _ACCOUNTS.c.active),
    )
)
_READ = sa.update(_ACCOUNTS).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def hear(chosen: Sequence[Candidate], at: datetime) -> set[int]:
    """Read the other inboxes of these people; put back, and return, those whom an unread one concerns. Calls out."""
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
        unread = poll.poll_safely(stale, at, keep_cursor=True)
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
    read_at = account.polled_at  # in the future: before the time was set back
    return read_at is not None and real - FRESH < read_at <= real and account.unread_since is None


def _put_back(held: dict[int, Any], at: datetime) -> None:
    """Let these people wait, with the reason; their sender goes on with the next one."""
    with transaction() as current:
        locks.lock_workspaces(account.workspace_id for account in held.values())
        for campaign_lead_id, account in held.items():
            waits = {"reason": REASON, "error": SENTENCE.format(account.name), "due_at": at + LOOK_AGAIN}
            theirs = sa.update(_PEOPLE).where(_PEOPLE.c.id == campaign_lead_id, _PEOPLE.c.due_at.is_not(None))
            current.execute(theirs.values(waits))
