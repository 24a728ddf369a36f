"""Answers marked by hand have the effect of a reply, and an undo that leaves nothing of it."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import recount
from app.domain.people.exclusions import company_holds, gate
from app.domain.rules.contact_rules import ContactRules
from app.domain.tasks import marked_answers, tasks
from app.models.campaigns import Campaign, CampaignLead
from app.models.people import Person
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, a_campaign, everyone, forward, message, only, takes_in, the_account
from tests.support.movable import Movable

BO = {"publicId": "accepts-bo", "firstName": "Bo", "email": "bo@wool.example", "companyName": "Wool Ltd"}
CY = {"publicId": "accepts-cy", "firstName": "Cy", "email": "cy@wool.example", "companyName": "Wool Ltd"}
STEPS = [INVITE, message("Hello"), message("Again", days=9)]
PLACE = "state paused_from reason due_at next_budget step part finished_at".split()


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    found = a_campaign(acme, [BO, CY], STEPS)
    with transaction():
        found.stop_company_on_reply = True
    forward(acme, days=2)
    return found


def place(lead: CampaignLead) -> dict[str, Any]:
    return {name: getattr(lead, name) for name in PLACE}


def bo_and_cy(campaign: Campaign) -> tuple[CampaignLead, CampaignLead]:
    session().expire_all()
    bo, cy = sorted(everyone(campaign).values(), key=lambda lead: lead.id)
    return bo, cy


def test_a_mark_ends_campaigns_holds_the_company_and_is_known_to_the_gate(acme: Workspace, campaign: Campaign) -> None:
    """An undo puts everyone back to the same step at the same time, colleagues too, and the sequence goes on."""
    other = a_campaign(acme, ["ignores-x"], start=False, name="Other")
    other.contact_rules = ContactRules()._asdict()  # the defaults, which the workspace has switched off
    before = [place(lead) for lead in bo_and_cy(campaign)]
    bo, _ = bo_and_cy(campaign)
    for answer, kept, reason, code in (
        ("replied_elsewhere", "elsewhere", "replied_elsewhere", "replied_before"),
        ("met", "met", "met", "replied_before"),
        ("not_now", "not_now", "said_not_now", "asked_to_wait"),
    ):
        person = marked_answers.mark(acme, bo.person_id, answer)
        bo, cy = bo_and_cy(campaign)
        assert (person.answer, person.replied_at) == (kept, acme.now())
        assert (bo.state, bo.reason) == ("finished", reason)
        assert (cy.state, cy.reason) == ("paused", "company_held")
        held = company_holds.open_holds(acme.id).over(cy.person)
        assert held.name == "Wool Ltd"
        other.contact_rules = ContactRules()._asdict()
        verdict = gate.ask(other, [bo.person_id], acme.now())[bo.person_id].verdict
        assert verdict.code == code
        session().rollback()
        assert list(recount.statistics()) == []
        person = marked_answers.mark(acme, bo.person_id, "none")
        assert (person.answer, person.replied_at) == ("", None)
        assert [place(lead) for lead in bo_and_cy(campaign)] == before
        assert company_holds.open_holds(acme.id).at(bo.person) is None
        assert list(recount.statistics()) == []
    assert marked_answers.mark(acme, bo.person_id, "none").answer == ""
    sent = bo_and_cy(campaign)[0].messages_sent
    forward(acme, days=12)
    assert bo_and_cy(campaign)[0].messages_sent == sent + 1


def test_what_was_paused_is_paused_again_and_a_reply_since_then_is_not_undone(
    acme: Workspace, campaign: Campaign, clock: Movable
) -> None:
    bo, _ = bo_and_cy(campaign)
    campaign_leads.pause(acme, campaign.id, bo.id)
    before = place(bo_and_cy(campaign)[0])
    marked_answers.mark(acme, bo.person_id, "met")
    assert bo_and_cy(campaign)[0].state == "finished"
    marked_answers.undo(acme, bo.person_id)
    assert place(bo_and_cy(campaign)[0]) == before
    bo, _ = bo_and_cy(campaign)
    marked_answers.mark(acme, bo.person_id, "met")
    clock.forward(hours=1)
    takes_in(acme, the_account(acme), Received("accepts-bo", "message", "Not interested", acme.now(), "r1"))
    with pytest.raises(Conflict):
        marked_answers.undo(acme, bo.person_id)
    assert session().get_one(Person, bo.person_id, populate_existing=True).answer == "negative"
    assert marked_answers.standing(acme, bo.person_id) is None


def test_not_now_by_hand_makes_a_task_and_the_undo_takes_it(acme: Workspace, campaign: Campaign) -> None:
    """With the day that is given; without one it is a guess. An undo gives back the day that was named before."""
    bo, _ = bo_and_cy(campaign)
    day = acme.now().date() + timedelta(days=40)
    person = marked_answers.mark(acme, bo.person_id, "not_now", day)
    (entry,) = tasks.of_person(acme, bo.person_id)
    was = entry.task.due_at
    assert (was.date(), entry.task.guessed, person.come_back_at) == (day, False, was)
    marked_answers.mark(acme, bo.person_id, "not_now", day + timedelta(days=40))
    assert tasks.of_person(acme, bo.person_id)[0].task.due_at != was
    marked_answers.undo(acme, bo.person_id)
    assert [entry.task.due_at for entry in tasks.of_person(acme, bo.person_id)] == [was]
    marked_answers.undo(acme, bo.person_id)
    assert tasks.of_person(acme, bo.person_id) == []
    marked_answers.mark(acme, bo.person_id, "not_now")
    assert [entry.task.guessed for entry in tasks.of_person(acme, bo.person_id)] == [True]


def test_marks_are_undone_one_after_the_other_and_stand_in_the_audit_log(acme: Workspace, campaign: Campaign) -> None:
    """The same mark again changes nothing; only known answers and days are taken."""
    bo, _ = bo_and_cy(campaign)
    later = acme.now().date() + timedelta(days=9)
    for answer, until in (("hello", None), ("met", later), ("not_now", acme.now().date())):
        with pytest.raises(InvalidRequest):
            marked_answers.mark(acme, bo.person_id, answer, until)
    assert bo_and_cy(campaign)[0].state == "active"
    for answer in ("replied_elsewhere", "met", "met"):
        marked_answers.mark(acme, bo.person_id, answer)
    assert marked_answers.undo(acme, bo.person_id).answer == "elsewhere"
    assert marked_answers.undo(acme, bo.person_id).answer == ""
    query = sa.select(AuditEntry.kind).where(AuditEntry.workspace_id == acme.id, AuditEntry.kind.like("person.%"))
    told = list(session().scalars(query.order_by(AuditEntry.id)))
    assert told == ["person.marked", "person.marked", "person.unmarked", "person.unmarked"]


def test_an_ended_campaign_stays_ended(acme: Workspace, clock: Movable) -> None:
    found = a_campaign(acme, ["accepts-ada"], STEPS)
    forward(acme, days=2)
    marked_answers.mark(acme, only(found).person_id, "met")
    forward(acme, days=1)
    marked_answers.undo(acme, only(found).person_id)
    session().expire_all()
    assert (session().get_one(Campaign, found.id).status, only(found).state) == ("finished", "finished")


def test_a_decided_company_stays_decided(acme: Workspace, campaign: Campaign) -> None:
    """The undo frees no one about whom a member decided meanwhile."""
    bo, _ = bo_and_cy(campaign)
    marked_answers.mark(acme, bo.person_id, "met")
    with transaction():
        hold = company_holds.open_holds(acme.id).at(bo.person)
        hold.decision = "end"
    marked_answers.undo(acme, bo.person_id)
    assert bo_and_cy(campaign)[1].state == "paused"
