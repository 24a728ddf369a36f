"""Deliverability of mailboxes: what was sent, what bounced, and what the domain lacks."""

import sqlalchemy as sa

from app.core.db import session
from app.domain.senders import accounts, deliverability
from app.domain.senders.deliverability import Delivery
from app.domain.senders.domain_check import BAD, GOOD, Finding
from app.models.accounts import Account
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, email, forward
from tests.support.movable import Movable


def test_emails_and_bounces_of_30_days_are_counted(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-bob", "ignores-eve"], [email("Hello", "Hi")])
    forward(acme, days=3)
    [box] = deliverability.of_workspace(acme)
    assert (box.sent, box.bounced, box.share) == (2, 0, 0.0)
    first = session().scalars(sa.select(Action).where(Action.kind == "email").limit(1)).one()
    first.error = "The address does not exist."
    session().commit()
    [box] = deliverability.of_workspace(acme)
    assert (box.sent, box.bounced, box.share) == (2, 1, 0.5)
    clock.forward(days=31)
    [box] = deliverability.of_workspace(acme)
    assert (box.sent, box.share) == (0, None)


def test_how_a_mailbox_stands(acme: Workspace) -> None:
    """A few emails or one bounce say nothing; records that are wrong always do."""
    for sent, bounced, verdict, state in (
        (0, 0, GOOD, "unknown"),
        (19, 5, GOOD, "unknown"),
        (40, 1, GOOD, "good"),
        (40, 4, GOOD, "watch"),
        (100, 2, GOOD, "watch"),
        (100, 0, BAD, "bad"),
    ):
        found = Delivery(Account(name="Box"), sent, bounced, [Finding("SPF", verdict, "…")], None)
        assert found.state == state
    [mailbox] = [one for one in accounts.every(acme) if one.channel == "email"]
    accounts.switch(acme, mailbox.id, active=False)
    assert deliverability.of_workspace(acme) == []
