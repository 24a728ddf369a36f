"""Who would be left out, before the start: the same answer as enrolment gives, and nothing is written."""

from datetime import timedelta

import pytest

from app.core.db import session, transaction
from app.domain.campaigns import campaigns, exclusion_preview
from app.domain.people.exclusions import never_contact
from app.models.campaigns import CampaignLead, LeadState
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, everyone, person_id

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]
PEOPLE = [f"ignores-{name}" for name in ("ada", "bob", "cyd", "dee", "eve")]


def remembered(workspace: Workspace) -> None:
    never_contact.add(workspace, ["ignores-cyd@example.com"])
    for handle in PEOPLE[:2]:
        found = person_id(workspace, handle)
        with transaction() as current:
            current.get_one(Person, found).replied_at = workspace.now() - timedelta(days=200)
    with transaction() as current:
        current.merge(workspace).contact_rules = None


def test_the_count_is_what_enrolment_does_then(acme: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long list is counted in slices that add up, and the people of a reason are named in pages."""
    monkeypatch.setattr(exclusion_preview, "CHUNK", 2)
    campaign = a_campaign(acme, PEOPLE, [VIEW], start=False)
    remembered(acme)
    found = exclusion_preview.of_campaign(acme, campaign.id, most=100)
    assert found is not None
    counted, why = found
    assert (counted.people, counted.checked, counted.total, counted.complete) == (3, 5, 5, True)
    assert counted.reasons == {"replied_before": 2, "never_contact": 1}
    assert [[one.lead.public_id for one in reason.named] for reason in why] == [PEOPLE[:2], PEOPLE[2:3]]

    first = exclusion_preview.count(acme, campaign, most=2)
    assert (first.reasons, first.checked, first.total, first.complete) == ({"replied_before": 2}, 2, 5, False)
    behind = {"after": first.after, "checked": first.checked, "reasons": first.reasons}
    rest = exclusion_preview.count(acme, campaign, most=100, **behind)
    assert (rest.reasons, rest.checked, rest.complete) == (counted.reasons, 5, True)
    [ada], after = exclusion_preview.names(acme, campaign, "replied_before", most=1)
    [bob], end = exclusion_preview.names(acme, campaign, "replied_before", after, most=1)
    assert [ada.lead.public_id, bob.lead.public_id, end] == [*PEOPLE[:2], 0]
    assert ada.saw == (acme.now() - timedelta(days=200)).date().isoformat()
    asking = exclusion_preview.Asking(acme.id, campaign.list_id, campaign.account_ids, contact_rules={"replied": False})
    assert exclusion_preview.count(acme, asking, most=100).reasons == {"never_contact": 1}

    assert session().query(CampaignLead).count() == 0
    campaigns.start(acme, campaign.id)
    out = {who: row.reason for who, row in everyone(campaign).items() if row.state == LeadState.EXCLUDED}
    assert out == {PEOPLE[0]: "replied_before", PEOPLE[1]: "replied_before", PEOPLE[2]: "never_contact"}
    assert exclusion_preview.of_campaign(acme, campaign.id, most=100) is None
