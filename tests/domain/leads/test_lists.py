"""Lists: their names, the people in them, and what becomes of these when a list is deleted."""

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, NotFound
from app.domain.leads import leads, lists
from app.domain.platform import jobs
from app.models.campaigns import Campaign, CampaignLead, CampaignStatus
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.domain.leads.conftest import people
from tests.support.movable import Movable


def campaign_of(workspace: Workspace, lead_list: LeadList, status: str, *members: Lead) -> Campaign:
    with transaction() as current:
        campaign = Campaign(
            workspace_id=workspace.id,
            name="Spring",
            status=status,
            list_id=lead_list.id,
            account_ids=[],
            sequence=[],
            timezone="UTC",
            days=[1],
            start_time="09:00",
            end_time="17:00",
            created_at=workspace.now(),
        )
        current.add(campaign)
        current.flush()
        for lead in members:
            row = CampaignLead(
                workspace_id=workspace.id, campaign_id=campaign.id, lead_id=lead.id, person_id=lead.person_id
            )
            current.add(row)
    return campaign


def test_a_deleted_list_is_gone_with_its_people_but_for_those_of_a_campaign(
    acme: Workspace, founders: LeadList
) -> None:
    """What a finished campaign did stays true."""
    leads.add(acme, founders.id, [{"publicId": "ada"}, {"publicId": "bob"}])
    ada, bob = people(acme, founders.id)
    ids = ada.id, bob.id
    campaign_of(acme, founders, CampaignStatus.FINISHED, ada)
    lists.delete_list(acme, founders.id)
    session().expire_all()
    with pytest.raises(NotFound):
        lists.get_list(acme, founders.id)
    assert leads.get(acme, ids[0]).list_id is None
    with pytest.raises(NotFound):
        leads.get(acme, ids[1])


def test_a_list_in_use_cannot_be_deleted(acme: Workspace, founders: LeadList) -> None:
    campaign = campaign_of(acme, founders, CampaignStatus.RUNNING)
    for status in ("scheduled", "starting", "running", "paused", "locked"):
        with transaction():
            campaign.status = status
        with pytest.raises(Conflict, match="Spring"):
            lists.delete_list(acme, founders.id)
    assert lists.get_list(acme, founders.id).deleted_at is None


@pytest.mark.postgres
def test_a_long_list_is_hidden_at_once_and_taken_away_by_and_by(acme: Workspace, founders: LeadList) -> None:
    """No request and no other writer waits for a long deletion."""
    for start in range(0, 5000, 1000):
        leads.add(acme, founders.id, [{"publicId": f"p{number}"} for number in range(start, start + 1000)])
    lists.delete_list(acme, founders.id)
    assert session().scalars(lists.lists(acme)).all() == []
    with pytest.raises(NotFound):
        leads.add(acme, founders.id, [{"publicId": "x"}])
    assert jobs.run_due() == 2
    for table in (Lead, LeadList):
        assert session().scalar(sa.select(sa.func.count()).select_from(table)) == 0


@pytest.mark.postgres
def test_people_are_found_by_name_company_and_place(acme: Workspace, founders: LeadList) -> None:
    given = [
        {"publicId": "p1", "firstName": "Ada", "lastName": "Lovelace", "companyName": "Engine Ltd"},
        {"publicId": "p2", "firstName": "Özge", "companyName": "Engine GmbH", "location": "Köln, Germany"},
        {"publicId": "p3", "firstName": "Bob", "companyName": "100% Wool"},
    ]
    leads.add(acme, founders.id, given)
    wanted = {"": 3, "ada": 1, "ADA engine": 1, "ENGINE": 2, "Ö": 1, "100%": 1, "%": 1, "özge köln": 1, "nobody": 0}
    assert {q: len(session().scalars(lists.query_list(acme, founders.id, q)).all()) for q in wanted} == wanted


@pytest.mark.postgres
@pytest.mark.parametrize(("size", "meanwhile"), [(lists.MOST_READ, (1, 1)), (lists.MOST_READ + 1, (0, 1))])
def test_who_can_be_reached_is_counted_anew_each_minute_for_a_large_list(
    clock: Movable, acme: Workspace, founders: LeadList, size: int, meanwhile: tuple[int, int]
) -> None:
    leads.add(acme, founders.id, [{"publicId": "ada", "phone": "+49 30 1"}])
    with transaction():
        founders.lead_count = size
    assert lists.reachable([founders]) == {founders.id: (0, 1)}
    leads.add(acme, founders.id, [{"publicId": "ada", "email": "ada@acme.example"}])
    assert lists.reachable([founders]) == {founders.id: meanwhile}
    clock.forward(seconds=61)
    assert lists.reachable([founders]) == {founders.id: (1, 1)}
