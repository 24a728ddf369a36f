"""Apply inbound activity inside a transaction: acceptances, replies, bounces and manual actions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_list, session
from app.core.mail import markup
from app.domain.approvals import drafting
from app.domain.campaigns import reply_actions
from app.domain.conversations import messages, search_index
from app.domain.engine.inbound import bounces, manual_activity, match_contact
from app.domain.engine.manual import ledger_entry, recipients
from app.domain.engine.outbound import settle
from app.domain.engine.outbound.doubt import MAYBE_INVITED
from app.domain.engine.outbound.open_intents import intents_of
from app.domain.engine.outbound.settle import Outcome
from app.domain.leads import tags
from app.domain.leads.campaign_leads import campaign_leads, company_decisions
from app.domain.ledger import invite_health
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts
from app.domain.people.exclusions import never_contact
from app.domain.replies import reading as replies
from app.domain.replies.reading import Letter, Reading, What
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import wake
from app.domain.tasks import opt_out_questions, referrals, tasks
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.accounts import Account, Channel
from app.models.campaigns import (
    CAMPAIGN_LEAD,
    ENDED_STATES,
    OPEN_STATES,
    Campaign,
    CampaignLead,
    Connection,
    LeadState,
)
from app.models.conversations import Conversation, Direction, Message, Sentiment
from app.models.leads import Lead
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import Accepted, Bounced, ByHand, Incoming, Receipt, Received, RecipientRefused, SenderAction
from app.resources.event_data import EventAbsence

AUTO_TAGS = {"positive", "negative", "generic"}
MOST_QUOTED = 10  # of our newest messages, which a reply may quote


def apply_inbound(account: Account, items: Sequence[Incoming], at: datetime) -> None:
    """Apply inbound items to people, conversations, counters and events."""
    if not items:
        return
    workspace = session().get_one(Workspace, account.workspace_id)
    prove(account, items)
    matched = match_contact.match(account, items)
    erased = never_contact.is_erased(workspace.id, {one.item.person for one in matched})
    for one in matched:
        match one.item:
            case item if item.person in erased:
                continue  # an erased person: nothing about them is stored again
            case Accepted() as item:
                _accepted(workspace, account, item, one.person_id)
            case Received() as item:
                _received(workspace, account, item, match_contact.person_of(workspace, one))
            case Bounced() as item:
                reached = _on_their_way(account, one.person_id)
                bounces.handle_bounce(workspace, account, item, one.person_id, reached)
            case ByHand() as item:
                manual_activity.record_manual_action(account, item, match_contact.person_of(workspace, one))
    session().flush()
    invite_health.refresh_invite_health([account.id], at)


def apply_refusal(account_id: int, action: SenderAction, refusal: RecipientRefused, at: datetime) -> None:
    """Apply a refused recipient as a bounce; the email was recorded as sent. Inside a transaction."""
    account = session().get_one(Account, account_id, populate_existing=True, with_for_update=True)
    about = (action.person.email, at, f"refused:{action.token}", refusal.sentence, refusal.final, action.token)
    apply_inbound(account, [Bounced(*about)], at)


def _on_their_way(account: Account, person_id: int | None, *where: sa.ColumnElement[bool]) -> Sequence[CampaignLead]:
    """Return the active campaign leads that this sender handles for the person, newest first."""
    mine = CampaignLead.mailbox_id if account.channel == Channel.EMAIL else CampaignLead.account_id
    query = (
        sa.select(CampaignLead)
        .where(CampaignLead.workspace_id == account.workspace_id, CampaignLead.person_id == (person_id or 0))
        .where(mine == account.id, *where)
        .order_by(CampaignLead.id.desc())
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return session().scalars(query).all()


# An acceptance can arrive before the provider's response to the invitation itself, or when that was lost.
_BEING_INVITED = sa.exists().where(
    Action.campaign_lead_id == CampaignLead.id, Action.kind == "connection_request", Action.check_at.is_not(None)
)
# A withdrawn invitation can still be accepted, as the network carries out a withdrawal late.
_INVITED = (
    CampaignLead.connection != Connection.ACCEPTED,
    sa.or_(CampaignLead.invited_at.is_not(None), _BEING_INVITED),
)


def _accepted(workspace: Workspace, account: Account, item: Accepted, person_id: int | None) -> None:
    invited = _on_their_way(account, person_id, *_INVITED)
    person = min(invited, key=lambda one: (one.connection != Connection.SENT, one.invited_at is not None), default=None)
    if person is None:
        for maybe in _on_their_way(account, person_id, MAYBE_INVITED):
            maybe.accepted_at = item.at  # it takes effect once the invitation has been found
        return
    campaign, lead = _of(person)
    person.connection, person.accepted_at, person.hand_over_to = Connection.ACCEPTED, item.at, None
    tally = Tally()
    tally.add(person.campaign_id, accepted=1)
    before = person.state
    if before == LeadState.AWAITING_ACCEPT:
        CAMPAIGN_LEAD.move(person, "accept")
        waited_from = person.step_due_at
        place = condition_facts.place_of(campaign, person, bool(lead.email), item.at, step_due_at=waited_from)
        place.give(person)
        tally.move(person.campaign_id, before, person.state)
        wake.wake_senders([person.sender_id], max(item.at, person.due_at or item.at))
    change_rows(
        sa.update(Action)
        .where(Action.campaign_lead_id == person.id, Action.kind == "connection_request", Action.part >= 0)
        .values(accepted_at=item.at)
    )
    session().flush()
    tally.write()
    if drafting.write(campaign.id, item.at, CampaignLead.id == person.id):
        session().refresh(person)
    about = {"campaign": campaign, "lead": lead, "account": account, "progress": person}
    events.record(workspace.id, [events.new("invite_accepted", item.at, about)])


def accept_found(campaign_lead_ids: Sequence[int]) -> None:
    """Apply acceptances that came before their invitations were found, in a restored copy. Inside a transaction."""
    if not campaign_lead_ids:
        return
    known = (CampaignLead.accepted_at.is_not(None), CampaignLead.connection == Connection.SENT)
    query = sa.select(CampaignLead).where(in_list(CampaignLead.id, campaign_lead_ids), *known)
    for person in session().scalars(query.execution_options(populate_existing=True)).all():
        workspace = session().get_one(Workspace, person.workspace_id)
        sender, accepted_at = session().get_one(Account, person.account_id), person.accepted_at
        if accepted_at:
            _accepted(workspace, sender, Accepted("", accepted_at, ""), person.person_id)


def _of(person: CampaignLead) -> tuple[Campaign, Lead]:
    return session().get_one(Campaign, person.campaign_id), session().get_one(Lead, person.lead_id)


def _event(kind: str, at: datetime, person: CampaignLead | None, **more: Any) -> NewEvent:
    """Return an event with the campaign and the lead of this campaign lead, if there is one."""
    campaign, lead = _of(person) if person else (None, None)
    return events.new(kind, at, {"campaign": campaign, "lead": lead, **more})


def _received(workspace: Workspace, account: Account, item: Received, person_id: int) -> None:
    ours = _ours(account, person_id) if item.kind == "email" else []
    reading = replies.read(Letter(item.text, item.at, item.subject, item.automatic, item.form, ours))
    message = messages.incoming(
        account,
        person_id,
        kind=item.kind,
        text=item.text,
        subject=item.subject,
        ref=item.ref,
        at=item.at,
        automatic=not reading.is_reply,
        parties=item.parties,
        files=item.files,
    )
    if message is None:
        return
    if reading.is_reply:
        recipients.offer(workspace, account, message, person_id, item.parties)
    touched = [
        person for person in _on_their_way(account, person_id) if person.contacted or person.state != LeadState.EXCLUDED
    ]
    if reading.referral is not None:
        referrals.note(workspace, person_id, message.conversation_id, reading.referral)
    if reading.away_until is not None:
        for person in touched:
            _away(person, reading)
        _tell_absence(account, message, touched, reading.away_until, item.at)
    if reading.is_reply:
        _answered(workspace, account, message, touched, reading, item)
    if reading.what == What.GONE:
        _end_for_former_employee(workspace, person_id, reading, item.at)


def _ours(account: Account, person_id: int) -> list[str]:
    """Return what this sender wrote to the person, newest first: the person may quote it."""
    query = (
        sa.select(Message.text)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .where(Conversation.sender_id == account.id, Conversation.person_id == person_id)
        .where(Message.direction == Direction.OUT)
        .order_by(Message.at.desc(), Message.id.desc())
    )
    texts = [*session().scalars(query.limit(MOST_QUOTED)), *filter(None, [account.signature])]
    return [reading for text in texts for reading in markup.readings(text)]


def _answered(
    workspace: Workspace,
    account: Account,
    message: Message,
    touched: Sequence[CampaignLead],
    reading: Reading,
    item: Received,
) -> None:
    """End the person's sequences, count the reply, and do what the reply asks for, such as an unsubscription."""
    person_id = session().get_one(Conversation, message.conversation_id).person_id
    message.sentiment = reading.sentiment
    current = next((person for person in touched if person.contacted), None) or _perhaps_reached(touched)
    message.campaign_lead_id = current.id if current else None
    _keep_thread(message, current, reading)
    happenings = [_event("every_reply", item.at, current, account=account, progress=current, message=message)]
    if current is not None:
        happenings += _first_reply(account, message, current, item.at, reading)
    for person in touched:
        if person is not current and person.state not in ENDED_STATES:
            campaign_leads.finish(person, "stop", "replied", item.at)
    _leave_to(account, person_id, item.at)
    session().flush()
    events.record(workspace.id, happenings)
    _remember(workspace, message, person_id, reading, item.at)  # its events follow the reply's
    _tag(workspace, account, message, current, reading, item)
    tones = [reading.sentiment, *([reply_actions.NOT_NOW] if reading.postponement else [])]
    reply_actions.run(workspace, message, current, tones, item.at)
    if reading.what == What.STOP:
        never_contact.add_person(workspace, person_id, "Asked not to be contacted.")
        _tell_unsubscription(workspace, person_id, current, item.at)
    if reading.what == What.UNSURE:
        opt_out_questions.ask(workspace, person_id, message.conversation_id, reading.sentence)


def _end_for_former_employee(workspace: Workspace, person_id: int, reading: Reading, at: datetime) -> None:
    """End every campaign for a person who has left; if their own mailbox says so, its address counts as dead."""
    for one in campaign_leads.still_there(workspace.id, person_id):
        campaign_leads.finish(one, "stop", "gone", at, reading.sentence)
    address = session().get_one(Person, person_id).email
    if reading.by_machine and address:
        never_contact.add(workspace, [("email", address)], reason=f"No longer at this company: “{reading.sentence}”")


def _tell_unsubscription(workspace: Workspace, person_id: int, current: CampaignLead | None, at: datetime) -> None:
    how = {"how": "reply", "address": session().get_one(Person, person_id).email or None}
    events.record(workspace.id, [_event("unsubscribed", at, current, unsubscription=how)])


def _perhaps_reached(people_: Sequence[CampaignLead]) -> CampaignLead | None:
    """Return the lead whose last message has an unknown outcome: a reply shows that it arrived."""
    said = [name for name, step in STEPS.items() if step.reaches and not step.by_hand]
    doubtful = (Action.check_at.is_not(None), Action.kind.in_(said))
    query = sa.select(Action.campaign_lead_id).where(in_list(Action.campaign_lead_id, [one.id for one in people_]))
    ids = set(session().scalars(query.where(*doubtful))) if people_ else set()
    return next((person for person in people_ if person.id in ids), None)


def _leave_to(account: Account, person_id: int, at: datetime) -> None:
    """Stop other senders for a person in conversation with this one."""
    for person in campaign_leads.still_there(account.workspace_id, person_id):
        campaign_leads.finish(person, "stop", "other_conversation", at)


def _away(person: CampaignLead, reading: Reading) -> None:
    """Pause the lead until an out-of-office person is back; the notice counts as no reply."""
    if person.state in OPEN_STATES:
        campaign_leads.pause_for(person, "out_of_office")
    if person.state == LeadState.PAUSED and person.reason == "out_of_office":
        person.due_at, person.next_budget = reading.away_until, "back"


def _tell_absence(
    account: Account, message: Message, touched: Sequence[CampaignLead], until: datetime, at: datetime
) -> None:
    current = next((person for person in touched if person.contacted), None)
    session().flush()
    about = {"account": account, "progress": current, "message": message, "absence": EventAbsence.of(until)}
    events.record(account.workspace_id, [_event("out_of_office", at, current, **about)])


def _keep_thread(message: Message, current: CampaignLead | None, reading: Reading) -> None:
    thread = session().get_one(Conversation, message.conversation_id)
    # A neutral reply such as "OK, thanks" does not cancel an earlier yes.
    if reading.sentiment != Sentiment.GENERIC or not thread.sentiment:
        thread.sentiment = reading.sentiment
        search_index.index_tone([thread.id])
    if current is not None:
        thread.campaign_id, thread.lead_id = current.campaign_id, current.lead_id


def _first_reply(
    account: Account, message: Message, person: CampaignLead, at: datetime, reading: Reading
) -> list[NewEvent]:
    """End the sequence at the first reply, count it and return its events; of a later one, count the sentiment."""
    if person.replied:
        if reading.sentiment != Sentiment.GENERIC:  # as for the conversation
            campaign_leads.count_tone(person, reading.sentiment)
        return []
    campaign_leads.count_reply(person, at, reading.sentiment)
    if person.state not in ENDED_STATES:
        campaign_leads.finish(person, "finish", "replied", at)
    kind = "inmail_reply" if _last_kind(person) == "inmail" else "message_reply"
    return [_event(kind, at, person, account=account, progress=person, message=message)]


def _last_kind(person: CampaignLead) -> str:
    """Return the kind of the last message we sent to the lead."""
    said = [name for name, step in STEPS.items() if step.reaches]
    query = (
        sa.select(Action.kind)
        .where(Action.campaign_lead_id == person.id, Action.kind.in_(said))
        .where(Action.state.in_([ActionState.SENT, ActionState.UNKNOWN]))
        .order_by(Action.at.desc(), Action.id.desc())
        .limit(1)
    )
    return session().scalar(query) or "message"


def _remember(workspace: Workspace, message: Message, person_id: int, reading: Reading, at: datetime) -> None:
    """Store the sentiment of the person's reply, and hold their company until a member decides."""
    person = session().get_one(Person, person_id, with_for_update=True)
    person.replied_at = max(person.replied_at or at, at)
    # A neutral reply such as "OK, thanks" does not cancel an earlier yes.
    if reading.sentiment != Sentiment.GENERIC or not person.answer:
        person.answer = reading.sentiment
    session().flush()
    drafted = sa.select(CampaignLead.campaign_id).where(
        CampaignLead.person_id == person_id, CampaignLead.approval_id.is_not(None)
    )
    for campaign in session().scalars(sa.select(Campaign).where(Campaign.id.in_(drafted)).order_by(Campaign.id)).all():
        drafting.recheck(campaign, at, CampaignLead.person_id == person_id)
    if said := reading.postponement:
        tasks.come_back(workspace, person, message.conversation_id, said.until, said.said, guessed=not said.named)
    elif reading.sentiment != Sentiment.GENERIC:
        tasks.forget_come_back(person)
    if reading.wants_out and not workspace.opt_out_holds_company:
        return
    company_decisions.hold_company(person, message.conversation_id, at, opt_out=reading.wants_out)


def _tag(
    workspace: Workspace,
    account: Account,
    message: Message,
    person: CampaignLead | None,
    reading: Reading,
    item: Received,
) -> None:
    """Tag the lead with the sentiment of the last positive or negative reply, and emit both tag events."""
    if person is None:
        return
    lead = session().get_one(Lead, person.lead_id)
    former = next((tag for tag in lead.tags if tag in AUTO_TAGS), None)
    changes = former != reading.sentiment and not (former and reading.sentiment == Sentiment.GENERIC)
    add, remove = ([reading.sentiment], [former] if former else []) if changes else ([], [])
    tag = {
        "label": reading.sentiment,
        "sentiment": reading.sentiment,
        "former": former if changes else None,
        "added": add,
        "removed": remove,
    }
    about = {"account": account, "progress": person, "message": message, "tag": tag}
    events.record(workspace.id, [_event(f"lead_auto_tagged_{reading.sentiment}", item.at, person, **about)])
    if changes:
        tags.tag(workspace, [lead.id], add=add, remove=remove)


_ACTIONS: Any = Action.__table__


def prove(account: Account, items: Sequence[Incoming]) -> None:
    """Mark unknown actions as done when an inbound item answers them. Inside a transaction."""
    proofs = {one.token: one.proof for one in items if isinstance(one, Received | Bounced) and one.token and one.proof}
    if not proofs:
        return
    query = sa.select(_ACTIONS).where(
        _ACTIONS.c.sender_id == account.id, in_list(_ACTIONS.c.token, proofs), _ACTIONS.c.check_at.is_not(None)
    )
    found = session().execute(query).all()
    by_campaigns = intents_of([row for row in found if row.step != BY_HAND_STEP])
    settle.record_results([Outcome(intent, receipt=Receipt(proofs[row.token], row.at)) for row, intent in by_campaigns])
    for row in found:
        letter = ledger_entry.load(session().get_one(Action, row.id), row.at) if row.step == BY_HAND_STEP else None
        if letter:
            ledger_entry.settle(letter, Receipt(proofs[row.token], row.at))
