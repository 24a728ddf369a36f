"""Deliverability of mailboxes: what they sent, what came back, and what their domains lack."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, session
from app.domain.senders import accounts, domain_check
from app.domain.senders.domain_check import Finding
from app.models.accounts import Account, Channel, MailboxLogin
from app.models.campaigns import Campaign
from app.models.ledger import TEST_STEP, Action, ActionState
from app.models.workspaces import Workspace

WINDOW = timedelta(days=30)
MOST = 12  # mailboxes that are looked at
FEW, HIGH = 20, 0.02  # the fewest emails for a meaningful share, and a share to watch
_A: Any = Action.__table__
_SENT = (
    sa.select(
        _A.c.sender_id,
        sa.func.count().label("sent"),
        sa.func.sum(sa.case((_A.c.error != "", 1), else_=0)).label("bounced"),
    )
    .where(
        _A.c.sender_id.in_(sa.bindparam("senders", expanding=True)),
        _A.c.at > sa.bindparam("since", type_=_A.c.at.type),
        _A.c.budget == "email",
        _A.c.state == ActionState.SENT,
        _A.c.step != TEST_STEP,
    )
    .group_by(_A.c.sender_id)
)


LAST, FEWEST, PAUSES_AT = 100, 5, 0.05  # emails that are looked at; the fewest bounces and their share for a pause


@dataclass(frozen=True)
class Recent:
    """How many of the last emails bounced."""

    sent: int
    bounced: int

    @property
    def share(self) -> float:
        """Return the share that bounced."""
        return self.bounced / self.sent if self.sent else 0.0

    @property
    def is_too_high(self) -> bool:
        """Return whether a mailbox or campaign must not go on like this."""
        return self.bounced >= FEWEST and self.share >= PAUSES_AT

    def said(self, go_on: str) -> str:
        """Return why it was paused, and what makes it go on."""
        return f"{self.bounced} of the last {self.sent} emails bounced. Check the addresses, then {go_on}."


def recent(of: sa.ColumnElement[bool], since: datetime | None) -> Recent:
    """Return how the last emails of a mailbox or campaign fared, those after `since` alone."""
    later = (Action.at > since,) if since else ()
    mine = sa.select(Action.error).where(of, Action.budget == "email", Action.state == ActionState.SENT, *later)
    mine = mine.where(Action.step != TEST_STEP)
    last = mine.order_by(Action.at.desc(), Action.id.desc()).limit(LAST).subquery()
    bounced = sa.func.coalesce(sa.func.sum(sa.case((last.c.error != "", 1), else_=0)), 0)
    return Recent(*session().execute(sa.select(sa.func.count(), bounced).select_from(last)).one())


def recent_of(account: Account) -> Recent:
    """Return how many of a mailbox's last emails bounced; while it is on, of those since a member switched it on."""
    return recent(Action.sender_id == account.id, account.status_at if account.active else None)


def lost(workspace: Workspace, campaign: Campaign) -> str:
    """Return a sentence if too many emails of a finished campaign bounced, else ''."""
    found = recent(Action.campaign_id == campaign.id, None)
    return found.said("use the list again") if found.is_too_high and not workspace.sandbox else ""


@dataclass(frozen=True)
class Delivery:
    """One mailbox: emails of the last 30 days, those that bounced, and the last check of its domain's records."""

    account: Account
    sent: int
    bounced: int
    findings: Sequence[Finding]
    checked_at: datetime | None

    @property
    def share(self) -> float | None:
        """Return the share that bounced; None without an email."""
        return round(self.bounced / self.sent, 4) if self.sent else None

    @property
    def wrong(self) -> list[Finding]:
        """Return the records that are wrong."""
        return [one for one in self.findings if one.verdict == domain_check.BAD]

    @property
    def state(self) -> str:
        """Return how it stands: good, watch, bad, or unknown while too little was sent."""
        if self.wrong:
            return "bad"
        if self.sent < FEW:
            return "unknown"
        return "watch" if self.bounced / self.sent >= HIGH and self.bounced > 1 else "good"


def of_workspace(workspace: Workspace) -> list[Delivery]:
    """Return the deliverability of the workspace's first mailboxes that are switched on."""
    known = accounts.every(workspace)
    mailboxes = [one for one in known if one.channel == Channel.EMAIL and one.active][:MOST]
    ids = [one.id for one in mailboxes]
    if not ids:
        return []
    sent = {row.sender_id: row for row in fetch(_SENT, senders=ids, since=workspace.now() - WINDOW)}
    logins = sa.select(MailboxLogin.account_id, MailboxLogin.checks, MailboxLogin.checked_at)
    checks = {row.account_id: row for row in session().execute(logins.where(MailboxLogin.account_id.in_(ids)))}
    found = []
    for one in mailboxes:
        row, check = sent.get(one.id), checks.get(one.id)
        found.append(
            Delivery(
                one,
                row.sent if row else 0,
                int(row.bounced) if row else 0,
                [Finding(**each) for each in check.checks] if check else [],
                check.checked_at if check else None,
            )
        )
    return found
