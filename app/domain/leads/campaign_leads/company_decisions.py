"""The company stop in campaigns: hold a company's people after a reply, and do what a member decides about them.

A decision covers the people who are held when it is made. They go on where they stood, stop, or go on with the sender
to whom their colleague replied.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import contains_eager

from app.core.actor import actor
from app.core.db import get_owned, in_list, insert, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import release
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import company_holds
from app.domain.people.exclusions.company_holds import HELD
from app.domain.platform import audit_log, locks
from app.domain.platform.undo import Undoable
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import (
    OPEN_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignAccount,
    CampaignLead,
    Connection,
    LeadState,
)
from app.models.conversations import Conversation
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.people import Person
from app.models.workspaces import Workspace

LEFT = "not_handed_over"
DECISIONS = (HoldDecision.GO_ON, HoldDecision.END, HoldDecision.HAND_OVER)
_WORDS = {
    HoldDecision.GO_ON: "company.go_on",
    HoldDecision.END: "company.end",
    HoldDecision.HAND_OVER: "company.hand_over",
}


class Left(NamedTuple):
    """People of one campaign who could not be handed over, and why."""

    campaign: str
    people: int
    why: str


class Decided(NamedTuple):
    """What a decision did: how many people it moved, who was left, and the former senders of those handed over."""

    hold: CompanyHold
    people: int
    left: Sequence[Left] = ()
    former: Sequence[Mapping[str, Any]] = ()


def hold_company(
    person: Person, conversation_id: int | None, at: datetime, *, opt_out: bool = False
) -> tuple[CompanyHold | None, list[int]]:
    """Hold everyone else at the person's company in every campaign that asks for it; return who was paused.

    Inside a transaction.
    """
    made = company_holds.hold(person, conversation_id, at, opt_out=opt_out)
    return (made, _pause_colleagues(made)) if made is not None else (None, [])


def _pause_colleagues(made: CompanyHold) -> list[int]:
    return _pause(company_holds.colleagues(made))


def _pause(who: sa.ColumnElement[bool]) -> list[int]:
    query = (
        sa.select(CampaignLead)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(who, CampaignLead.state.in_(OPEN_STATES), Campaign.stop_company_on_reply.is_(True))
    )
    found = _locked(query)
    for colleague in found:
        campaign_leads.pause_for(colleague, HELD)
    return [colleague.id for colleague in found]


def decide(workspace: Workspace, hold_id: int, decision: str) -> Decided:
    """Decide about everyone held at the company; the same decision again changes nothing.

    Raise Conflict after another decision, and when no one can be handed over.
    """
    if decision not in DECISIONS:
        raise InvalidRequest.of(("decision", f"Use one of {', '.join(DECISIONS)}."))
    wanted = HoldDecision(decision)
    with locks.changing(workspace.id):
        hold = get_owned(CompanyHold, workspace, hold_id, lock=True)
        if hold.decision == wanted:
            return Decided(hold, 0)
        if hold.decision:
            raise Conflict("A decision has already been made.", recovery="Reload the page to see the decision.")
        at = workspace.now()
        hold.decision, hold.decided_by, hold.decided_at = wanted, actor.get().name, at
        done = _apply(workspace, hold, _only_held_by(workspace, hold), at)
        audit_log.record(workspace, _WORDS[wanted], hold.name, after={"people": done.people})
        if wanted != HoldDecision.END:
            DECIDED.offer(workspace, {"hold": hold.id, "former": done.former}, hold.name, name=str(hold.id))
        return done


def held_by(holds: Sequence[CompanyHold]) -> set[int]:
    """Return the campaign leads of the people whom these companies' holds cover."""
    there = (CampaignLead.state == LeadState.PAUSED, CampaignLead.reason == HELD)
    query = sa.select(CampaignLead.id).join(CampaignLead.person).where(*there)
    return {one for hold in holds for one in session().scalars(query.where(company_holds.colleagues(hold)))}


def review(workspace: Workspace, holds: Sequence[CompanyHold], held: set[int], person: Person) -> None:
    """After a person's company or its holds changed, hold the people who are held now, and release the others.

    `held` are campaign leads that were held before. Inside a transaction.
    """
    at, now = workspace.now(), company_holds.open_holds(workspace.id)
    concerned = sa.or_(in_list(CampaignLead.id, sorted(held)), CampaignLead.person_id == person.id)
    there = (CampaignLead.state == LeadState.PAUSED, CampaignLead.reason == HELD)
    for one in _locked(sa.select(CampaignLead).where(concerned, *there)):
        if not now.over(one.person):
            _resume(one, at)
    session().flush()
    for hold in holds:
        _pause_colleagues(hold)
    if now.over(person):
        _pause(CampaignLead.person_id == person.id)


def _apply(workspace: Workspace, hold: CompanyHold, held: Sequence[CampaignLead], at: datetime) -> Decided:
    match hold.decision:
        case HoldDecision.END:
            for person in held:
                campaign_leads.finish(person, "stop", "colleague_replied", at)
            return Decided(hold, len(held))
        case HoldDecision.HAND_OVER:
            return _hand_over(workspace, hold, held, at)
        case _:
            for person in held:
                _resume(person, at)
            return Decided(hold, len(held))


def _only_held_by(workspace: Workspace, hold: CompanyHold) -> Sequence[CampaignLead]:
    """Lock and return the people whom no other open company hold covers."""
    query = (
        sa.select(CampaignLead)
        .where(company_holds.colleagues(hold))
        .where(CampaignLead.state == LeadState.PAUSED, CampaignLead.reason == HELD)
    )
    session().flush()
    others = company_holds.open_holds(workspace.id)
    return [person for person in _locked(query) if not others.over(person.person)]


def _locked(query: sa.Select[CampaignLead]) -> Sequence[CampaignLead]:
    """Lock and return these campaign leads with their people."""
    query = query.join(CampaignLead.person).options(contains_eager(CampaignLead.person)).order_by(CampaignLead.id)
    query = query.with_for_update(of=CampaignLead).execution_options(populate_existing=True)
    return session().scalars(query).all()


def _resume(person: CampaignLead, at: datetime) -> None:
    campaign = session().get_one(Campaign, person.campaign_id)
    campaign_leads.resume_one(campaign, person, bool(person.person.email), at)


def _hand_over(workspace: Workspace, hold: CompanyHold, held: Sequence[CampaignLead], at: datetime) -> Decided:
    """Hand people over to the conversation's sender; those who can't be get a reason and wait for a member."""
    sender = _sender(hold)
    left: defaultdict[tuple[str, str], int] = defaultdict(int)
    former: list[dict[str, int | None]] = []
    for person in held:
        campaign = session().get_one(Campaign, person.campaign_id)
        if why := _obstacle(campaign, person, sender):
            left[campaign.name, why] += 1
            person.reason, person.error = LEFT, why
            continue
        former.append({"campaign_lead": person.id, "account": person.account_id, "mailbox": person.mailbox_id})
        _give_to(campaign, person, sender, at)
        _resume(person, at)
    if held and not former:
        raise Conflict(
            next(iter(left))[1], recovery="Let people continue with their own senders, or end their campaigns."
        )
    return Decided(hold, len(former), [Left(name, people, why) for (name, why), people in left.items()], former)


def _sender(hold: CompanyHold) -> Account:
    thread = session().get(Conversation, hold.conversation_id) if hold.conversation_id else None
    if thread is None:
        raise Conflict(
            "The conversation was deleted, so there is no sender to continue with.",
            recovery="Let people continue, or end their campaigns.",
        )
    sender = session().get_one(Account, thread.sender_id)
    if not sender.active or sender.status != AccountStatus.CONNECTED:
        raise Conflict(
            f"{sender.name} is switched off or not connected, and can't take over.",
            recovery="Connect the sender first, let people continue with their own senders, or end their campaigns.",
        )
    return sender


def _obstacle(campaign: Campaign, person: CampaignLead, sender: Account) -> str:
    """Return why the sender can't take the person over in the campaign; '' when they can."""
    ahead = {STEPS[step["type"]].channel for step in campaign.sequence[person.step :]}
    if sender.channel == Channel.EMAIL:
        if Channel.EMAIL not in ahead:
            return f"No email step is left for {sender.name} to send."
        return "" if person.person.email else "No email address is known."
    if person.account_id == sender.id:
        return ""
    if Channel.SOCIAL not in ahead:
        return f"Only email steps are left, and {sender.name} is not a mailbox."
    if not person.person.public_id:
        return "No LinkedIn profile is known."
    known = {Connection.SENT: "have a request from", Connection.ACCEPTED: "are connected with"}.get(
        Connection(person.connection)
    )
    return f"They {known} another sender on LinkedIn." if known else ""


def _give_to(campaign: Campaign, person: CampaignLead, sender: Account, at: datetime) -> None:
    if sender.channel == Channel.EMAIL:
        person.mailbox_id = sender.id
    else:
        person.account_id = sender.id
    lane = {"campaign_id": campaign.id, "account_id": sender.id, "workspace_id": campaign.workspace_id}
    session().execute(insert(CampaignAccount).on_conflict_do_nothing(), [lane])
    release.discard_of(person, at)  # the draft's text names the former sender


def undo(workspace: Workspace, hold_id: int) -> Decided:
    """Hold the company again, within a day of a decision that stopped no one."""
    get_owned(CompanyHold, workspace, hold_id)
    return DECIDED.undo(workspace, str(hold_id))


def undoable(workspace: Workspace, holds: Sequence[CompanyHold]) -> set[int]:
    """Return which of these companies' decisions can be undone."""
    offered, held = DECIDED.offered(workspace, [str(one.id) for one in holds]), company_holds.open_holds(workspace.id)
    return {one.id for one in holds if str(one.id) in offered and held.at(one) is None}


def _hold_again(workspace: Workspace, decided: dict[str, Any]) -> Decided:
    hold = get_owned(CompanyHold, workspace, decided["hold"], lock=True)
    if company_holds.open_holds(workspace.id).at(hold) is not None:
        raise Conflict("This company was put on hold again.", recovery="Decide about the new hold.")
    _give_back(hold, decided["former"])
    hold.decision, hold.decided_by, hold.decided_at = HoldDecision.OPEN, "", None
    return Decided(hold, len(_pause_colleagues(hold)))


def _give_back(hold: CompanyHold, handed_over: Sequence[Mapping[str, int]]) -> None:
    """Give people who were handed over back to their senders, and hold people again who could not be."""
    former = {one["campaign_lead"]: one for one in handed_over}
    still = CampaignLead.state.in_(UNENDED_STATES)
    for person in _locked(sa.select(CampaignLead).where(in_list(CampaignLead.id, list(former)), still)):
        person.account_id, person.mailbox_id = former[person.id]["account"], former[person.id]["mailbox"]
    left = sa.select(CampaignLead).where(company_holds.colleagues(hold), CampaignLead.reason == LEFT, still)
    for person in _locked(left):
        person.reason, person.error = HELD, ""
    session().flush()


DECIDED = Undoable(
    "company_decision",
    _hold_again,
    "Pause or stop people in their campaigns.",
    lasts=timedelta(days=1),
    audit="company.undone",
)
