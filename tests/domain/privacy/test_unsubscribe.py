"""The way out of a campaign e-mail: what one click changes, at once and once, and what takes it back."""

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import NotFound
from app.domain.campaigns import campaigns
from app.domain.people.exclusions import never_contact, unsubscribe_token
from app.domain.platform import audit_log
from app.domain.privacy import erasure, unsubscribe
from app.domain.privacy.unsubscribe import Wish
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.leads import Lead, NeverContact
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain import outreach
from tests.support.movable import Movable

ADA = "an-ada@example.com"


@pytest.fixture
def campaign(acme: Workspace) -> Campaign:
    return outreach.a_campaign(acme, ["an-ada", "a-bo"], [outreach.INVITE, outreach.message(days=3)])


def wish_of(workspace: Workspace, campaign: Campaign, name: str = "an-ada") -> Wish:
    """What the link in the e-mail to someone says."""
    person = session().scalars(
        sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign.id, CampaignLead.person.has(public_id=name))
    )
    return unsubscribe.read(unsubscribe_token.token(workspace.id, person.one().id, f"{name}@example.com"))


def states(campaign: Campaign) -> dict[str, str]:
    query = sa.select(Person.public_id, CampaignLead.state).join(CampaignLead.person)
    found = session().execute(query.where(CampaignLead.campaign_id == campaign.id))
    return {row.public_id: row.state for row in found}


def test_an_unsubscribed_person_leaves_and_is_listed(acme: Workspace, rival: Workspace, campaign: Campaign) -> None:
    """At once and once, however often mail programs ask; only in the workspace that wrote to them."""
    theirs = outreach.a_campaign(rival, ["an-ada"], [outreach.INVITE, outreach.message(days=3)])
    wish = wish_of(acme, campaign)
    assert not unsubscribe.has_left(wish)
    for _ in range(3):
        unsubscribe.leave(wish_of(acme, campaign))
    assert unsubscribe.has_left(wish)
    assert states(campaign)["an-ada"] == LeadState.EXCLUDED
    assert states(campaign)["a-bo"] != LeadState.EXCLUDED
    entry = session().scalars(sa.select(NeverContact)).one()
    assert (entry.kind, entry.value, entry.reason) == ("email", ADA, unsubscribe.REASON)
    kinds = [one.kind for one in session().scalars(audit_log.page(acme, "person"))]
    assert kinds == ["person.unsubscribed"]
    (data,) = outreach.told(acme, "unsubscribed")
    assert data["unsubscription"] == {"how": "link", "address": ADA}
    assert (data["campaign"]["id"], data["lead"]["email"]) == (campaign.id, ADA)
    assert never_contact.is_empty(rival.id)
    assert states(theirs)["an-ada"] != LeadState.EXCLUDED


def test_the_link_says_nothing_and_cannot_be_made(acme: Workspace, campaign: Campaign) -> None:
    """It is the same every time, names no one, and a changed sign is worth nothing."""
    token = unsubscribe_token.token(acme.id, 1, ADA)
    assert token == unsubscribe_token.token(acme.id, 1, ADA)
    others = {unsubscribe_token.token(acme.id, 2, ADA), unsubscribe_token.token(acme.id, 1, "b@example.com")}
    assert len({token, *others}) == 3
    assert "ada" not in token.lower()
    for wrong in ("", "x", token[:-2], token + "A", token.swapcase(), "é" * 40, f"{acme.id}|1|{ADA}"):
        with pytest.raises(NotFound):
            unsubscribe.read(wrong)


def test_an_unsubscribe_outlives_a_blocked_company_and_another_address(acme: Workspace, campaign: Campaign) -> None:
    """The e-mail went to the person; who asks for themselves stays away when their company comes off the list."""
    wish = wish_of(acme, campaign)
    [company] = never_contact.add(acme, ["example.com"]).ids
    session().execute(sa.update(Person).where(Person.email == ADA).values(email="ada@new.example"))
    session().commit()
    unsubscribe.leave(wish)
    assert states(campaign)["an-ada"] == LeadState.EXCLUDED
    never_contact.remove(acme, company)
    assert unsubscribe.has_left(wish)


def test_the_link_outlives_campaign_and_person(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    wish, lead = wish_of(acme, campaign), session().scalars(sa.select(Lead).where(Lead.person.has(email=ADA))).one()
    campaigns.cancel(acme, campaign.id)
    campaigns.delete(acme, campaign.id)
    clock.forward(days=3000)
    unsubscribe.leave(wish)
    assert unsubscribe.has_left(wish)
    erasure.erase(acme, lead.id)
    assert unsubscribe.has_left(wish)
    unsubscribe.leave(wish)
    assert not unsubscribe.come_back(wish)
    assert ADA not in session().scalars(sa.select(NeverContact.value)).all()


def test_a_mistake_is_taken_back_and_others_decisions_stay(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    """They may be written to again, but what they left goes on without them; a click of last week was no mistake."""
    wish, other = wish_of(acme, campaign), wish_of(acme, campaign, "a-bo")
    unsubscribe.leave(wish)
    assert unsubscribe.can_come_back(wish)
    assert unsubscribe.come_back(wish)
    assert not unsubscribe.has_left(wish)
    assert states(campaign)["an-ada"] == LeadState.EXCLUDED
    assert not unsubscribe.come_back(wish)
    never_contact.add(acme, [ADA], "A friend of the house.")
    unsubscribe.leave(wish)
    assert not unsubscribe.come_back(wish)
    assert unsubscribe.has_left(wish)
    unsubscribe.leave(other)
    clock.forward(days=2)
    assert not unsubscribe.come_back(other)
