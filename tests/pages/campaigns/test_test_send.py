"""A test of a step: the form beside it, and what became of it."""

from typing import Any

from app.core.db import end_read
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, acts, email, everyone, message
from tests.pages.conftest import Web, must_have


def test_a_test_is_sent_from_the_step_it_stands_beside(web: Web, acme: Workspace, clock: Any) -> None:
    """In the sandbox nothing is sent, and its people do not answer; the page shows what would arrive."""
    call = {"type": "task", "taskType": "call", "message": "{{sender_first_name}} asks {{first_name}}"}
    steps = [email("Dear **{{first_name}}**"), VIEW, INVITE, message(), call]
    campaign = a_campaign(acme, ["accepts-ada"], steps, senders=3)
    (one,) = everyone(campaign).values()
    mailbox = next(account for account in accounts.every(acme) if account.channel == "email")
    accounts.edit(acme, mailbox.id, signature="**Ines**")
    end_read()
    base = f"/campaigns/{campaign.id}"
    page = web.get(f"{base}/sequence")
    must_have(page, *(f'href="{base}/steps/{number}/test"' for number in (1, 4, 5)), without="**")
    must_have(page, 'Dear <strong><span class="slot" title="{{first_name}}">First name</span></strong>')
    assert f"{base}/steps/2/test" not in page.text
    must_have(web.get(f"{base}/steps/1/test"), "Dear <strong>Ada</strong>", mailbox.address, "ada@acme.example")
    must_have(web.get(f"{base}/steps/1/test"), "<strong>Ines</strong>", "Dear Ada\n\nInes</pre>")
    must_have(web.get(f"{base}/steps/2/test"), "This step has no text to test.")
    must_have(web.get(f"{base}/steps/5/test"), "Ada asks Ada", "you get it as a task", without="No value for")
    assert web.get(f"{base}/steps/6/test").status_code == 404
    chosen = {"leadId": one.lead_id, "accountId": mailbox.id}
    must_have(
        web.post(f"{base}/steps/1/test", chosen, to="stranger@far.example"), 409, "A test can only go to your team."
    )
    answer = web.post(f"{base}/steps/1/test", chosen, to="ada@acme.example")
    address = answer.headers["Location"]
    must_have(web.get(address), "Sending…", 'hx-trigger="every 3s"')
    jobs.run_due()
    page = web.get(address)
    must_have(page, "Nothing was sent.", "[Test] A question", "Dear <strong>Ada</strong>", "<strong>Ines</strong>")
    assert "every 3s" not in page.text
    assert acts(acme) == []
