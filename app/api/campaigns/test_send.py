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
    """The step, the lead whose values it gets, the mailbox that sends it, and where it goes."""

    step: Annotated[int, within(0, validation.MAX_STEPS - 1)]
    """The position of the step, from 0."""
    lead_id: Id
    """The lead whose values fill the variables."""
    account_id: Id
    """The mailbox that sends it."""
    to: Annotated[str, up_to(320, format="email")]
    """The address of a member, or of a connected mailbox."""


@endpoint(
    "POST", TESTS, scope="campaigns:run", body=NewTest, returns=resources.TestSend, status=202, errors="E404+409",
    example={"step": 0, "leadId": 420, "accountId": 17, "to": "ada@acme.example"},
)  # fmt: skip
def send(workspace: Workspace, campaign_id: int, body: NewTest) -> Any:
    """Send a test of a step by email, marked as a test, with the values of a lead.

    It counts toward the daily limit of the mailbox and nowhere else. A LinkedIn step is sent as its text. Returns 409
    when the lead would not get the step, and when it has no text.
    """
    return test_send.send(workspace, campaign_id, body.step, body.lead_id, body.account_id, body.to)


@endpoint("GET", TESTS + "/<id:test_id>", scope="campaigns:read", returns=resources.TestSend, errors="E404")
def show(workspace: Workspace, campaign_id: int, test_id: int) -> Any:
    """Get what became of a test, with SPF, DKIM, DMARC and List-Unsubscribe when it went to a connected mailbox.

    It is looked for in the inbox and the spam folder for 5 minutes.
    """
    return test_send.find(workspace, campaign_id, test_id)
