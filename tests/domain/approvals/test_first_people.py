"""The first people of a live workspace: they wait for approval, then a campaign without approval goes on."""

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.approvals import approvals, bulk
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, email
from tests.domain.reviewing import drafts

NAMES = [f"quiet-{name}" for name in ("ada", "bob", "cleo", "dan")]


def begun(acme: Workspace, first: int) -> Campaign:
    with transaction() as current:
        current.get_one(Workspace, acme.id).approve_first = first
    a_campaign(acme, NAMES, [email("Hi {{first_name}}, a question.")])
    return session().scalars(sa.select(Campaign).where(Campaign.workspace_id == acme.id)).one()


def test_the_rest_is_sent_once_the_first_of_any_campaign_were_approved(acme: Workspace) -> None:
    campaign = begun(acme, first=2)
    assert (campaign.approval, campaign.approve_first) == (True, 2)
    skipped, one, two, *_ = drafts(acme, "pending")
    approvals.skip(acme, skipped.id)
    approvals.edit(acme, one.id, text=one.text, approve=True)
    session().expire_all()
    assert campaign.approval
    approvals.edit(acme, two.id, text=two.text, approve=True)
    session().expire_all()
    assert (campaign.approval, campaign.approve_first) == (False, None)
    assert drafts(acme, "pending") == []
    assert len(drafts(acme, "approved")) == 3
    a_campaign(acme, ["quiet-eve"], [email("Hi {{first_name}}.")])
    second = session().scalars(sa.select(Campaign).where(Campaign.id != campaign.id)).all()[-1]
    assert not second.approval


def test_a_member_who_switches_approval_has_the_last_word(acme: Workspace) -> None:
    campaign = begun(acme, first=2)
    bulk.switch(acme, campaign.id, True)
    for draft in drafts(acme, "pending")[:3]:
        approvals.edit(acme, draft.id, text=draft.text, approve=True)
    session().expire_all()
    assert campaign.approval
