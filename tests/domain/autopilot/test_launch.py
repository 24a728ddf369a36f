"""Launching a play: its list, its campaign, and what holds on the way; pause, resume and stop."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app import ports
from app.core.clock import Movable
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, PlanLimitExceeded, SubscriptionRequired
from app.domain.autopilot import launch, play_people, plays, serialization, setup
from app.domain.billing import credits
from app.domain.campaigns import campaigns
from app.domain.exclusions import never_contact
from app.domain.leads import lists
from app.domain.operations import sandbox_clock
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.autopilot import Play
from app.models.campaigns import Campaign, CampaignLead
from app.models.leads import Lead
from app.models.workspaces import Subscription, Workspace
from app.ports import Unreachable
from tests.domain.autopilot.steering import designed, launched, the_play, the_setup, with_play, work
from tests.domain.autopilot.writers import Died, raises, search_at
from tests.domain.outreach import a_list


def the_campaign(play: Play) -> Campaign:
    """The campaign that the play became."""
    return session().get_one(Campaign, play.campaign_id, populate_existing=True)


def people_of(play: Play) -> list[Lead]:
    """Who is in the play's list."""
    return list(session().scalars(sa.select(Lead).where(Lead.list_id == play.list_id)))


def test_a_launched_play_has_a_list_a_campaign_and_sends(acme: Workspace) -> None:
    """A list of people, a campaign with the play's steps, and messages that go out."""
    play = launched(acme, most_people=40)
    campaign = the_campaign(play)
    assert (play.status, play.build, campaign.status) == ("running", None, "running")
    assert len(people_of(play)) == 40
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


def test_approvals_are_on_unless_someone_says_otherwise(acme: Workspace) -> None:
    """By default each message waits for a human."""
    designed(acme)
    play, _ = launch.launch(acme, the_play(acme).id)
    assert the_campaign(play).approval
    assert not the_campaign(launched_next(acme, approval=False)).approval


def launched_next(workspace: Workspace, **options: Any) -> Play:
    """Another play is launched."""
    return launch.launch(workspace, the_play(workspace, "new_role").id, **options)[0]


def test_never_contact_holds(acme: Workspace) -> None:
    """Whoever is named is not in the list, whether by person, domain or company."""
    with_play(acme)
    directory = ports.sandbox_people()
    play = the_play(acme)
    shown = play_people.samples(acme, play.id)
    named = [shown[0].found, shown[1].found, shown[2].found]
    assert directory.name == "sandbox"
    never_contact.add(acme, [("person", named[0]["public_id"]), ("domain", named[1]["company_domain"])])
    never_contact.add(acme, [("company", named[2]["company"])])
    launch.launch(acme, play.id, approval=False)
    work()
    listed = people_of(the_play(acme))
    assert listed
    assert never_contact.blocked_people(acme.id, {one.person_id for one in listed}) == {}
    assert len(listed) < min(play.audience, launch.MOST_PEOPLE) + 1
    assert named[0]["public_id"] not in {one.public_id for one in listed}


def test_bad_people_are_left_out_and_good_ones_taken(acme: Workspace) -> None:
    """Votes count at launch too."""
    with_play(acme)
    play = the_play(acme)
    good, bad = play_people.samples(acme, play.id)[:2]
    plays.vote(acme, play.id, bad.id, "bad")
    plays.vote(acme, play.id, good.id, "good")
    work()
    launch.launch(acme, play.id, approval=False)
    work()
    listed = {one.public_id for one in people_of(the_play(acme))}
    assert good.person in listed
    assert bad.person not in listed


def test_a_play_can_be_launched_to_an_own_list(acme: Workspace) -> None:
    """No one is added to it."""
    with_play(acme)
    own = a_list(acme, ["accepts-ada", "accepts-bob"])
    launch.launch(acme, the_play(acme).id, approval=False, list_id=own)
    work()
    play = the_play(acme)
    assert (play.status, play.list_id, len(people_of(play))) == ("running", own, 2)


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


def test_a_moment_that_has_passed_means_now(acme: Workspace) -> None:
    """And is not kept."""
    assert launched(acme, start_at=acme.now() - timedelta(days=1)).start_at is None


@pytest.mark.parametrize("number", [1, 3])
def test_a_killed_launch_goes_on_and_adds_no_one_twice(acme: Workspace, clock: Movable, number: int) -> None:
    """From the batch it stood at."""
    with_play(acme)
    play = the_play(acme)
    search_at("find", raises(Died()), number)
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
    """Its campaign is canceled; a retry builds it again."""
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


def test_when_no_one_is_left_the_play_fails(acme: Workspace) -> None:
    """With the reason."""
    with_play(acme)
    play = the_play(acme)
    companies = {one["company_domain"] for one in everyone(acme, play)}
    never_contact.add(acme, [("domain", name) for name in companies])
    launch.launch(acme, play.id, approval=False)
    work()
    assert the_play(acme).log[-1]["text"] == launch.EMPTY


def everyone(workspace: Workspace, play: Play) -> list[dict[str, str]]:
    """Everyone whom the play would find."""
    wanted = serialization.wanted(workspace, the_setup(workspace), play.angle)
    return [{"company_domain": one.company_domain} for one in ports.sandbox_people().find(wanted, 5000).people]


def test_people_that_were_looked_up_are_paid_for_once(acme: Workspace) -> None:
    """As many as the credits reach."""
    before = credits.balance(acme).free
    play = launched(acme, "hiring", most_people=None)
    found = len(people_of(play))
    assert play.credits_per_lead == 2
    assert before - credits.balance(acme).free == 2 * found
    assert found == min(play.audience, launch.PAID_PEOPLE)
    assert credits.balance(acme).held == 0


def test_a_campaign_never_costs_more_than_its_cap(acme: Workspace) -> None:
    """People are found for as much as it reaches; for less than one person, nothing is launched and nothing paid."""
    designed(acme)
    before = credits.balance(acme).free
    with pytest.raises(InvalidRequest) as refusal:
        launch.launch(acme, the_play(acme, "hiring").id, max_credits=1)
    assert refusal.value.fields[0].path == "maxCredits"
    assert the_play(acme, "hiring").status == "review"
    launch.launch(acme, the_play(acme, "hiring").id, approval=False, max_credits=11)
    work()
    assert len(people_of(the_play(acme, "hiring"))) == 5
    assert before - credits.balance(acme).free == 10


def test_as_many_as_were_asked_for_and_the_credits_reach(acme: Workspace) -> None:
    """Never more."""
    designed(acme)
    for wrong in (0, 501):
        with pytest.raises(InvalidRequest) as refusal:
            launch.launch(acme, the_play(acme).id, most_people=wrong)
        assert refusal.value.fields[0].path == "mostPeople"
    launch.launch(acme, the_play(acme).id, approval=False, most_people=7)
    work()
    assert len(people_of(the_play(acme))) == 7
    credits.hold(acme, credits.balance(acme).free - 31, ref="spoken for", purpose="signals")
    launch.launch(acme, the_play(acme, "new_role").id, approval=False, most_people=500)
    work()
    assert len(people_of(the_play(acme, "new_role"))) == 31 // the_play(acme, "new_role").credits_per_lead
    with pytest.raises(PlanLimitExceeded):
        launch.launch(acme, the_play(acme, "hiring").id)


def test_where_no_place_is_chosen_the_country_is(acme: Workspace) -> None:
    """As the play says."""
    with_play(acme)
    rows = serialization.wanted(acme, the_setup(acme)).rows
    assert list(rows["location"]) == ["Germany"]
    assert {one.found["location"].split(", ")[-1] for one in play_people.samples(acme, the_play(acme).id)} == {
        "Germany"
    }


def test_stopping_cancels_its_campaign(acme: Workspace) -> None:
    """And a stopped play can be built again."""
    play = launched(acme)
    stopped, _ = launch.stop(acme, play.id)
    assert (stopped.status, the_campaign(play).status) == ("stopped", "canceled")
    with pytest.raises(Conflict):
        launch.stop(acme, play.id)
    plays.build(acme, play.id)
    work()
    launch.launch(acme, play.id, approval=False)
    work()
    again = the_play(acme)
    assert (again.status, again.campaign_id != stopped.id) == ("running", True)


def test_stopping_on_the_way_ends_the_launch(acme: Workspace) -> None:
    """No one hears of it."""
    with_play(acme)
    play, _ = launch.launch(acme, the_play(acme).id, approval=False)
    launch.stop(acme, play.id)
    work()
    after = the_play(acme)
    assert (after.status, the_campaign(after).status, people_of(after)) == ("stopped", "canceled", [])


def test_a_campaign_that_ended_stops_its_play(acme: Workspace) -> None:
    """However it ended."""
    play = launched(acme)
    campaigns.cancel(acme, play.campaign_id or 0)
    assert the_play(acme).status == "stopped"


def test_pause_and_resume_of_the_whole(acme: Workspace) -> None:
    """Only what the autopilot paused goes on by itself."""
    with pytest.raises(Conflict):
        setup.pause(acme)
    designed(acme)
    first, _ = launch.launch(acme, the_play(acme).id, approval=False, most_people=20)
    second = launched_next(acme, approval=False, most_people=20)
    work()
    campaigns.pause(acme, second.campaign_id or 0)
    paused = setup.pause(acme)
    assert paused.setup.status == "paused"
    assert paused.setup.paused_at
    assert the_campaign(first).status == "paused"
    with pytest.raises(Conflict) as refusal:
        launch.launch(acme, the_play(acme, "hiring").id)
    assert "Resume" in refusal.value.recovery
    resumed = setup.resume(acme)
    assert (resumed.setup.status, resumed.setup.paused_at) == ("active", None)
    assert the_campaign(first).status == "running"
    assert campaigns.get(acme, second.campaign_id or 0).status == "paused"


def test_a_launch_under_way_while_it_is_paused_waits(acme: Workspace) -> None:
    """Its list is filled, and it goes on with the others."""
    designed(acme)
    launch.launch(acme, the_play(acme).id, approval=False, most_people=20)
    work()
    second = launched_next(acme, approval=False, most_people=20)
    setup.pause(acme)
    work()
    assert campaigns.get(acme, second.campaign_id or 0).status == "paused"
    setup.resume(acme)
    assert campaigns.get(acme, second.campaign_id or 0).status == "running"


def test_what_a_launch_refuses(acme: Workspace, rival: Workspace) -> None:
    """Foreign things, senders who cannot, a subscription that ended; the play stays as it was."""
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
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    with pytest.raises(SubscriptionRequired):
        launch.launch(acme, play.id)
    assert the_play(acme, play.angle).status == "review"
    assert session().scalar(sa.select(sa.func.count()).select_from(Campaign)) == 0


def test_without_a_search_nothing_invented_is_contacted(acme: Workspace) -> None:
    """A live workspace launches to its own lists until one is connected."""
    play = with_play(acme)
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    with pytest.raises(Conflict) as refusal:
        launch.launch(acme, play.id)
    assert "listId" in refusal.value.recovery
    assert not jobs.run_due()
