"""Test sends: one step with a lead's values, by email to a member or another mailbox, and how it arrived."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import Body, Id
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import up_to, within
from app.domain.campaigns import validation
from app.domain.engine import test_send
from app.domain.workspace.workspaces import Workspace

TESTS = "/campaigns/<id:campaign_id>/tests"


class NewTest(Body):
    """The step to test, the lead whose values are filled in, the mailbox to send from, and the address to send to."""

    step: Annotated[int, within(0, validation.MAX_STEPS - 1)]
    """The position of the step in the sequence, starting at 0."""
    lead_id: Id
    """The id of the lead whose values are filled in for the variables."""
    account_id: Id
    """The id of the mailbox that sends the test."""
    to: Annotated[str, up_to(320, format="email")]
    """The address to send the test to: that of a member or of a connected mailbox."""


@endpoint(
    "POST", TESTS, scope="campaigns:run", body=NewTest, returns=resources.TestSend, status=202,
    example={"step": 0, "leadId": 420, "accountId": 17, "to": "ada@acme.example"},
)  # fmt: skip
def send(workspace: Workspace, campaign_id: int, body: NewTest) -> Any:
    """Send a test of a step by email, with a lead's values filled in.

    The email is marked as a test. Tests count towards the mailbox's daily limit, but not in statistics. The text of a
    LinkedIn step is also sent by email. Returns 409 if the mailbox cannot send, if `to` is neither a member's address
    nor a connected mailbox's, if the lead would not get the step, or if the step has no text.
    """
    return test_send.send(workspace, campaign_id, body.step, body.lead_id, body.account_id, body.to)


@endpoint("GET", TESTS + "/<id:test_id>", scope="campaigns:read", returns=resources.TestSend)
def show(workspace: Workspace, campaign_id: int, test_id: int) -> Any:
    """Get the result of a test, with SPF, DKIM, DMARC and List-Unsubscribe if it arrives in a connected mailbox.

    For 5 minutes, Overture looks for the test in the inbox and spam folder of the mailbox that receives it.
    """
    return test_send.find(workspace, campaign_id, test_id)
