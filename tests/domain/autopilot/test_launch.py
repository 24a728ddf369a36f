"""Launching a play: its list, its campaign, and what holds on the way; pause, resume and stop."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, PlanLimitExceeded, SubscriptionRequired
from app.domain.autopilot import launch, play_people, plays, serialization, setup
from app.domain.billing import credits
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.autopilot import Play
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.workspaces import Subscription, Workspace
from app.ports import Unreachable
from tests.domain.autopilot.steering import another_play, launched, the_play, the_setup, with_play, work
from tests.domain.autopilot.writers import Died, raises, search_at
from tests.domain.outreach import a_list
from tests.support.movable import Movable


def the_campaign(play: Play) -> Campaign:
    """The campaign that the play became."""
    return session().get_one(Campaign, play.campaign_id, populate_existing=True)


def people_of(play: Play) -> list[Lead]:
    """Who is in the play's list."""
    return list(session().scalars(sa.select(Lead).where(Lead.list_id == play.list_id)))


def test_a_launched_play_has_a_list_a_campaign_and_sends(acme: Workspace) -> None:
    """A list of people, a campaign with its steps, and messages that go out. A moment that has passed means now."""
    play = launched(acme, most_people=40, start_at=acme.now() - timedelta(days=1))
    campaign = the_campaign(play)
    assert (play.status, play.build, campaign.status, play.start_at) == ("running", None, "running", None)
    assert not campaign.approval
    assert len(people_of(play)) == 40
    # Where no place is chosen, the country is.
    assert list(serialization.wanted(acme, the_setup(acme)).rows["location"]) == ["Germany"]
    assert {one.found["location"].split(", ")[-1] for one in play_people.samples(acme, play.id)} == {"Germany"}
    assert [step["type"] for step in campaign.sequence] == [
        {"reaction": "like_post", "invite": "connection_request", "social": "message", "email": "email"}[step["kind"]]
        for step in play.steps
    ]
    found = the_setup(acme)
    assert found.status == "active"
    assert found.started_at == play.launched_at
    sandbox_clock.advance(acme, 24 * 5)
    stats = campaigns.stats(acme, [campaign.id])[campaign.id]
    assert stats.invites_sent > 0
    assert stats.messages_sent > 0


def test_never_contact_and_votes_hold_at_launch(acme: Workspace) -> None:
    """Whoever is named by person, domain or company is not in the list, nor are bad fits; good ones are."""
    play = with_play(acme)
    good, bad = play_people.samples(acme, play.id)[:2]
    plays.vote(acme, play.id, bad.id, "bad")
    plays.vote(acme, play.id, good.id, "good")
    work()
    named = [one.found for one in play_people.samples(acme, play.id) if one.id not in (good.id, bad.id)][:3]
    assert good.found["company_domain"] not in {one["company_domain"] for one in named}
    never_contact.add(acme, [("person", named[0]["public_id"]), ("domain", named[1]["company_domain"])])
    never_contact.add(acme, [("company", named[2]["company"])])
    launch.launch(acme, play.id, approval=False)
    work()
    listed = people_of(the_play(acme))
    assert never_contact.blocked_people(acme.id, {one.person_id for one in listed}) == {}
    assert {good.person, bad.person, named[0]["public_id"]} & {one.public_id for one in listed} == {good.person}


def test_a_play_can_be_launched_to_an_own_list(acme: Workspace) -> None:
    """No one is added to it. Each message waits for a human unless someone says otherwise."""
    with_play(acme)
    own = a_list(acme, ["accepts-ada", "accepts-bob"])
    launch.launch(acme, the_play(acme).id, list_id=own)
    work()
    play = the_play(acme)
    assert (play.status, play.list_id, len(people_of(play))) == ("running", own, 2)
    assert the_campaign(play).approval


@pytest.mark.usefixtures("clock")
def test_a_scheduled_launch_sends_nothing_before_its_start(acme: Workspace) -> None:
    """Until then it is scheduled; nothing goes out before."""
    with_play(acme)
    begins = acme.now() + timedelta(days=3)
    launch.launch(acme, the_play(acme).id, approval=False, start_at=begins)
    work()
    play = the_play(acme)
    assert (play.status, play.start_at, play.build) == ("scheduled", begins, None)
    sandbox_clock.advance(acme, 24)
    assert the_play(acme).status == "scheduled"
    sandbox_clock.advance(acme, 24 * 4)
    play = the_play(acme)
    assert play.status == "running"
    assert the_campaign(play).started_at
    first = session().scalar(sa.select(sa.func.min(CampaignLead.invited_at)))
    assert first
    assert first >= begins


def test_a_killed_launch_goes_on_and_adds_no_one_twice(acme: Workspace, clock: Movable) -> None:
    with_play(acme)
    play = the_play(acme)
    search_at("find", raises(Died()), 3)
    launch.launch(acme, play.id, approval=False)
    with pytest.raises(Died):
        work()
    clock.forward(seconds=61)
    work()
    after = the_play(acme)
    assert after.status == "running"
    listed = [one.public_id for one in people_of(after)]
    assert len(listed) == len(set(listed)) == min(after.audience, launch.MOST_PEOPLE)


def test_a_launch_that_fails_says_why_and_contacts_no_one(acme: Workspace) -> None:
    """Its campaign is canceled; a retry builds it again. It fails, too, when no one is left."""
    with_play(acme)
    search_at("find", raises(Unreachable("The search is down.")), 2)
    play, _ = launch.launch(acme, the_play(acme).id, approval=False)
    campaign_id = play.campaign_id or 0
    work()
    failed = the_play(acme)
    assert (failed.status, failed.build, failed.log[-1]["text"]) == ("failed", None, "The search is down.")
    assert campaigns.get(acme, campaign_id).status == "canceled"
    assert (the_setup(acme).error or "").endswith("The search is down.")
    plays.retry(acme, failed.id)
    work()
    assert the_play(acme).status == "review"
    wanted = serialization.wanted(acme, the_setup(acme), failed.angle)
    companies = {one.company_domain for one in ports.sandbox_people().find(wanted, 5000).people}
    never_contact.add(acme, [("domain", name) for name in companies])
    launch.launch(acme, failed.id, approval=False)
    work()
    assert the_play(acme).log[-1]["text"] == launch.EMPTY


def test_people_that_were_looked_up_are_paid_for_once(acme: Workspace) -> None:
    before = credits.balance(acme).free
    play = launched(acme, "hiring", most_people=None)
    found = len(people_of(play))
    assert play.credits_per_lead == 2
    assert before - credits.balance(acme).free == 2 * found
    assert found == min(play.audience, launch.PAID_PEOPLE)
    assert credits.balance(acme).held == 0


def test_a_launch_takes_as_many_people_as_were_asked_for_and_its_credits_reach(acme: Workspace) -> None:
    """For less than one person, nothing is launched and nothing paid."""
    play = with_play(acme)
    for angle in ("new_role", "hiring"):
        another_play(acme, angle)
    before = credits.balance(acme).free
    for field, wrong in (
        ("maxCredits", {"max_credits": 1}),
        ("mostPeople", {"most_people": 0}),
        ("mostPeople", {"most_people": 501}),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            launch.launch(acme, the_play(acme, "hiring").id, **wrong)
        assert refusal.value.fields[0].path == field
    assert the_play(acme, "hiring").status == "review"
    launch.launch(acme, the_play(acme, "hiring").id, approval=False, max_credits=11)
    launch.launch(acme, play.id, approval=False, most_people=7)
    work()
    assert (len(people_of(the_play(acme, "hiring"))), len(people_of(the_play(acme)))) == (5, 7)
    assert before - credits.balance(acme).free == 10
    credits.hold(acme, credits.balance(acme).free - 31, ref="spoken for", purpose="signals")
    launch.launch(acme, the_play(acme, "new_role").id, approval=False, most_people=500)
    work()
    assert len(people_of(the_play(acme, "new_role"))) == 31 // the_play(acme, "new_role").credits_per_lead
    with pytest.raises(PlanLimitExceeded):
        launch.launch(acme, another_play(acme, "funded").id)


def test_a_stopped_play_reaches_no_one_and_can_be_built_again(acme: Workspace) -> None:
    """Whether it is stopped on the way or when it runs; a campaign that ends stops its play."""
    play = with_play(acme)
    launch.launch(acme, play.id, approval=False)
    launch.stop(acme, play.id)
    work()
    first = the_play(acme)
    assert (first.status, the_campaign(first).status, people_of(first)) == ("stopped", "canceled", [])
    with pytest.raises(Conflict):
        launch.stop(acme, play.id)
    former = first.campaign_id
    for end in (lambda: launch.stop(acme, play.id), lambda: campaigns.cancel(acme, the_play(acme).campaign_id or 0)):
        plays.build(acme, play.id)
        work()
        launch.launch(acme, play.id, approval=False, most_people=5)
        work()
        again = the_play(acme)
        assert (again.status, again.campaign_id != former) == ("running", True)
        former = again.campaign_id
        end()
        assert (the_play(acme).status, the_campaign(again).status) == ("stopped", "canceled")


def test_pause_and_resume_of_the_whole(acme: Workspace) -> None:
    """Only what the autopilot paused resumes; a launch under way fills its list and goes on with the others."""
    with pytest.raises(Conflict):
        setup.pause(acme)
    first = launched(acme)
    for angle in ("new_role", "hiring", "funded"):
        another_play(acme, angle)
    second, _ = launch.launch(acme, the_play(acme, "new_role").id, approval=False, most_people=5)
    work()
    campaigns.pause(acme, second.campaign_id or 0)
    third, _ = launch.launch(acme, the_play(acme, "hiring").id, approval=False, most_people=5)
    paused = setup.pause(acme)
    assert paused.setup.status == "paused"
    assert paused.setup.paused_at
    work()
    assert [the_campaign(play).status for play in (first, second, third)] == ["paused"] * 3
    with pytest.raises(Conflict) as refusal:
        launch.launch(acme, the_play(acme, "funded").id)
    assert "Resume" in refusal.value.recovery
    resumed = setup.resume(acme)
    assert (resumed.setup.status, resumed.setup.paused_at) == ("active", None)
    assert [the_campaign(play).status for play in (first, second, third)] == ["running", "paused", "running"]


def test_a_launch_that_cannot_be_is_refused_and_the_play_stays(acme: Workspace, rival: Workspace) -> None:
    """Foreign things, no search in a live workspace, a subscription that ended."""
    play = with_play(acme)
    foreign = accounts.every(rival)[0].id
    with pytest.raises(InvalidRequest) as refusal:
        launch.launch(acme, play.id, account_ids=[foreign])
    assert refusal.value.fields[0].path == "accountIds[0]"
    with pytest.raises(NotFound):
        launch.launch(rival, play.id)
    with pytest.raises(InvalidRequest):
        launch.launch(acme, play.id, list_id=lists.create_list(rival, "Theirs").id)
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    with pytest.raises(Conflict) as conflict:
        launch.launch(acme, play.id)
    assert "people search" in conflict.value.recovery
    assert not jobs.run_due()
    with transaction() as current:
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    with pytest.raises(SubscriptionRequired):
        launch.launch(acme, play.id)
    assert the_play(acme, play.angle).status == "review"
    assert session().scalar(sa.select(sa.func.count()).select_from(Campaign)) == 0
