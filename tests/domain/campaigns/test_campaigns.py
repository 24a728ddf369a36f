"""Campaigns: drafts checked whole, and the moves from draft to the end."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, SubscriptionRequired, WorkspaceSuspended
from app.domain.campaigns import campaigns, enrolment
from app.domain.engine import lifecycle
from app.domain.leads import lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import CampaignStatus, LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    ALWAYS,
    INVITE,
    VIEW,
    a_campaign,
    a_list,
    acts,
    assert_counters_hold,
    email,
    everyone,
    forward,
    fresh,
    message,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")


def draft(workspace: Workspace, **given: Any) -> Any:
    usual = {
        "name": "First",
        "list_id": given.get("list_id") or a_list(workspace, ["accepts-ada"]),
        "account_ids": [accounts.every(workspace)[0].id],
        "sequence": [INVITE, message()],
    }
    return campaigns.create(workspace, **(usual | given))


def refused(workspace: Workspace, **given: Any) -> dict[str, str]:
    with pytest.raises(InvalidRequest) as refusal:
        draft(workspace, **given)
    return {field.path: field.message for field in refusal.value.fields}


def test_a_draft_has_the_usual_hours_and_contacts_no_one(acme: Workspace) -> None:
    campaign = draft(acme, sequence=[INVITE, message(days=2)])
    assert campaign.status == CampaignStatus.DRAFT
    assert (campaign.days, campaign.start_time, campaign.end_time) == ([1, 2, 3, 4, 5], "09:00", "17:30")
    assert campaign.timezone == acme.timezone
    assert [step["type"] for step in campaign.sequence] == ["connection_request", "message"]
    forward(acme, days=2)
    assert acts(acme) == []


def test_every_problem_is_named_at_once(acme: Workspace, rival: Workspace) -> None:
    theirs = a_list(rival, ["accepts-ada"])
    found = refused(
        acme,
        name=" ",
        list_id=theirs,
        account_ids=[accounts.every(rival)[0].id, 2**70],
        sequence=[message("Hi {{nickname}}"), {"type": "dance"}, {**INVITE, "delay": {"value": -1, "unit": "weeks"}}],
        schedule={"timezone": "Mars/Base", "days": [0, 8], "startTime": "9", "endTime": "25:00"},
    )
    assert set(found) == {
        "name",
        "listId",
        "accountIds[0]",
        "accountIds[1]",
        "sequence[0].type",
        "sequence[0].message",
        "sequence[1].type",
        "sequence[2].delay.value",
        "sequence[2].delay.unit",
        "schedule.timezone",
        "schedule.days",
        "schedule.startTime",
        "schedule.endTime",
    }
    assert found["accountIds[0]"] == found["accountIds[1]"]


def test_a_sequence_and_hours_that_can_never_run_are_refused(acme: Workspace) -> None:
    cases: list[tuple[list[Any], str]] = [
        ([message()], "sequence[0].type"),
        ([INVITE, INVITE, message()], "sequence[1].type"),
        ([INVITE, {"type": "message"}], "sequence[1].message"),
        ([INVITE, message("---")], "sequence[1].message"),
        ([{**INVITE, "message": "x" * 301}], "sequence[0].message"),
        ([{**INVITE, "subject": "Hi"}], "sequence[0].subject"),
        ([{**VIEW, "message": "Hi"}], "sequence[0].message"),
        ([email(subject="")], "sequence[0].subject"),
        ([email(subject="a\r\nBcc: x@y.example")], "sequence[0].subject"),
        ([INVITE, message("Hi {{first_name")], "sequence[1].message"),
        ([INVITE, message("Hi {{first_name.__class__}}")], "sequence[1].message"),
        ([], "sequence"),
    ]
    list_id = a_list(acme, ["accepts-ada"])
    assert [steps for steps, path in cases if path not in refused(acme, list_id=list_id, sequence=steps)] == []
    for days in ([6, 7], []):
        assert "schedule.days" in refused(acme, list_id=list_id, schedule={"days": days})


def test_a_list_that_is_empty_or_deleted_cannot_be_started(acme: Workspace) -> None:
    campaign = draft(acme, list_id=lists.create_list(acme, "Nobody").id)
    with pytest.raises(InvalidRequest) as refusal:
        campaigns.start(acme, campaign.id)
    assert refusal.value.fields[0].path == "listId"
    assert fresh(campaign).status == CampaignStatus.DRAFT
    campaign = draft(acme, list_id=(list_id := a_list(acme, ["accepts-ada"])))
    lists.delete_list(acme, list_id)
    assert "listId" in refused(acme, list_id=list_id)
    with pytest.raises(InvalidRequest):
        campaigns.start(acme, campaign.id)


def test_a_start_date_ahead_schedules_and_opens_by_itself(acme: Workspace) -> None:
    starts = acme.now() + timedelta(days=2)
    campaign = a_campaign(acme, schedule={**ALWAYS, "startDate": starts})
    assert campaign.status == CampaignStatus.SCHEDULED
    forward(acme, days=1)
    assert (fresh(campaign).status, acts(acme)) == (CampaignStatus.SCHEDULED, [])
    forward(acme, days=2)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    assert acts(acme)[0] == ("connection_request", "accepts-ada")


def test_a_campaign_starts_once_and_a_canceled_one_has_ended_for_good(acme: Workspace) -> None:
    """Everyone is stopped, nothing more is done, and only then it can be deleted."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"])
    with pytest.raises(Conflict) as refusal:
        campaigns.start(acme, campaign.id)
    assert "Resume" in refusal.value.recovery
    assert len(everyone(campaign)) == 2
    with pytest.raises(Conflict):
        campaigns.delete(acme, campaign.id)
    campaigns.cancel(acme, campaign.id)
    assert {person.state for person in everyone(campaign).values()} == {LeadState.STOPPED}
    assert_counters_hold(campaign)
    forward(acme, days=3)
    assert acts(acme) == []
    for verb in (campaigns.start, campaigns.resume, campaigns.pause, campaigns.cancel):
        with pytest.raises(Conflict):
            verb(acme, campaign.id)
    campaigns.delete(acme, campaign.id)
    with pytest.raises(NotFound):
        campaigns.get(acme, campaign.id)


def test_a_duplicate_is_a_draft_with_the_same_steps(acme: Workspace) -> None:
    campaign = a_campaign(acme)
    copy = campaigns.duplicate(acme, campaign.id)
    assert (copy.status, copy.name, copy.sequence) == (CampaignStatus.DRAFT, "Copy of First", campaign.sequence)
    assert everyone(copy) == {}
    assert len(campaigns.duplicate(acme, draft(acme, name="x" * 200).id).name) == 200


def test_more_people_can_be_enrolled_while_it_runs(acme: Workspace, rival: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"])
    found = lists.query_list(acme, a_list(acme, ["accepts-bob"], "More"))
    with transaction() as current:
        bob = current.scalars(found).one()
        (theirs,) = current.scalars(lists.query_list(rival, a_list(rival, ["accepts-eve"])))
    assert campaigns.enrol_more(acme, campaign.id, [bob.id]).added == 1
    assert campaigns.enrol_more(acme, campaign.id, [bob.id]) == campaigns.Enrolled(0, 1, 0)
    with pytest.raises(InvalidRequest) as refusal:
        campaigns.enrol_more(acme, campaign.id, [bob.id, theirs.id])
    assert refusal.value.fields[0].path == "leadIds[1]"
    assert set(everyone(campaign)) == {"accepts-ada", "accepts-bob"}


def test_enrolling_a_large_list_goes_on_where_it_was_interrupted(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enrolment, "CHUNK", 20)
    many = 2 * enrolment.CHUNK + 10
    campaign = a_campaign(acme, [f"ignores-{number}" for number in range(many)], [VIEW])
    assert campaign.status == CampaignStatus.STARTING
    assert len(everyone(campaign)) == enrolment.CHUNK
    campaigns.pause(acme, campaign.id)
    assert campaigns.resume(acme, campaign.id).status == CampaignStatus.STARTING
    lifecycle.run(acme)
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    assert len(everyone(campaign)) == many
    assert_counters_hold(campaign)


def test_who_may_not_contact_people_cannot_start_and_is_locked(acme: Workspace, clock: Movable) -> None:
    running, waiting = a_campaign(acme, ["ignores-ada"]), a_campaign(acme, ["ignores-bob"], start=False, name="Second")

    def stands(subscription: str, suspended: bool) -> None:
        with transaction() as current:
            workspace = current.get_one(Workspace, acme.id)
            workspace.subscription, workspace.suspended_at = subscription, clock.at if suspended else None

    for given, error in ((("ended", False), SubscriptionRequired), (("active", True), WorkspaceSuspended)):
        stands(*given)
        with pytest.raises(error):
            campaigns.start(acme, waiting.id)
        lifecycle.run(acme)
        assert fresh(running).status == CampaignStatus.LOCKED
        stands("active", suspended=False)
        lifecycle.run(acme)
        assert fresh(running).status == CampaignStatus.PAUSED
        campaigns.resume(acme, running.id)


def test_a_campaign_without_a_sender_for_a_week_has_failed(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    with transaction() as current:
        account = current.get_one(Account, campaign.account_ids[0])
        account.status, account.status_at = "disconnected", clock.at
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    clock.forward(days=8)
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.FAILED
    assert campaign.error
    assert_counters_hold(campaign)


def test_one_answer_holds_the_company_where_that_is_wished(acme: Workspace) -> None:
    people = [
        {"publicId": "replies-positive-ada", "companyName": "Acorn"},
        {"publicId": "accepts-bob", "companyName": "Acorn"},
        {"publicId": "accepts-eve", "companyName": "Other"},
    ]
    campaign = a_campaign(acme, people, [INVITE, message("Hello"), message("Again", days=4)])
    with transaction() as current:
        current.merge(campaign).stop_company_on_reply = True
    forward(acme, days=9)
    found = everyone(campaign)
    assert (found["accepts-bob"].state, found["accepts-bob"].reason) == (LeadState.PAUSED, "company_held")
    assert ("message", "accepts-eve") in acts(acme)[-2:]
    campaign_leads.resume(acme, campaign.id, found["accepts-bob"].id)
    forward(acme, days=9)
    bob = everyone(campaign)["accepts-bob"]
    assert (bob.messages_sent, bob.let_in and bob.let_in["codes"]) == (2, ["company_held"])
