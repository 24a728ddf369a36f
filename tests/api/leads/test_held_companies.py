"""Held companies over `/v1`."""

import pytest

from app.core.db import transaction
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import VIEW, a_campaign, everyone, takes_in
from tests.support.clients import Api
from tests.support.unruled import RULES

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def held(acme: Workspace) -> Campaign:
    """A campaign in which Bea is held, because Ann replied."""
    with transaction() as current:
        current.merge(acme).contact_rules = {**RULES, "company_stop": True}
    people = [{"publicId": f"ignores-{one}", "email": f"{one}@wool.example"} for one in ("ann", "bea")]
    campaign = a_campaign(acme, people, [VIEW])
    sender = accounts.every(acme)[0]
    takes_in(acme, sender, Received("ignores-ann", "message", "Sounds great.", acme.now(), "1"))
    return campaign


def test_a_held_company_is_listed_and_decided(api: Api, acme: Workspace, held: Campaign) -> None:
    (hold,) = api.get("company-holds", state="open").json["data"]
    assert (hold["name"], hold["people"], hold["decision"], hold["decidedAt"]) == ("wool.example", 1, "", None)
    assert hold["campaigns"] == [{"id": held.id, "name": "First", "people": 1}]
    assert hold["personId"] == everyone(held)["ignores-ann"].person_id
    assert hold["accountId"] == accounts.every(acme)[0].id
    done = api.post(f"company-holds/{hold['id']}/decide", {"decision": "end"})
    assert done.json == {"id": hold["id"], "decision": "end", "people": 1, "left": []}
    again = api.post(f"company-holds/{hold['id']}/decide", {"decision": "end"}, idempotency_key="again")
    assert again.json["people"] == 0
    assert api.post(f"company-holds/{hold['id']}/decide", {"decision": "go_on"}).status_code == 409
    assert api.get("company-holds", state="open").json["data"] == []
    (decided,) = api.get("company-holds", state="decided").json["data"]
    assert (decided["decision"], decided["decidedBy"], decided["people"]) == ("end", "API key “Tests”", 0)
