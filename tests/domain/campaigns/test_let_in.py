"""Let in: one reason, one person, written down; the do-not-contact list stays closed."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import session, transaction
from app.core.errors import Conflict
from app.domain.campaigns import campaigns
from app.domain.campaigns.let_in import let_in
from app.domain.people.exclusions import never_contact
from app.models.campaigns import Campaign, CampaignStatus, LeadState
from app.models.people import Person
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    everyone,
    forward,
    only,
    person_id,
)

pytestmark = pytest.mark.usefixtures("clock")


def replied(workspace: Workspace, handle: str = "accepts-ada", **columns: Any) -> None:
    found = person_id(workspace, handle)
    with transaction() as current:
        current.merge(workspace).contact_rules = None
        person = current.get_one(Person, found)
        for name, value in ({"replied_at": workspace.now() - timedelta(days=200)} | columns).items():
            setattr(person, name, value)


def entries(workspace: Workspace) -> list[AuditEntry]:
    query = session().query(AuditEntry).filter_by(workspace_id=workspace.id, kind="campaign_lead.let_in")
    return query.order_by(AuditEntry.id).all()


def excluded(workspace: Workspace, handle: str = "accepts-ada") -> Campaign:
    campaign = a_campaign(workspace, [handle], [VIEW, INVITE])
    assert only(campaign).state == LeadState.EXCLUDED
    return campaign


def test_a_person_who_is_let_in_starts_as_if_enrolled_now_and_is_contacted(acme: Workspace) -> None:
    """A campaign whose whole list was left out has finished, and runs again for them."""
    replied(acme)
    campaign = excluded(acme)
    forward(acme, hours=1)
    session().refresh(campaign)
    assert (campaign.status, campaign.ended_at is None) == (CampaignStatus.FINISHED, False)
    let_in(acme, campaign.id, only(campaign).id)
    session().refresh(campaign)
    assert (campaign.status, campaign.ended_at) == (CampaignStatus.RUNNING, None)
    person = only(campaign)
    assert (person.state, person.step, person.reason, person.finished_at) == (LeadState.PENDING, 0, "", None)
    assert person.due_at is not None
    assert person.sender_id == campaign.account_ids[0]
    assert person.let_in is not None
    assert person.let_in["codes"] == ["replied_before"]
    assert_counters_hold(campaign)
    [entry] = entries(acme)
    assert "First" in entry.subject
    forward(acme, days=2)
    assert [kind for kind, _ in acts(acme)][:2] == ["view_profile", "connection_request"]


def test_another_rule_still_leaves_them_out_until_it_is_set_aside_too(acme: Workspace) -> None:
    replied(acme, answer="negative")
    campaign = excluded(acme)
    assert only(campaign).reason == "said_no"
    forward(acme, hours=1)
    let_in(acme, campaign.id, only(campaign).id)
    assert (only(campaign).state, only(campaign).reason) == (LeadState.EXCLUDED, "replied_before")
    session().refresh(campaign)
    assert campaign.status == CampaignStatus.FINISHED
    let_in(acme, campaign.id, only(campaign).id)
    assert only(campaign).state == LeadState.PENDING
    assert len(entries(acme)) == 2
    assert_counters_hold(campaign)


def test_the_do_not_contact_list_stays_closed(acme: Workspace) -> None:
    """Also for who was let in before, when their entry comes later."""
    campaign = a_campaign(acme, ["accepts-bob"], [VIEW], start=False, name="Listed")
    never_contact.add(acme, ["accepts-bob@example.com"])
    campaigns.start(acme, campaign.id)
    with pytest.raises(Conflict, match="do-not-contact"):
        let_in(acme, campaign.id, only(campaign).id)
    assert only(campaign).let_in is None
    replied(acme)
    campaign = excluded(acme)
    let_in(acme, campaign.id, only(campaign).id)
    never_contact.add(acme, ["accepts-ada@example.com"])
    forward(acme, days=2)
    assert acts(acme) == []
    assert only(campaign).reason == "never_contact"


def test_who_was_left_out_on_the_way_goes_on_there(acme: Workspace) -> None:
    people = ["ignores-ada", "ignores-bob"]  # for bob, the campaign does not end
    campaign = a_campaign(acme, people, [VIEW, {**INVITE, "delay": {"value": 2, "unit": "days"}}])
    forward(acme, days=1)
    replied(acme, "ignores-ada")
    forward(acme, days=2)
    ada = everyone(campaign)["ignores-ada"]
    assert ada.state == LeadState.EXCLUDED
    let_in(acme, campaign.id, ada.id)
    ada = everyone(campaign)["ignores-ada"]
    assert (ada.state, ada.step) == (LeadState.ACTIVE, 1)
    forward(acme, days=4)
    assert [kind for kind, who in acts(acme) if who == "ignores-ada"] == ["view_profile", "connection_request"]


def test_no_one_is_let_in_where_no_rule_left_them_out(acme: Workspace) -> None:
    replied(acme)
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [VIEW])
    found = everyone(campaign)
    with pytest.raises(Conflict, match="not excluded"):
        let_in(acme, campaign.id, found["accepts-bob"].id)
    campaigns.cancel(acme, campaign.id)
    with pytest.raises(Conflict, match="contacting anyone"):
        let_in(acme, campaign.id, found["accepts-ada"].id)
