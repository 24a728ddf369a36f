"""What was asked before each contact, over `/v1` and in the export of a person."""

import pytest

from app.core.db import transaction
from app.domain.engine import manual_send
from app.domain.rules.contact_rules import BY_HAND
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only, the_account
from tests.support.clients import Api

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def ada(acme: Workspace) -> Campaign:
    with transaction() as current:
        current.merge(acme).contact_rules = None
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=6)
    return campaign


def test_each_contact_is_shown_with_what_was_asked(api: Api, ada: Campaign) -> None:
    person = only(ada).person_id
    found = api.get(f"people/{person}/contact-proof").json
    assert found["personId"] == person
    assert [one["kind"] for one in found["contacts"]] == ["connection_request", "message"]
    asked = {one["code"]: one["answer"] for one in found["contacts"][0]["asked"]}
    assert asked["never_contact"] == "No"
    exported = api.get(f"leads/{only(ada).lead_id}/export").json
    assert exported["contacts"] == found["contacts"]
    assert {one["kind"] for one in exported["sources"]} == {"api"}


def test_a_message_written_with_a_key_is_a_contact_with_what_was_asked(api: Api, acme: Workspace) -> None:
    """Before the person has ever replied."""
    (lead,) = api.get(f"lists/{a_list(acme, ['ignores-ada'])}/leads").json["data"]
    given = {"personId": lead["personId"], "accountId": the_account(acme).id, "text": "Hello"}
    assert api.post("conversations", given).status_code == 202
    manual_send.run_due()
    (contact,) = api.get(f"people/{lead['personId']}/contact-proof").json["contacts"]
    assert (contact["kind"], contact["campaignName"]) == ("message", "")
    assert {one["code"]: one["answer"] for one in contact["asked"]} == dict.fromkeys(BY_HAND, "No")
    assert api.get(f"leads/{lead['id']}/export").json["contacts"] == [contact]
