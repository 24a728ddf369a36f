"""What a plan has room for is refused beyond it, in a sentence that says which and how far."""

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import PlanLimitExceeded
from app.domain.billing import plans
from app.domain.campaigns import campaigns
from app.domain.leads import leads
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignStatus
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, a_list


def test_more_senders_running_campaigns_or_people_than_the_plan_has_room_for_are_refused(
    acme: Workspace, rival: Workspace
) -> None:
    """A trial has room for the demonstration. A stranger's senders, drafts and paused campaigns do not count."""
    assert plans.plan_of(acme).title == "Trial"
    for name in plans.QUOTAS:
        plans.check(acme, name)
    for number in range(plans.plan_of(acme).accounts - plans.used(acme, "accounts")):
        accounts.connect(acme, provider="sandbox", name=f"Sender {number}")
    with pytest.raises(PlanLimitExceeded, match=r"includes 50 senders. You have 50") as refusal:
        accounts.connect(acme, provider="sandbox", name="One More")
    assert refusal.value.status == 403
    assert plans.used(acme, "accounts") == 50
    accounts.connect(rival, provider="sandbox", name="One More")
    paused, draft = a_campaign(acme), a_campaign(acme, start=False, name="Second")
    campaigns.pause(acme, paused.id)
    with transaction() as current:
        row = sa.select(Campaign).where(Campaign.id == draft.id)
        columns = {
            name: getattr(current.scalars(row).one(), name)
            for name in Campaign.__table__.c.keys()  # noqa: SIM118 these are names of columns
            if name not in ("id", "status")
        }
        rows = [{**columns, "status": CampaignStatus.RUNNING} for _ in range(plans.plan_of(acme).running_campaigns)]
        current.execute(sa.insert(Campaign), rows)
    for verb, campaign in ((campaigns.start, draft), (campaigns.resume, paused)):
        with pytest.raises(PlanLimitExceeded, match="50 running campaigns"):
            verb(acme, campaign.id)
    session().expire_all()
    assert campaigns.get(acme, draft.id).status == CampaignStatus.DRAFT
    found = a_list(acme, ["accepts-ada"])
    with transaction() as current:
        everyone = plans.plan_of(acme).leads
        current.execute(sa.update(LeadList).where(LeadList.id == found).values(lead_count=everyone))
    with pytest.raises(PlanLimitExceeded, match="2,000,000 people in lists"):
        leads.add(acme, found, [{"publicId": "accepts-bob"}])
    assert leads.add(acme, found, [{"publicId": "accepts-ada", "headline": "Founder"}]).updated == 1
