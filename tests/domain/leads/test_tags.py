"""Tags of leads, and the events of their changes."""

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import InvalidRequest, NotFound
from app.domain.leads import edit, leads, lists
from app.domain.leads import tags as lead_tags
from app.models.leads import LeadList
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.domain.leads.conftest import people
from tests.domain.outreach import a_campaign, only, told


@pytest.fixture
def founders(acme: Workspace) -> LeadList:
    found = lists.create_list(acme, "Founders")
    leads.add(acme, found.id, [{"publicId": "ada"}, {"publicId": "bob"}])
    return found


def test_spaces_and_case_make_no_second_tag(acme: Workspace, founders: LeadList) -> None:
    ada, bob = people(acme, founders.id)
    assert lead_tags.set_tags(acme, ada.id, [" Hot  lead", "hot lead", "VIP", ""]).tags == ["Hot lead", "VIP"]
    assert lead_tags.tag(acme, [ada.id, bob.id], add=["vip"]) == [bob.id]
    assert lead_tags.tag(acme, [ada.id, bob.id], remove=["VIP", "hot LEAD"]) == [ada.id, bob.id]
    assert [lead.tags for lead in people(acme, founders.id)] == [[], []]
    events = session().scalars(sa.select(Event).order_by(Event.sequence)).all()
    assert [event.kind for event in events] == ["lead_tag_updated"] * 4
    assert [event.lead_id for event in events] == [ada.id, bob.id, ada.id, bob.id]


def test_tags_that_do_not_fit_are_refused(acme: Workspace, founders: LeadList) -> None:
    ada, bob = people(acme, founders.id)
    for tags in (["x" * 51], [str(number) for number in range(51)], ["a\0"]):
        with pytest.raises(InvalidRequest) as replaced:
            lead_tags.set_tags(acme, ada.id, tags)
        with pytest.raises(InvalidRequest) as added:
            lead_tags.tag(acme, [ada.id], add=tags)
        assert [one.value.fields[0].path for one in (replaced, added)] == ["tags", "tags"]
    assert people(acme, founders.id)[0].tags == []
    gone = bob.id
    edit.delete(acme, gone)
    with pytest.raises(NotFound):
        lead_tags.set_tags(acme, gone, ["x"])
    assert lead_tags.tag(acme, [gone], add=["x"]) == []


def test_an_event_names_what_was_added_and_removed_and_the_campaign_the_person_is_in(
    acme: Workspace, founders: LeadList
) -> None:
    """Webhooks limited to that campaign get it."""
    lead = people(acme, founders.id)[0]
    lead_tags.set_tags(acme, lead.id, ["a", "b"])
    lead_tags.set_tags(acme, lead.id, ["b", "c"])
    data = told(acme, "lead_tag_updated")[1]
    assert data["tag"] == {"label": "b, c", "sentiment": None, "former": "a, b", "added": ["c"], "removed": ["a"]}
    assert data["lead"]["tags"] == ["b", "c"]
    campaign = a_campaign(acme)
    lead_tags.set_tags(acme, only(campaign).lead_id, ["VIP"])
    event = session().scalars(sa.select(Event).where(Event.kind == "lead_tag_updated").order_by(Event.id)).all()[-1]
    assert event.campaign_id == campaign.id
    assert '"label":"VIP"' in event.body
