"""Enrolment: leads of a list join a campaign, in resumable chunks."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from app.core.db import MAX_ID, change_rows, in_list, insert, session
from app.domain.approvals import drafting, release
from app.domain.leads.campaign_leads import campaign_leads, open_tasks
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts, connections, duplicates
from app.domain.people.exclusions import gate, never_contact
from app.domain.people.exclusions.company_holds import HELD
from app.domain.people.exclusions.facts import THEY_WROTE
from app.domain.rules import next_step
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.sequences.conditions import NOTHING_KNOWN
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account, Channel
from app.models.campaigns import (
    OPEN_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignList,
    Connection,
    LeadState,
)
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.signals import AddressCheck
from app.ports import Verdict

CHUNK = 2000


def enrol_chunk(campaign: Campaign, at: datetime) -> bool:
    """Enrol the next people of the lists; return False if no one was left. Inside a transaction."""
    room = CHUNK
    while room and (place := _place(campaign)) is not None:
        list_id = campaign.list_id if isinstance(place, Campaign) else place.list_id
        leads = _next_leads(campaign, list_id, place.enrolled_to, room)
        if leads:
            enrol(campaign, leads, at)
        finished, room = len(leads) < room, room - len(leads)
        place.enrolled_to = MAX_ID if finished else leads[-1].id  # people added to the list later do not join
        session().flush()
    return _place(campaign) is not None


def _place(campaign: Campaign) -> Campaign | CampaignList | None:
    """Return the row with the progress of the next list: the campaign for its first list; None after the last."""
    return campaign if campaign.enrolled_to < MAX_ID else next(iter(further(campaign, unfinished=True)), None)


def further(campaign: Any, *, unfinished: bool = False) -> Sequence[CampaignList]:
    """Return the lists of the campaign besides its first, in order."""
    query = sa.select(CampaignList).where(CampaignList.campaign_id == campaign.id)
    query = query.where(CampaignList.enrolled_to < MAX_ID) if unfinished else query
    return session().scalars(query.order_by(CampaignList.added_at, CampaignList.list_id)).all()


def enrol(campaign: Campaign, leads: Sequence[Any], at: datetime, *, joins: bool = False) -> int:
    """Enrol these leads, each with a sender or excluded with the reason; return the number of new ones.

    A person is in a campaign once, whatever lists they are on. A lead that matches a do-not-contact entry which can
    still be undone is enrolled on hold. Who `joins` came into a list of an open campaign.
    """
    leads = _not_enrolled(campaign, leads)
    if not leads:
        return 0
    blocked = never_contact.blocked_people(campaign.workspace_id, {lead.person_id for lead in leads})
    ways_back = never_contact.undoable(campaign.workspace_id) if blocked else {}
    held = {person_id: ways_back[entry.id] for person_id, entry in blocked.items() if entry.id in ways_back}
    answers = gate.ask(campaign, [lead.person_id for lead in leads], at)
    tally, rows = Tally(), []
    offset = session().scalar(sa.select(sa.func.count()).where(CampaignLead.campaign_id == campaign.id)) or 0
    for one in _placed(campaign, leads, at, offset):
        verdict = answers[one.lead.person_id].verdict
        reason = verdict.code if verdict and verdict.effect != "wait" and one.lead.person_id not in held else ""
        row = _row(campaign, one, reason, at)
        rows.append(row | {"joined_at": at if joins else None})
        tally.add(campaign.id, leads=1, **{row["state"]: 1})
    session().execute(insert(CampaignLead), rows)
    tally.write()
    _tell_held(campaign, [row["person_id"] for row in rows if row["reason"] == HELD])
    _hold_up(campaign, held)
    _hold_duplicates(campaign, [row["person_id"] for row in rows if row["state"] in OPEN_STATES])
    if campaign.approval:
        session().flush()
        drafting.write(campaign.id, at, in_list(CampaignLead.lead_id, [lead.id for lead in leads]))
    return len(rows)


def _tell_held(campaign: Campaign, person_ids: Sequence[int]) -> None:
    theirs = (CampaignLead.campaign_id == campaign.id, in_list(CampaignLead.person_id, person_ids))
    query = sa.select(CampaignLead).where(*theirs).order_by(CampaignLead.id)
    campaign_leads.tell_held(session().scalars(query).all() if person_ids else ())


def _hold_up(campaign: Campaign, held: Mapping[int, Job]) -> None:
    """Put these people on hold until it is settled whether they may be contacted."""
    theirs = (CampaignLead.campaign_id == campaign.id, in_list(CampaignLead.person_id, list(held)))
    query = sa.select(CampaignLead).where(*theirs, CampaignLead.state.in_(OPEN_STATES)).order_by(CampaignLead.id)
    for person in session().scalars(query).all() if held else ():
        campaign_leads.pause_for(person, "never_contact")
        way_back = held[person.person_id]
        way_back.payload = way_back.payload | {"people": [*way_back.payload["people"], person.id]}


def _hold_duplicates(campaign: Campaign, person_ids: Sequence[int]) -> None:
    """Hold those who may be someone whom a campaign contacts already, until a member merges or resumes them."""
    earlier, other = aliased(CampaignLead), aliased(Person)
    under_way = earlier.state.in_(UNENDED_STATES)
    written_to = sa.and_(earlier.campaign_id == campaign.id, earlier.contacted.is_(True))
    query = (
        sa.select(CampaignLead)
        .where(CampaignLead.campaign_id == campaign.id, CampaignLead.state.in_(OPEN_STATES))
        .join(Person, Person.id == CampaignLead.person_id)
        .join(earlier, earlier.id < CampaignLead.id)
        .join(other, other.id == earlier.person_id)
        .where(sa.or_(under_way, written_to))
    )
    for alike in duplicates.alike_by_name(other):
        theirs = query.where(alike, in_list(CampaignLead.person_id, person_ids))
        for person in session().scalars(theirs).unique().all() if person_ids else ():
            campaign_leads.pause_for(person, "possible_duplicate")
        session().flush()


def unfinished(campaign: Campaign) -> bool:
    """Return whether some of the lists is not enrolled yet."""
    rest = [(one.list_id, one.enrolled_to) for one in further(campaign, unfinished=True)]
    return any(_next_leads(campaign, *one, 1) for one in [(campaign.list_id, campaign.enrolled_to), *rest])


def stop_all(campaign: Campaign, reason: str, at: datetime) -> None:
    """Stop every active lead. Inside a transaction."""
    still = UNENDED_STATES
    counted = session().execute(
        sa.select(CampaignLead.state, sa.func.count())
        .where(CampaignLead.campaign_id == campaign.id, CampaignLead.state.in_(still))
        .group_by(CampaignLead.state)
    )
    tally = Tally()
    for state, number in counted:
        tally.add(campaign.id, **{state: -number, "stopped": number})
    change_rows(
        sa.update(CampaignLead)
        .where(CampaignLead.campaign_id == campaign.id, CampaignLead.state.in_(still))
        .values(state=LeadState.STOPPED, reason=reason, due_at=None, next_budget="", finished_at=at, approval_id=None)
    )
    release.discard_all(campaign.id, reason, at)
    open_tasks.drop(CampaignLead.campaign_id == campaign.id)
    tally.write()


def _next_leads(campaign: Campaign, list_id: int | None, after: int, limit: int) -> Sequence[Any]:
    if list_id is None:
        return []
    query = (
        sa.select(Lead)
        .where(Lead.list_id == list_id, Lead.id > after)
        .where(Lead.workspace_id == campaign.workspace_id)
        .order_by(Lead.id)
        .limit(limit)
    )
    return session().scalars(query).all()


def _not_enrolled(campaign: Campaign, leads: Sequence[Any]) -> list[Any]:
    ours = (CampaignLead.workspace_id == campaign.workspace_id, CampaignLead.campaign_id == campaign.id)
    those = in_list(CampaignLead.person_id, [lead.person_id for lead in leads])
    known = set(session().scalars(sa.select(CampaignLead.person_id).where(*ours, those)))
    fresh: dict[int, Any] = {}
    for lead in leads:
        if lead.person_id not in known:
            fresh.setdefault(lead.person_id, lead)
    return list(fresh.values())


def _senders(campaign: Campaign) -> tuple[list[int], list[int]]:
    """Return the ids of the campaign's social accounts and mailboxes that still exist, in its order."""
    query = sa.select(Account.id, Account.channel).where(
        Account.id.in_([*campaign.account_ids, *campaign.mailbox_ids]),
        Account.workspace_id == campaign.workspace_id,
    )
    channels = dict(session().execute(query).all())
    return (
        [account_id for account_id in campaign.account_ids if channels.get(account_id) == Channel.SOCIAL],
        [mailbox_id for mailbox_id in campaign.mailbox_ids if mailbox_id in channels],
    )


def _talking_to(campaign: Campaign, leads: Sequence[Any]) -> dict[int, int]:
    """Return the social sender that already talks with a person who has replied, by person."""
    query = (
        sa.select(Conversation.person_id, Conversation.sender_id)
        .where(
            Conversation.workspace_id == campaign.workspace_id,
            in_list(Conversation.person_id, [lead.person_id for lead in leads]),
            Conversation.channel == Channel.SOCIAL,
            THEY_WROTE,
        )
        .order_by(Conversation.last_message_at)
    )
    return dict(session().execute(query).all())


class _Joining(NamedTuple):
    """A lead that joins, with the senders they get."""

    person_id: int
    account_id: int | None
    mailbox_id: int | None
    lead: Any


class _Placed(NamedTuple):
    """A lead with the senders and the first place they get; behind the last step, no step can reach them."""

    lead: Any
    standing: LeadStatus
    place: Position


def _placed(campaign: Any, leads: Sequence[Any], at: datetime, offset: int = 0) -> list[_Placed]:
    """Return where these leads begin; the senders are dealt out to them from the one at `offset` on."""
    accounts, mailboxes = _senders(campaign)
    talking = _talking_to(campaign, leads) if accounts else {}
    joining = []
    for number, lead in enumerate(leads, offset):
        account = accounts[number % len(accounts)] if accounts and lead.public_id else None
        if lead.public_id and (partner := talking.get(lead.person_id)) in accounts:
            account = partner
        mailbox = mailboxes[number % len(mailboxes)] if mailboxes else None
        joining.append(_Joining(lead.person_id, account, mailbox, lead))
    friends = connections.known(campaign.workspace_id, {one.person_id: one.account_id for one in joining})
    flow = Flow.of(campaign)
    facts = condition_facts.of_many(flow, joining, at)
    dead = _dead_addresses(campaign.workspace_id, leads)
    found = []
    for person_id, account, mailbox, lead in joining:
        connection = Connection.ACCEPTED if person_id in friends else Connection.NONE
        has_email = bool(lead.email) and lead.email not in dead
        standing = LeadStatus(account, mailbox, connection, None, None, False, has_email, None)
        standing = standing._replace(
            wait_for_profile=campaign.wait_for_profile and not lead.public_id,
            facts=facts.get(person_id, NOTHING_KNOWN),
        )
        found.append(_Placed(lead, standing, next_step.first_place(flow, standing, at)))
    return found


def _dead_addresses(workspace_id: int, leads: Sequence[Any]) -> set[str]:
    """Return the email addresses of these leads that checks found undeliverable."""
    here = (AddressCheck.workspace_id == workspace_id, in_list(AddressCheck.address, [one.email for one in leads]))
    query = sa.select(AddressCheck.address).where(*here, AddressCheck.verdict == Verdict.UNDELIVERABLE)
    return set(session().scalars(query))


def out_of_reach(campaign: Any, leads: Sequence[Any], at: datetime) -> dict[int, str]:
    """Return why no step of the campaign can reach these people, by person; those it can reach are not in it.

    A lead has `person_id`, `public_id` and `email`. Without steps or senders, nothing can be said yet.
    """
    if not campaign.sequence or not (campaign.account_ids or campaign.mailbox_ids):
        return {}
    found = {one.lead.person_id: _missing(campaign, one) for one in _placed(campaign, leads, at)}
    return {person_id: reason for person_id, reason in found.items() if reason}


def _row(campaign: Campaign, placed: _Placed, reason: str, at: datetime) -> dict[str, Any]:
    lead, standing, place = placed
    row: dict[str, Any] = {
        "workspace_id": campaign.workspace_id,
        "campaign_id": campaign.id,
        "lead_id": lead.id,
        "person_id": lead.person_id,
        "account_id": standing.account_id,
        "mailbox_id": standing.mailbox_id,
        "wait_for_profile": standing.wait_for_profile,
        "paused_from": "",
        "connection": standing.connection,
        "replied": False,
        "sentiment": "",
        "contacted": False,
        "messages_sent": 0,
        "error": "",
        "enrolled_at": at,
    }
    row.update(place.columns(), finished_at=None, route=place.route)
    if reason == HELD:
        row.update(state=LeadState.PAUSED, paused_from=row["state"], reason=reason)
    elif reason := reason or _missing(campaign, placed):
        row.update(state=LeadState.EXCLUDED, reason=reason, due_at=None, next_budget="", finished_at=at)
    return row


def _missing(campaign: Any, placed: _Placed) -> str:
    """Return why no step can reach the lead; '' when one can."""
    lead, standing, place = placed
    if place.step < len(campaign.sequence):
        return ""
    if standing.connection == Connection.ACCEPTED or place.route:  # the remaining steps are for people of another side
        return "no_step"
    if any(STEPS[step["type"]].channel == Channel.EMAIL for step in campaign.sequence):
        if standing.has_email:
            return "no_account"
        return "undeliverable" if lead.email else "no_email"
    if not lead.public_id:
        return "no_profile"
    return "no_step" if standing.account_id else "no_account"
