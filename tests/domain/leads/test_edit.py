"""Edit one lead: correct it, delete it."""

import pytest

from app.core.db import end_read, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import edit, filters, leads
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.filters import Wanted
from app.domain.ledger import recount
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only


def found(workspace: Workspace, **wanted: object) -> list[str]:
    """Who is found, newest first."""
    query = filters.page(workspace, Wanted(**wanted)).order_by(Lead.id.desc())  # type: ignore[arg-type]
    return [lead.public_id for lead in session().scalars(query)]


def the_one(workspace: Workspace, person: str) -> int:
    (lead,) = session().scalars(filters.page(workspace, Wanted(public_id=person)))
    end_read()
    return lead.id


def test_a_deleted_lead_is_not_found_in_any_list(acme: Workspace, rival: Workspace) -> None:
    a_list(rival, ["ada"])
    a_list(acme, ["ada", "bob"])
    campaign = a_campaign(acme, ["accepts-eve"])
    campaign_leads.stop(acme, campaign.id, only(campaign).id)
    assert found(acme) == ["accepts-eve", "bob", "ada"]
    edit.delete(acme, the_one(acme, "bob"))
    edit.delete(acme, the_one(acme, "accepts-eve"))
    assert found(acme) == ["ada"]
    assert leads.get(acme, only(campaign).lead_id).first_name == "Eve"
    assert list(recount.lists()) == []


def test_who_waited_for_a_value_goes_on_when_it_is_given(acme: Workspace) -> None:
    campaign = a_campaign(acme, [{"publicId": "accepts-ada"}], [INVITE, message("Dear {{position}}")])
    forward(acme, days=3)
    assert only(campaign).reason == "missing_value"
    edit.change(acme, only(campaign).lead_id, {"position": "COO"})
    forward(acme, days=3)
    assert only(campaign).messages_sent == 1


def test_nothing_is_changed_when_anything_is_wrong(acme: Workspace) -> None:
    """All problems at once. The link may go and the person stays; a public id may not."""
    list_id = a_list(acme, [{"profileUrl": "https://network.example/in/ada"}])
    lead_id = the_one(acme, "ada")
    given = {"firstName": "Ada\0", "email": "x", "profileUrl": "https://network.example/company/x", "phone": "1"}
    with pytest.raises(InvalidRequest) as refusal:
        edit.change(acme, lead_id, given)
    assert {field.path for field in refusal.value.fields} == {"firstName", "email", "profileUrl"}
    assert leads.get_visible(acme, lead_id).phone == ""
    changed = edit.change(acme, lead_id, {"profileUrl": ""})
    assert (changed.profile_url, changed.public_id) == ("", "ada")
    # Deleting is not erasing: the same person can be added again.
    edit.delete(acme, lead_id)
    assert leads.add(acme, list_id, [{"publicId": "ada"}]).added == 1


def test_who_is_on_their_way_stays(acme: Workspace) -> None:
    """With the campaign named."""
    campaign = a_campaign(acme, ["accepts-eve"], name="Spring")
    lead_id = only(campaign).lead_id
    with pytest.raises(Conflict, match="Spring"):
        edit.delete(acme, lead_id)
