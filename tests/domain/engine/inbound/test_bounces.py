"""Emails that came back: each is told once, with whose fault it was."""

import pytest

from app.models.workspaces import Workspace
from app.ports import Bounced
from tests.domain.outreach import a_campaign, email, forward, takes_in, the_account, told

pytestmark = pytest.mark.usefixtures("clock")
MAILBOX = 2


def test_a_bounce_is_told_once_however_many_servers_report_it(acme: Workspace) -> None:
    """Also one of a mail that stands nowhere; and what is the sender's fault says so."""
    campaign = a_campaign(acme, ["quiet-ada", "quiet-bob"], [email()], senders=3)
    forward(acme, hours=3)
    elsewhere = Bounced("someone@else.example", acme.now(), "report", "Try later.", False)
    takes_in(
        acme,
        the_account(acme, MAILBOX),
        *(Bounced("quiet-ada", acme.now(), f"report-{n}", "There is no such mailbox.", True) for n in range(2)),
        elsewhere,
        elsewhere,
        Bounced("quiet-bob", acme.now(), "r", "Bad reputation.", True, ours=True),
    )
    ada, other, bob = told(acme, "email_bounced")
    assert ada["bounce"] == {
        "address": "quiet-ada@example.com",
        "reason": "There is no such mailbox.",
        "permanent": True,
        "senderAtFault": False,
    }
    assert (ada["campaign"]["id"], ada["progress"]["state"]) == (campaign.id, "failed")
    assert (ada["lead"]["publicId"], ada["account"]["id"]) == ("quiet-ada", the_account(acme, MAILBOX).id)
    assert "lead" not in other
    assert (other["bounce"]["address"], other["bounce"]["permanent"]) == ("someone@else.example", False)
    assert (bob["bounce"]["senderAtFault"], bob["bounce"]["permanent"]) == (True, False)
