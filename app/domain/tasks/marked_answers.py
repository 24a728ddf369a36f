"""Answers marked by hand: replied elsewhere, met, or not now. They have the effect of a reply, and can be undone."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import in_list, session
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.leads.campaign_leads import campaign_leads, company_decisions
from app.domain.people import people
from app.domain.platform import audit_log, locks
from app.domain.rules.contact_rules import Answer
from app.domain.tasks import tasks
from app.models.campaigns import LIVE, Campaign, CampaignLead, CampaignStatus, LeadState
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.people import Person
from app.models.tasks import MarkedAnswer, Task
from app.models.workspaces import Workspace

# The name of a mark: the answer to store, and the reason with which campaigns end.
MARKS = {
    "replied_elsewhere": (Answer.ELSEWHERE, "replied_elsewhere"),
    "met": (Answer.MET, "met"),
    "not_now": (Answer.NOT_NOW, "said_not_now"),
}
NO_MARK = "none"
MEETING = "meeting_booked"  # the reason with which campaigns end when a meeting is booked
_REASONS = {MEETING, *(reason for _, reason in MARKS.values())}
_NAMES = {answer: name for name, (answer, _) in MARKS.items()}
_STILL_THERE = [*LIVE, CampaignStatus.PAUSED, CampaignStatus.LOCKED]


def name_of(answer: str) -> str:
    """Return how an answer is called where people are marked: positive, generic, negative, a mark, or `none`."""
    return _NAMES.get(Answer(answer), answer) or NO_MARK


def mark(workspace: Workspace, person_id: int, answer: str, until: date | None = None) -> Person:
    """Mark what the person answered elsewhere, as if they had replied here; `none` undoes the last mark.

    `until` is the day to come back after a "not now"; without it, a quarter from now.
    """
    if answer == NO_MARK:
        return undo(workspace, person_id)
    if answer not in MARKS:
        raise InvalidRequest.of(("answer", f"Use one of {', '.join([*MARKS, NO_MARK])}."))
    if until is not None and answer != "not_now":
        raise InvalidRequest.of(("until", "Only not_now can have a follow-up day."))
    day = until and tasks.check_day(workspace, until)
    kept, reason = MARKS[answer]
    with locks.changing(workspace.id):
        person = _person(workspace, person_id)
        last = _current_mark(person)
        if last is not None and last.answer == kept and until is None:
            return person
        _put(workspace, person, kept, reason, day)
        audit_log.record(workspace, "person.marked", _subject(person), after={"answer": answer})
        return person


def mark_meeting(workspace: Workspace, person_id: int) -> Person:
    """Mark that the person booked a meeting, which ends their campaigns as a reply does.

    Inside a transaction that locks the workspace.
    """
    person = _person(workspace, person_id)
    _put(workspace, person, Answer.MET, MEETING)
    return person


def unmark_meeting(workspace: Workspace, person_id: int) -> bool:
    """Take back what `mark_meeting` did, unless the person has answered since; return whether it was."""
    found = _current_mark(_person(workspace, person_id))
    if found is None or found.answer != Answer.MET:
        return False
    undo(workspace, person_id)
    return True


def _put(workspace: Workspace, person: Person, kept: Answer, reason: str, day: date | None = None) -> None:
    at = workspace.now()
    before: dict[str, Any] = {
        "answer": person.answer,
        "replied_at": _written(person.replied_at),
        "come_back_at": _written(person.come_back_at),
        "leads": _end(person, reason, at),
    }
    person.answer, person.replied_at = kept, at
    if kept == Answer.NOT_NOW:
        before["reminder"] = _remind(workspace, person, day)
    hold, held = company_decisions.hold_company(person, None, at)
    if hold is not None:
        before |= {"hold": hold.id, "held": held}
    session().add(
        MarkedAnswer(
            workspace_id=workspace.id, person_id=person.id, answer=kept, at=at, by=actor.get().name, before=before
        )
    )


def undo(workspace: Workspace, person_id: int) -> Person:
    """Take back what was marked last: answer, campaigns and company are as they were.

    Raise Conflict when the person has answered since, or only answered by themselves.
    """
    with locks.changing(workspace.id) as current:
        person = _person(workspace, person_id)
        found = _current_mark(person)
        if found is None:
            if person.answer:
                raise Conflict("This person sent a reply.", recovery="You can only undo a manually marked reply.")
            return person
        before, found.undone_at = found.before, workspace.now()
        person.answer = before["answer"]
        person.replied_at, person.come_back_at = _read(before["replied_at"]), _read(before["come_back_at"])
        if "reminder" in before:
            _give_back(before["reminder"])
        hold = current.get(CompanyHold, before.get("hold") or 0)
        if hold is not None and hold.decision == HoldDecision.OPEN:
            current.delete(hold)
            current.flush()
            _release(workspace, before["held"])
        mine = (CampaignLead.person_id == person.id, CampaignLead.replied_at == found.at)
        for counted in session().scalars(sa.select(CampaignLead).where(*mine)).all():
            campaign_leads.count_reply(counted, None)
        for lead in before["leads"]:
            _reopen(lead, workspace.now())
        audit_log.record(workspace, "person.unmarked", _subject(person), before={"answer": name_of(found.answer)})
        return person


def standing(workspace: Workspace, person_id: int) -> MarkedAnswer | None:
    """Return the mark that holds the person's last answer; None when a reply of theirs does."""
    return _current_mark(people.get(workspace, person_id))


def _person(workspace: Workspace, person_id: int) -> Person:
    person = people.get(workspace, person_id, lock=True)
    if person.erased_at is not None:
        raise NotFound("Person not found.")
    return person


def _subject(person: Person) -> str:
    return f"person id {person.id}"


def _current_mark(person: Person) -> MarkedAnswer | None:
    query = sa.select(MarkedAnswer).where(MarkedAnswer.person_id == person.id, MarkedAnswer.undone_at.is_(None))
    last = session().scalars(query.order_by(MarkedAnswer.id.desc()).limit(1)).first()
    return last if last is not None and (last.answer, last.at) == (person.answer, person.replied_at) else None


def _end(person: Person, reason: str, at: datetime) -> list[dict[str, Any]]:
    """End the person's campaigns; return where they were in each."""
    places = []
    for lead in campaign_leads.still_there(person.workspace_id, person.id):
        places.append(
            {
                "campaign_lead": lead.id,
                "state": lead.state,
                "paused_from": lead.paused_from,
                "reason": lead.reason,
                "due_at": _written(lead.due_at),
                "next_budget": lead.next_budget,
            }
        )
        campaign_leads.finish(lead, "finish" if lead.contacted else "stop", reason, at)
    return places


def _reopen(before: dict[str, Any], at: datetime) -> None:
    """Put a campaign lead back to where they were, unless their campaign has ended or they were moved since."""
    lead = session().get(CampaignLead, before["campaign_lead"], with_for_update=True, populate_existing=True)
    if lead is None or lead.reason not in _REASONS:
        return
    if session().get_one(Campaign, lead.campaign_id).status in _STILL_THERE:
        campaign_leads.reopen(lead, {**before, "due_at": _read(before["due_at"])}, at)


def _release(workspace: Workspace, held: Sequence[int]) -> None:
    """Resume the colleagues who were paused by a company hold that is undone."""
    query = (
        sa.select(CampaignLead, Campaign)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(in_list(CampaignLead.id, held), CampaignLead.state == LeadState.PAUSED)
        .where(CampaignLead.reason == "company_held")
        .order_by(CampaignLead.id)
        .with_for_update(of=CampaignLead)
    )
    for lead, campaign in session().execute(query.execution_options(populate_existing=True)).all():
        campaign_leads.resume_one(campaign, lead, bool(lead.person.email), workspace.now())


def _remind(workspace: Workspace, person: Person, day: date | None) -> dict[str, Any]:
    """Make the task to come back; return what stood there before, or which one is new."""
    known = tasks.open_come_back(person.id)
    was: dict[str, Any] | None = None
    if known is not None:
        was = {"text": known.text, "guessed": known.guessed, "due_at": _written(known.due_at)}
        was |= {"conversation": known.conversation_id} if known.conversation_id else {}
    made = tasks.come_back(
        workspace,
        person,
        known.conversation_id if known else None,
        day or tasks.default_day(workspace),
        "",
        guessed=day is None,
    )
    return {"task": made.id, "was": was}


def _give_back(before: dict[str, Any]) -> None:
    task = session().get(Task, before["task"])
    if task is None:
        return
    if was := before["was"]:
        task.text, task.guessed, task.conversation_id = was["text"], was["guessed"], was.get("conversation")
        task.due_at = datetime.fromisoformat(was["due_at"])
    else:
        session().delete(task)


def _written(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _read(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None
