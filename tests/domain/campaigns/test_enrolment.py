"""Enrolment: the people of a list in a campaign, each once, each with a sender or a reason."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import MAX_ID, session, transaction
from app.core.errors import InvalidRequest
from app.domain.campaigns import campaigns, enrolment, exclusion_preview, upcoming
from app.domain.campaigns.forecasts import forecast
from app.domain.engine import lifecycle
from app.domain.leads import edit, leads, lists
from app.domain.leads.campaign_leads import campaign_leads, why_waiting
from app.domain.people import duplicates
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.campaigns import Campaign, LeadState
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from app.ports import Received
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
    only,
    takes_in,
    the_account,
)
from tests.support.movable import Movable

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


def people_of(workspace: Workspace, list_id: int) -> list[int]:
    with transaction() as current:
        return [lead.id for lead in current.scalars(lists.query_list(workspace, list_id))]


def by_second_sender(workspace: Workspace, person: str, name: str = "Second") -> Campaign:
    second = accounts.every(workspace)[1].id
    return a_campaign(workspace, [person], [VIEW], senders=[second], name=name)


def test_a_list_is_enrolled_in_order_and_shared_between_senders(acme: Workspace, rival: Workspace) -> None:
    a_list(rival, ["accepts-eve"])
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], senders=2)
    found = everyone(campaign)
    assert list(found) == ["accepts-ada", "accepts-bob"]
    assert {person.state for person in found.values()} == {LeadState.PENDING}
    assert len({person.account_id for person in found.values()}) == 2
    assert_counters_hold(campaign)


def test_a_person_is_in_a_campaign_once_whatever_their_lists(acme: Workspace) -> None:
    """On two lists, or removed and added again. Who is added to the list later does not join by a pause."""
    campaign = a_campaign(acme, ["accepts-ada"])
    first = campaign.list_id or 0
    again = people_of(acme, a_list(acme, ["accepts-ada", "accepts-bob"], "Again"))
    third = people_of(acme, a_list(acme, ["accepts-bob"], "Third"))
    assert campaigns.enrol_more(acme, campaign.id, [*again, *third]).added == 1
    leads.remove(acme, first, people_of(acme, first))
    leads.add(acme, first, [{"publicId": "accepts-ada"}])
    assert campaigns.enrol_more(acme, campaign.id, people_of(acme, first)).added == 0
    leads.add(acme, first, [{"publicId": "ignores-cy"}])
    campaigns.pause(acme, campaign.id)
    assert campaigns.resume(acme, campaign.id).status == "running"
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"accepts-ada", "accepts-bob"}
    assert fresh(campaign).enrolled_to == MAX_ID
    forward(acme, days=1)
    assert acts(acme).count(("connection_request", "accepts-ada")) == 1
    assert assert_counters_hold(campaign).leads == 2
    leads.remove(acme, first, people_of(acme, first))
    with transaction() as current:
        changed = current.merge(campaign)
        changed.list_id, changed.enrolled_to = None, 0
        current.flush()
        assert not enrolment.unfinished(changed)


def test_someone_in_another_running_campaign_of_ours_is_left_out_until_it_ends(
    acme: Workspace, rival: Workspace
) -> None:
    a_campaign(rival, ["ignores-ada"])
    first = a_campaign(acme, ["ignores-ada"], [VIEW])
    assert only(first).state == LeadState.PENDING
    people = everyone(second := a_campaign(acme, ["ignores-ada", "ignores-bob"], name="Second"))
    assert (people["ignores-ada"].state, people["ignores-ada"].reason) == (LeadState.EXCLUDED, "active_elsewhere")
    assert people["ignores-bob"].state == LeadState.PENDING
    assert_counters_hold(second)
    campaigns.cancel(acme, first.id)
    assert only(a_campaign(acme, ["ignores-ada"], name="Third")).state == LeadState.PENDING


def test_a_person_who_wrote_to_a_sender_stays_with_that_sender(acme: Workspace) -> None:
    """An automatic answer is no conversation; one in which we had the last word still is."""
    away = Received("ignores-ada", "message", "I am out of office.", acme.now(), "away", automatic=True)
    takes_in(acme, the_account(acme), away)
    automatic = by_second_sender(acme, "ignores-ada", "Automatic")
    assert only(automatic).state == LeadState.PENDING
    campaigns.cancel(acme, automatic.id)
    takes_in(acme, the_account(acme), Received("ignores-ada", "message", "Hello there.", acme.now(), "hello"))
    for number, direction in enumerate(("in", "out")):
        with transaction():
            session().query(Conversation).one().last_direction = direction
        assert only(by_second_sender(acme, "ignores-ada", f"Second {number}")).reason == "other_conversation"
    campaign = a_campaign(acme, ["ignores-bob", "ignores-ada"], [VIEW], senders=2, name="Third")
    assert everyone(campaign)["ignores-ada"].account_id == the_account(acme).id


def test_steps_that_someone_cannot_get_are_left_out_from_the_start(acme: Workspace) -> None:
    """Who can get none is left out, with what is missing; no one looks for a profile that does not exist."""
    campaign = a_campaign(acme, [{"publicId": "accepts-bob"}], [email(), VIEW], senders=3)
    assert (only(campaign).step, only(campaign).next_budget) == (1, "visit")
    unknown = {"email": "Ada@engine.example"}
    found = only(a_campaign(acme, [unknown], [VIEW, INVITE, email()], senders=3, name="Unknown"))
    assert (found.state, found.step, found.account_id) == (LeadState.ACTIVE, 2, None)
    for step, person, reason in (
        (email(), {"publicId": "accepts-ada"}, "no_email"),
        (VIEW, {"email": "bo@engine.example", "firstName": "Bo"}, "no_profile"),
    ):
        people = [person, f"ignores-{reason}"]
        campaign = a_campaign(acme, people, [step], senders=3, name=reason, start=False)
        counted, _ = exclusion_preview.of_campaign(acme, campaign.id, most=10) or (None, [])
        assert counted
        assert (counted.reasons, counted.contacted) == ({reason: 1}, 1)
        campaigns.start(acme, campaign.id)
        assert sorted((one.state, one.reason) for one in everyone(campaign).values()) == [
            (LeadState.EXCLUDED, reason),
            (LeadState.PENDING, ""),
        ]
        assert_counters_hold(campaign)


def test_a_campaign_that_can_reach_no_one_does_not_start_and_says_what_to_do(acme: Workspace, rival: Workspace) -> None:
    """People whom a rule leaves out do not count as reached."""
    people = [{"publicId": "accepts-ada"}, "ignores-bob"]
    a_campaign(rival, people, [email()], senders=3)
    campaign = a_campaign(acme, people, [email()], senders=3, start=False)
    never_contact.add(acme, ["ignores-bob@example.com"])
    with pytest.raises(InvalidRequest) as refused:
        campaigns.start(acme, campaign.id)
    [problem] = refused.value.fields
    assert (problem.path, problem.message) == ("listId", exclusion_preview.OUT_OF_REACH["no_email"])
    assert (fresh(campaign).status, everyone(campaign)) == ("draft", {})
    leads.add(acme, campaign.list_id or 0, [{"publicId": "ignores-cy", "email": "cy@example.com"}])
    assert campaigns.start(acme, campaign.id).status == "running"
    assert {one.reason for one in everyone(campaign).values()} == {"no_email", "never_contact", ""}


def waiting_for_profile(workspace: Workspace, sequence: list[dict[str, Any]]) -> Campaign:
    campaign = a_campaign(workspace, [{"email": "ignores-ada@engine.example"}], sequence, senders=3, start=False)
    campaigns.edit(
        workspace,
        campaign.id,
        name="First",
        list_id=campaign.list_id or 0,
        account_ids=campaign.account_ids,
        sequence=sequence,
        schedule=ALWAYS,
        wait_for_profile=True,
    )
    return campaigns.start(workspace, campaign.id)


def test_steps_that_need_a_profile_wait_for_one_if_the_campaign_says_so(acme: Workspace) -> None:
    """Nothing is done or foreseen meanwhile, and the reason is told; the person goes on when the profile is added."""
    campaign = waiting_for_profile(acme, [VIEW, INVITE, email()])
    forward(acme, days=3)
    ada = only(campaign)
    found = forecast.forecast(acme, campaign.id)
    assert (found.actions, [(why.code, number) for why, number in found.stuck]) == ([], [("no_profile", 1)])
    assert (ada.state, ada.step, ada.sender_id, ada.due_at) == (LeadState.PENDING, 0, None, None)
    why = why_waiting.of_people(acme, campaign, [ada])[ada.id]
    assert why.code == "no_profile"
    steps = upcoming.upcoming_for(acme, campaign, ada, leads.get(acme, ada.lead_id), why)
    assert [(step.at, step.after, step.skipped) for step in steps] == [(None, "profile", "")] * 3
    assert acts(acme) == []
    edit.change(acme, ada.lead_id, {"profileUrl": "https://network.example/in/ignores-ada"})
    forward(acme, days=3)
    ada = only(fresh(campaign))
    assert acts(acme) == [(kind, "ignores-ada") for kind in ("view_profile", "connection_request", "email")]
    assert ada.account_id in campaign.account_ids
    assert not ada.wait_for_profile
    assert_counters_hold(campaign)


def test_steps_before_the_one_that_waits_for_a_profile_are_done(acme: Workspace) -> None:
    """Then the person waits, also through a pause, and a profile found by an import lets them go on."""
    campaign = waiting_for_profile(acme, [email(), VIEW])
    forward(acme, days=1)
    ada = only(campaign)
    assert (ada.state, ada.step, ada.reason, ada.contacted) == (LeadState.ACTIVE, 1, "no_profile", True)
    campaign_leads.pause(acme, campaign.id, ada.id)
    campaign_leads.resume(acme, campaign.id, ada.id)
    assert only(campaign).reason == "no_profile"
    leads.add(acme, campaign.list_id or 0, [{"publicId": "ignores-ada", "email": "ignores-ada@engine.example"}])
    forward(acme, days=1)
    assert ("view_profile", "ignores-ada") in acts(acme)
    assert_counters_hold(campaign)


def ida(email: str, last: str = "Moss", company: str = "Engine Ltd", profile: str = "") -> dict[str, str]:
    known = {"email": email, "firstName": "Ida", "lastName": last, "companyName": company}
    return known | ({"publicId": profile} if profile else {})


def test_who_may_be_someone_in_a_campaign_waits_until_a_member_decides(acme: Workspace, rival: Workspace) -> None:
    """Of two campaigns, too; not under another name, elsewhere, with two profiles or when told apart."""
    a_campaign(rival, [ida("ida@engine.example")], [email()], senders=3)
    others = [ida("i@b.example", company="B"), ida("i.m@post.example", last="Mossop")]
    campaign = a_campaign(acme, [ida("ida@engine.example"), ida("i@post.example"), *others], [email()], senders=3)
    people = everyone(campaign)
    held = people["i@post.example"]
    assert [name for name, one in people.items() if one.reason == "possible_duplicate"] == ["i@post.example"]
    assert_counters_hold(campaign)
    also = only(a_campaign(acme, [ida("m@post.example")], [email()], senders=3, name="Second"))
    assert (also.state, also.reason) == (LeadState.PAUSED, "possible_duplicate")
    campaign_leads.tell_apart(acme, people["ida@engine.example"].person_id, held.person_id)
    forward(acme, days=1)
    assert len(acts(acme)) == 4
    apart = [ida("e@x.example", company="X"), ida("f@x.example", company="X")]
    with transaction() as current:
        first, second = (lead.person_id for lead in current.scalars(lists.query_list(acme, a_list(acme, apart, "X"))))
    duplicates.tell_apart(acme, first, second)
    namesakes = [ida("", company="Y", profile=f"ida-{number}") for number in range(2)]
    campaign = a_campaign(acme, [*apart, *namesakes], [VIEW, email()], senders=3, name="Third")
    assert LeadState.PAUSED not in {one.state for one in everyone(campaign).values()}


def test_ending_for_all_is_counted_whatever_state_they_are_in(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "refuses-bob", "ignores-eve"], [INVITE, message(days=3)])
    forward(acme, days=1)
    with transaction() as current:
        enrolment.stop_all(current.merge(campaign), "campaign_ended", clock.at + timedelta(days=1))
    assert {person.state for person in everyone(campaign).values()} == {LeadState.STOPPED, LeadState.FAILED}
    assert_counters_hold(campaign)
