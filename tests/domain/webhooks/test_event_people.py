"""What an event says of its person: what is known when it is recorded."""

import pytest

from app.core.db import session
from app.domain.leads import leads, tags
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import Received
from app.resources.event_data import LONGEST_CUSTOM
from tests.domain.outreach import INVITE, a_campaign, forward, message, only, takes_in, the_account, told

pytestmark = pytest.mark.usefixtures("clock")

ADA = {
    "publicId": "accepts-ada",
    "firstName": "Ada",
    "position": "COO",
    "email": "ada@example.com",
    "phone": "+44 20 7946 0000",
    "customFields": {"segment": "B", "size": 12},
}


def test_the_lead_carries_what_an_integrator_needs(acme: Workspace, rival: Workspace) -> None:
    """The address of the conversation is that of the message, else that with the sender."""
    a_campaign(rival, [{**ADA, "email": "other@example.com"}])
    campaign = a_campaign(acme, [ADA], [INVITE, message(days=9)])
    tags.set_tags(acme, only(campaign).lead_id, ["vip", "berlin"])
    forward(acme, days=1)
    lead = told(acme, "invite_accepted")[0]["lead"]
    assert lead["tags"] == ["vip", "berlin"]
    wanted = ("position", "email", "phone", "customFields")
    assert {name: lead[name] for name in wanted} == {name: ADA[name] for name in wanted}
    assert lead["list"] == {"id": campaign.list_id, "name": "First"}
    assert lead["conversationUrl"] is None
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", "Sounds great.", acme.now(), "one"))
    (said,) = told(acme, "every_reply")
    assert said["lead"]["conversationUrl"].endswith(f"/conversations/{said['message']['conversationId']}")
    assert told(acme, "lead_tag_updated")[-1]["lead"]["conversationUrl"] == said["lead"]["conversationUrl"]


def test_custom_fields_are_cut_and_say_so(acme: Workspace) -> None:
    fields = {f"field {number}": "x" * 100 for number in range(60)}
    lead_id = only(a_campaign(acme, [{**ADA, "customFields": fields}])).lead_id
    forward(acme, days=1)
    shown = told(acme, "invite_sent")[0]["lead"]
    assert shown["truncated"] is True
    assert 0 < len(str(shown["customFields"])) < LONGEST_CUSTOM * 1.1
    assert shown["customFields"].items() <= fields.items()
    assert leads.get_visible(acme, lead_id).custom_fields == fields
    assert session().get_one(Lead, lead_id).custom_fields == fields
