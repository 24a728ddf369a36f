"""Campaign tasks: steps that members do by hand stand in the ledger, and a decision moves the person on."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns, statistics
from app.domain.engine import campaign_tasks
from app.domain.leads.campaign_leads import campaign_leads, filters, open_tasks
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.ledger import recount
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.privacy import erasure
from app.domain.rules import limits
from app.domain.senders import accounts
from app.domain.tasks import marked_answers, tasks
from app.models.campaigns import Campaign, LeadState
from app.models.ledger import ActionState
from app.models.tasks import Task
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    a_campaign,
    acts,
    assert_counters_hold,
    email,
    events,
    forward,
    ledger,
    only,
    revise,
    takes_in,
    the_account,
    told,
)

pytestmark = [pytest.mark.usefixtures("clock"), pytest.mark.postgres]
CALL = {"type": "task", "taskType": "call", "message": "Ask {{first_name}} about the {{custom.fair|fair}}"}


def call(days: int = 0, **more: Any) -> dict[str, Any]:
    """A call to make after so many days."""
    return {**CALL, "delay": {"value": days, "unit": "days"}, **more}


def the_task(workspace: Workspace) -> Task:
    """The one task that is due."""
    (entry,) = tasks.due(workspace)
    end_read()
    return entry.task


def every_task(workspace: Workspace) -> list[Task]:
    found = list(session().scalars(sa.select(Task).where(Task.workspace_id == workspace.id)))
    end_read()
    return found


def test_a_step_done_by_hand_is_due_after_its_delay_and_moves_the_person_on_when_done(acme: Workspace) -> None:
    """It has begun in the ledger as soon as the task is there, and waits as long as nothing is decided."""
    campaign = a_campaign(acme, ["ignores-ada"], [email(), call(days=2), email("Again", days=1)])
    forward(acme, days=1)
    assert tasks.counts(acme) == (0, 0)
    forward(acme, days=2)
    task = the_task(acme)
    assert (task.kind, task.task_type, task.text) == ("to_do", "call", "Ask Ada about the fair")
    assert (only(campaign).reason, only(campaign).due_at) == ("task_open", None)
    assert [(one.kind, one.state) for one in ledger(acme)] == [("email", "sent"), ("task", "sending")]
    forward(acme, days=30)
    assert [kind for kind, _ in acts(acme)] == ["email"]
    done = campaign_tasks.finish(acme, task.id, "Reached.")
    assert (done.outcome, tasks.counts(acme)) == ("Reached.", (0, 0))
    row = ledger(acme)[1]
    assert (row.state, row.at, row.settled_at, row.check_at) == (ActionState.SENT, acme.now(), acme.now(), None)
    assert (only(campaign).step, only(campaign).due_at) == (2, acme.now() + timedelta(days=1))
    campaign_tasks.finish(acme, task.id)
    forward(acme, days=2)
    assert [kind for kind, _ in acts(acme)] == ["email", "email"]
    assert events(acme)["task_done"] == 1
    stats = assert_counters_hold(campaign)
    assert (stats.messages_sent, stats.contacted) == (2, 1)
    assert list(recount.statistics()) == []
    with pytest.raises(Conflict):
        tasks.reopen(acme, task.id)


def test_a_skipped_task_contacts_no_one_and_the_sequence_goes_on(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(), call(days=1, taskType="comment")])
    forward(acme, hours=1)
    first = the_task(acme)
    with pytest.raises(Conflict):
        tasks.remove(acme, first.id)
    campaign_tasks.skip(acme, first.id)
    assert ledger(acme)[0].state == ActionState.SKIPPED
    step, choice = statistics.steps(acme, campaign)[0], LeadFilter("skipped", step=0)
    assert (step.sent, step.skipped, step.expired, filters.count(acme, campaign, choice)) == (0, 1, 0, 1)
    assert statistics.week(acme).expired == []
    assert (only(campaign).contacted, only(campaign).error) == (False, "")
    forward(acme, days=2)
    assert the_task(acme).task_type == "comment"
    made = tasks.create(acme, first.person_id, "Send the brochure", task_type="post")
    assert campaign_tasks.skip(acme, made.id).outcome == campaign_tasks.SKIPPED
    with pytest.raises(InvalidRequest):
        tasks.create(acme, first.person_id, "Dance", task_type="dance")


def test_a_sequence_waits_for_a_task_only_as_long_as_set_and_longer_when_it_is_put_off(acme: Workspace) -> None:
    wait = {"value": 3, "unit": "days"}
    campaign = a_campaign(acme, ["ignores-ada"], [call(continueAfter=wait), call(days=1, continueAfter=wait)])
    forward(acme, days=1)
    first = the_task(acme)
    assert first.continues_at == first.due_at + timedelta(days=3)
    forward(acme, days=3)
    assert (only(campaign).step, ledger(acme)[0].state) == (1, ActionState.SKIPPED)
    (closed,) = [task for task in every_task(acme) if task.done_at]
    assert (closed.outcome, closed.done_by) == (open_tasks.EXPIRED, "Overture")
    assert ledger(acme)[0].at == closed.done_at
    step, choice = statistics.steps(acme, campaign)[0], LeadFilter("expired", step=0)
    assert (step.sent, step.skipped, step.expired, filters.count(acme, campaign, choice)) == (0, 0, 1, 1)
    assert list(statistics.week(acme).expired) == [(campaign.id, campaign.name, 1)]
    forward(acme, days=1)
    second = the_task(acme)
    tasks.put_off(acme, second.id, (acme.now() + timedelta(days=10)).date())
    forward(acme, days=8)
    assert only(campaign).step == 1
    campaigns.pause(acme, campaign.id)
    assert tasks.counts(acme) == (0, 0)
    forward(acme, days=30)
    campaigns.resume(acme, campaign.id)
    forward(acme, days=1)
    assert only(campaign).step == 2


def test_an_outcome_with_a_day_asks_for_the_same_again_then_and_the_campaign_waits(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(continueAfter={"value": 9, "unit": "days"}), email(days=1)])
    forward(acme, hours=1)
    in_may = (acme.now() + timedelta(days=40)).date()
    campaign_tasks.finish(acme, the_task(acme).id, "Reached, call again in May.", in_may)
    forward(acme, days=39)
    assert (acts(acme), only(campaign).reason, tasks.counts(acme)) == ([], "task_open", (0, 1))
    forward(acme, days=5)
    assert acts(acme) == [], "nothing goes out before the call of that day"
    again, ada = the_task(acme), only(campaign)
    assert (again.text, again.task_type, again.campaign_lead_id) == ("Reached, call again in May.", "call", ada.id)
    assert again.continues_at == again.due_at + timedelta(days=9)
    with pytest.raises(InvalidRequest):
        campaign_tasks.finish(acme, again.id, "Later.", acme.now().date())
    campaign_tasks.finish(acme, again.id, "She wants a letter.")
    forward(acme, days=2)
    assert [kind for kind, _ in acts(acme)] == ["email"]
    done = next(one for one in ledger(acme) if one.kind == "task")
    assert (done.state, done.subject) == (ActionState.SENT, "Reached, call again in May. She wants a letter.")
    assert_counters_hold(campaign)


def test_nobody_is_finished_before_the_call_that_was_put_off(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call()])
    forward(acme, hours=1)
    later = (acme.now() + timedelta(days=40)).date()
    campaign_tasks.finish(acme, the_task(acme).id, until=later, result="no_answer")
    forward(acme, days=42)
    assert only(campaign).reason == "task_open"
    campaign_tasks.skip(acme, the_task(acme).id)
    forward(acme, days=20)
    assert (only(campaign).state, only(campaign).reason) == (LeadState.FINISHED, "all_skipped")


def test_somebody_interested_counts_as_a_reply_until_it_is_taken_back(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(), email(days=1)])
    forward(acme, hours=1)
    campaign_tasks.finish(acme, the_task(acme).id, result="interested")
    ada, kept = only(campaign), recount.campaigns(campaign.id)[campaign.id]
    assert (ada.replied, ada.sentiment, kept["replies"], kept["positive"]) == (True, "positive", 1, 1)
    assert_counters_hold(campaign)
    marked_answers.undo(acme, ada.person_id)
    assert (only(campaign).replied, only(campaign).sentiment) == (False, "")
    assert_counters_hold(campaign)


@pytest.mark.parametrize(
    ("result", "state", "reason", "emails"),
    [
        ("no_answer", LeadState.ACTIVE, "awaiting_reply", 1),
        ("interested", LeadState.FINISHED, "replied_elsewhere", 0),
        ("not_interested", LeadState.STOPPED, "stopped_by_you", 0),
        ("do_not_contact", LeadState.EXCLUDED, "never_contact", 0),
    ],
)
def test_what_came_of_a_task_decides_how_the_campaign_goes_on(
    acme: Workspace, result: str, state: str, reason: str, emails: int
) -> None:
    """A person who wants no more contact is on the do-not-contact list; nobody writes to them on a day to come."""
    campaign = a_campaign(acme, ["ignores-ada"], [call(), email(days=1)])
    forward(acme, hours=1)
    task, later = the_task(acme), (acme.now() + timedelta(days=40)).date()
    for wrong in ("maybe", "do_not_contact"):
        with pytest.raises(InvalidRequest):
            campaign_tasks.finish(acme, task.id, until=later, result=wrong)
    done = campaign_tasks.finish(acme, task.id, "Reached the bursar.", result=result)
    assert done.outcome == f"{campaign_tasks.RESULTS[result]}: Reached the bursar."
    forward(acme, days=3)
    assert (only(campaign).state, only(campaign).reason, len(acts(acme))) == (state, reason, emails)
    assert never_contact.count(acme) == (result == "do_not_contact")
    (news,) = told(acme, "task_done")  # no other event says how the result left the person
    assert (news["progress"]["state"], news["progress"]["replied"]) == (state, result == "interested")
    assert_counters_hold(campaign)


def replies(workspace: Workspace, campaign: Campaign) -> None:
    heard = Received("ignores-ada", "message", "Sounds good, let us talk.", workspace.now(), "ref-1")
    takes_in(workspace, the_account(workspace), heard)


def is_barred(workspace: Workspace, campaign: Campaign) -> None:
    never_contact.add(workspace, [("email", "ignores-ada@example.com")])
    jobs.run_due()


def is_stopped(workspace: Workspace, campaign: Campaign) -> None:
    campaign_leads.stop(workspace, campaign.id, only(campaign).id)


def is_erased(workspace: Workspace, campaign: Campaign) -> None:
    erasure.erase(workspace, only(campaign).lead_id)


def sees_it_canceled(workspace: Workspace, campaign: Campaign) -> None:
    campaigns.cancel(workspace, campaign.id)


def sees_it_deleted(workspace: Workspace, campaign: Campaign) -> None:
    campaigns.cancel(workspace, campaign.id)
    campaigns.delete(workspace, campaign.id)


@pytest.mark.parametrize("happens", [replies, is_barred, is_stopped, is_erased, sees_it_canceled, sees_it_deleted])
def test_a_person_who_is_not_to_be_contacted_loses_the_open_task(acme: Workspace, happens: Any) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(), email()])
    forward(acme, hours=1)
    assert the_task(acme).text
    happens(acme, campaign)
    assert tasks.counts(acme) == (0, 0)
    forward(acme, days=40)
    assert tasks.counts(acme) == (0, 0)
    assert all(task.done_at for task in every_task(acme))
    assert all(one.check_at is None for one in ledger(acme))


def test_a_paused_person_keeps_the_task_which_is_shown_again_afterwards(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(), email()])
    forward(acme, hours=1)
    task = the_task(acme)
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    assert tasks.counts(acme) == (0, 0)
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    forward(acme, days=1)
    assert (the_task(acme).id, only(campaign).reason, len(ledger(acme))) == (task.id, "task_open", 1)


def test_a_step_whose_task_is_open_can_be_removed_and_the_person_moves_on_once_it_is_done(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [call(), email()])
    forward(acme, hours=1)
    revise(acme, campaign.id, [email()], "all")
    task = the_task(acme)
    campaign_tasks.finish(acme, task.id)
    forward(acme, days=1)
    assert [kind for kind, _ in acts(acme)] == ["email"]
    assert only(campaign).state == LeadState.ACTIVE


def test_a_mailbox_alone_gives_tasks_within_a_daily_limit_to_people_without_an_address(acme: Workspace) -> None:
    """Also with a paused gap after its emails, and with approval on: a member reads what a member does."""
    mailbox = next(one for one in accounts.every(acme) if one.channel == "email")
    known = [{"publicId": f"ignores-{number}", "firstName": f"P{number}"} for number in range(limits.TASKS_A_DAY + 5)]
    step = {"type": "task", "taskType": "linkedin_message", "message": "Hi {{first_name}}"}
    steps = [step, {**step, "taskType": "connection_request"}]
    a_campaign(acme, known, steps, senders=[mailbox.id], approval=True)
    forward(acme, hours=12)
    assert tasks.counts(acme) == (limits.TASKS_A_DAY, 0)
    assert {one.sender_id for one in ledger(acme)} == {mailbox.id}
    forward(acme, days=2)
    assert tasks.counts(acme) == (limits.TASKS_A_DAY + 5, 0)


def test_a_task_needs_a_known_type_and_a_text_and_no_other_step_takes_its_fields(acme: Workspace) -> None:
    wrong = [
        {**CALL, "taskType": "dance"},
        {**CALL, "message": ""},
        {**CALL, "continueAfter": {"value": 0, "unit": "days"}},
        {**email(), "taskType": "call"},
        {**email(), "continueAfter": {"value": 1, "unit": "days"}},
    ]
    with pytest.raises(InvalidRequest) as refusal:
        a_campaign(acme, sequence=wrong)
    places = ["[0].taskType", "[1].message", "[2].continueAfter.value", "[3].taskType", "[4].continueAfter"]
    assert [field.path for field in refusal.value.fields] == [f"sequence{place}" for place in places]
