"""Tasks: a person who says "not now" is left alone until their day, and comes back as a task then."""

from datetime import UTC, date, datetime, timedelta

import pytest

from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.people.exclusions import gate
from app.domain.rules.contact_rules import ContactRules
from app.domain.tasks import tasks
from app.models.conversations import Conversation
from app.models.people import Person
from app.models.tasks import Task
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import a_campaign, takes_in, the_account
from tests.support.movable import Movable


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme, "accepts-bo")


def says(workspace: Workspace, talk: Conversation, words: str, *, automatic: bool = False) -> Person:
    """The person writes; they are as they are afterwards."""
    ref = f"{words[:20]}-{workspace.now():%s%f}"
    handle = session().get_one(Person, talk.person_id).handle
    heard = Received(handle, "message", words, workspace.now(), ref, automatic=automatic)
    takes_in(workspace, the_account(workspace), heard)
    return session().get_one(Person, talk.person_id, populate_existing=True)


def in_months(workspace: Workspace, months: int) -> tuple[str, date]:
    """The name of a month so many from now, and its first day."""
    first = workspace.now().date().replace(day=1)
    for _ in range(months):
        first = (first + timedelta(days=32)).replace(day=1)
    return f"{first:%B}", first


def the_task(workspace: Workspace) -> Task:
    (entry,) = [*tasks.due(workspace), *tasks.coming(workspace)]
    return entry.task


def test_not_now_with_a_month_comes_back_in_that_month(acme: Workspace, rival: Workspace, talk: Conversation) -> None:
    """The task keeps their words and is no guess; a rule of a campaign leaves them out until then.

    A second "not now" moves the same task.
    """
    month, first = in_months(acme, 3)
    bo = says(acme, talk, f"Not now, please ask me again in {month}.")
    task = the_task(acme)
    assert bo.answer == "not_now"
    assert bo.come_back_at == task.due_at
    assert task.due_at.date().replace(day=1) == first
    assert (task.guessed, task.conversation_id) == (False, talk.id)
    assert month in task.text
    assert (tasks.counts(acme), tasks.counts(rival)) == ((0, 1), (0, 0))
    campaign = a_campaign(acme, ["ignores-x"], start=False, name="Other")
    campaign.contact_rules = ContactRules(replied=False)._asdict()
    found = gate.ask(campaign, [bo.id], acme.now())[bo.id].verdict
    assert (found.code, found.until) == ("asked_to_wait", bo.come_back_at)
    session().rollback()
    later, day = in_months(acme, 6)
    says(acme, talk, f"Still not now, ask me again in {later}.")
    assert the_task(acme).id == task.id
    assert the_task(acme).due_at.date().replace(day=1) == day


def test_not_now_without_a_date_is_a_guess_until_a_member_puts_it_off(acme: Workspace, talk: Conversation) -> None:
    """A quarter later. The day that a member chose is in the future."""
    bo = says(acme, talk, "Not now, maybe later.")
    task = the_task(acme)
    assert task.guessed
    assert timedelta(days=80) < task.due_at - acme.now() < timedelta(days=100)
    for days in (0, -1, 365 * 6):
        with pytest.raises(InvalidRequest):
            tasks.put_off(acme, task.id, acme.now().date() + timedelta(days=days))
    with pytest.raises(InvalidRequest):
        tasks.put_off(acme, task.id, None)
    day = acme.now().date() + timedelta(days=20)
    tasks.put_off(acme, task.id, day)
    session().refresh(bo)
    task = the_task(acme)
    assert task.due_at == bo.come_back_at == datetime(day.year, day.month, day.day, 8, tzinfo=UTC)
    assert not task.guessed


def test_a_task_is_due_from_the_morning_of_its_day_on(acme: Workspace, clock: Movable, talk: Conversation) -> None:
    says(acme, talk, f"Not now, ask me again in {in_months(acme, 3)[0]}.")
    task = the_task(acme)
    clock.forward(seconds=(task.due_at - acme.now()).total_seconds() - 60)
    assert tasks.due(acme) == []
    clock.forward(minutes=2)
    assert [entry.task.id for entry in tasks.due(acme)] == [task.id]
    assert tasks.counts(acme) == (1, 0)


def test_a_yes_or_a_member_takes_the_date_away_and_a_thank_you_does_not(
    acme: Workspace, clock: Movable, talk: Conversation
) -> None:
    """A date that was read wrongly is removed; the answer is then what their conversation sounds like."""
    says(acme, talk, f"Not now, ask me again in {in_months(acme, 3)[0]}.")
    clock.forward(hours=1)
    assert says(acme, talk, "Thanks for understanding.").come_back_at is not None
    assert tasks.counts(acme) == (0, 1)
    clock.forward(hours=1)
    bo = says(acme, talk, "I changed my mind: sounds great, let's talk this week.")
    assert (bo.answer, bo.come_back_at) == ("positive", None)
    assert tasks.counts(acme) == (0, 0)
    bo = says(acme, talk, f"Happy to talk, but not now. Ask me again in {in_months(acme, 3)[0]}.")
    tone = session().get_one(Conversation, talk.id, populate_existing=True).sentiment
    tasks.remove(acme, the_task(acme).id)
    session().refresh(bo)
    assert (bo.answer, bo.come_back_at) == (tone, None)
    assert tasks.counts(acme) == (0, 0)


def test_an_absence_or_an_opt_out_makes_no_task(acme: Workspace, talk: Conversation) -> None:
    """Out of office pauses the campaign, in other languages too; nothing was answered."""
    bo = says(acme, talk, "Ich bin bis zum 15. Dezember nicht im Büro.", automatic=True)
    assert (bo.answer, bo.come_back_at) == ("", None)
    assert tasks.counts(acme) == (0, 0)
    bo = says(acme, talk, "Not now and not in May. Unsubscribe me.")
    assert (bo.answer, bo.come_back_at) == ("negative", None)
    assert tasks.counts(acme) == (0, 0)
