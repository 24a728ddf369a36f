"""Emails that came back: each is told once, with whose fault it was."""

import pytest

from app.models.workspaces import Workspace
from app.ports import Bounced
from tests.domain.outreach import a_campaign, email, forward, takes_in, the_account, told

pytestmark = pytest.mark.usefixtures("clock")
MAILBOX = 2


def test_a_bounce_is_told_once_however_many_servers_report_it(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["quiet-ada"], [email()], senders=3)
    forward(acme, hours=3)
    reports = [
        Bounced("quiet-ada", acme.now(), f"report-{number}", "There is no such mailbox.", True) for number in range(2)
    ]
    takes_in(acme, the_account(acme, MAILBOX), *reports)
    (data,) = told(acme, "email_bounced")
    assert data["bounce"] == {
        "address": "quiet-ada@example.com",
        "reason": "There is no such mailbox.",
        "permanent": True,
        "senderAtFault": False,
    }
    assert (data["campaign"]["id"], data["progress"]["state"]) == (campaign.id, "failed")
    assert (data["lead"]["publicId"], data["account"]["id"]) == ("quiet-ada", the_account(acme, MAILBOX).id)


def test_a_bounce_of_a_mail_that_stands_nowhere_is_told_once_too(acme: Workspace) -> None:
    """A report that is read again is the same report."""
    report = Bounced("someone@else.example", acme.now(), "report", "Try later.", False)
    for _ in range(2):
        takes_in(acme, the_account(acme, MAILBOX), report)
    (data,) = told(acme, "email_bounced")
    assert "lead" not in data
    assert (data["bounce"]["address"], data["bounce"]["permanent"]) == ("someone@else.example", False)


def test_what_is_the_senders_fault_says_so(acme: Workspace) -> None:
    a_campaign(acme, ["quiet-ada"], [email()], senders=3)
    forward(acme, hours=3)
    takes_in(
        acme, the_account(acme, MAILBOX), Bounced("quiet-ada", acme.now(), "r", "Bad reputation.", True, ours=True)
    )
    (data,) = told(acme, "email_bounced")
    assert (data["bounce"]["senderAtFault"], data["bounce"]["permanent"]) == (True, False)
