"""Bounces: stop writing to an address that does not exist or bounces repeatedly, and stop a sender that is refused.

A bounce that is the sender's fault (reputation, signatures, rates, complaints) says nothing about the address: it
stays usable, and the sender stops until a member resumes it. Too many bounces stop a mailbox or campaign likewise.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.conversations import messages
from app.domain.enrichment import address_checks, enrichment
from app.domain.enrichment.address_checks import Finding
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.senders import deliverability
from app.domain.webhooks import events
from app.models.accounts import Account
from app.models.campaigns import CAMPAIGN, ENDED_STATES, Campaign, CampaignLead
from app.models.conversations import Message
from app.models.leads import Lead
from app.models.ledger import BY_HAND_STEP, TEST_STEP, Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import Bounced, Parties, Verdict

MOST_REFUSED, REFUSED_WITHIN = 2, timedelta(days=1)  # people whose mail came back because of the sender
REFUSED = "Switched off because mail servers reject this sender's email. The last response: {}"
MOST, WITHIN = 3, timedelta(days=30)  # so many emails in so long, for whatever reason, and the address counts as dead
OFTEN = "{} emails to {} bounced within {} days. The last one: {}"


def handle_bounce(
    workspace: Workspace, account: Account, item: Bounced, person_id: int | None, reached: Sequence[CampaignLead]
) -> None:
    """Handle a bounced email: fail the leads of a dead address and never write to it again. Inside a transaction.

    What is the sender's fault counts against the sender alone. `reached` are the leads that this mailbox handles.
    """
    if _was_in_copy(account, item):
        if item.final and not item.ours:
            _give_up(workspace, item.person, item.sentence, gone=True)
        return
    mail = _mark(account, item, person_id)
    if item.ours:
        _stop_if_refused(account, item, workspace.now())
    if mail is not None:
        _stop_if_too_many(workspace, account, mail)
    known = session().get(Person, person_id or 0)
    sentence = item.sentence if item.final else "" if item.ours else _too_often(workspace, item, known)
    if known and sentence:  # otherwise a later email may arrive, as when a mailbox was full
        address = _address(item, known)
        for person in reached if address == known.email else ():
            if person.state not in ENDED_STATES:
                campaign_leads.finish(person, "fail", "bounced", item.at, sentence)
        if address:
            _give_up(workspace, address, sentence, gone=item.final and not item.ours)
    _tell(account, item, mail, person_id, bool(sentence))


def _was_in_copy(account: Account, item: Bounced) -> bool:
    """Return whether the email came back from someone in Cc alone; it may well have reached the person."""
    query = sa.select(Message.letter).join(Action, Action.id == Message.action_id)
    letter = session().scalar(query.where(Action.sender_id == account.id, Action.token == (item.token or None)))
    return item.person in {one.address.lower() for one in Parties.of(letter).cc}


def _address(item: Bounced, known: Person) -> str:
    """Return which of the person's addresses is dead; a forwarding server may report an address that we don't know."""
    is_another = text.mailbox(item.person) != text.mailbox(known.email) if "@" in item.person else False
    theirs = identities.of_people([known.id])[known.id] if is_another else ()
    return item.person if identities.of_handle(item.person) in theirs else known.email


def _give_up(workspace: Workspace, address: str, sentence: str, *, gone: bool) -> None:
    """Never write to the address again; `gone` also stores it as checked and invalid."""
    never_contact.add(workspace, [("email", address)], reason=sentence)
    enrichment.refund(workspace, address)
    if gone:
        address_checks.keep(workspace, address, Finding(Verdict.UNDELIVERABLE, "refused"))


def _tell(account: Account, item: Bounced, mail: Action | None, person_id: int | None, permanent: bool) -> None:
    """Record the event once per email, however many servers report it and however often a report is read."""
    current = session()
    current.flush()
    person = current.get(CampaignLead, mail.campaign_lead_id) if mail and mail.campaign_lead_id else None
    campaign = current.get(Campaign, person.campaign_id) if person else None
    lead = current.get(Lead, person.lead_id) if person else None
    known = current.get(Person, mail.person_id if mail and mail.person_id else person_id or 0)
    bounce = {
        "address": (_address(item, known) if known else "") or item.person,
        "reason": item.sentence,
        "permanent": permanent and not item.ours,
        "senderAtFault": item.ours,
    }
    about = {"campaign": campaign, "lead": lead, "account": account, "progress": person, "bounce": bounce}
    once = f"email_bounced:{mail.id}" if mail else f"email_bounced:{account.id}:{item.person}:{item.at.isoformat()}"
    events.record(account.workspace_id, [events.new("email_bounced", item.at, about, once)])


def _mark(account: Account, item: Bounced, person_id: int | None) -> Action | None:
    """Record the bounce in the ledger once, however many servers report it."""
    ours = (Action.sender_id == account.id, Action.kind == "email", Action.state == ActionState.SENT)
    named = Action.token == item.token if item.token else Action.person_id == (person_id or 0)
    query = (
        sa.select(Action)
        .where(*ours, Action.step != TEST_STEP, named)
        .order_by(Action.at.desc(), Action.id.desc())
        .limit(1)
    )
    if mail := session().scalars(query.with_for_update().execution_options(populate_existing=True)).first():
        mail.error, mail.sender_fault = item.sentence, item.ours
        session().flush()
        complained = item.final and item.ours  # a complaint means that the email had arrived
        if mail.step == BY_HAND_STEP and not complained:
            for message in session().scalars(sa.select(Message).where(Message.action_id == mail.id)):
                messages.fail(message, item.sentence)
    return mail


def _stop_if_refused(account: Account, item: Bounced, at: datetime) -> None:
    """Switch the sender off when the mail of several people came back because of it."""
    since = max(item.at - REFUSED_WITHIN, account.status_at or item.at - REFUSED_WITHIN)
    recent = (Action.sender_id == account.id, Action.sender_fault, Action.at > since)
    refused = session().scalar(sa.select(sa.func.count(sa.distinct(Action.person_id))).where(*recent)) or 0
    if refused >= MOST_REFUSED and account.active:
        account.active, account.status_at = False, at
        account.status_reason = REFUSED.format(item.sentence)


def _stop_if_too_many(workspace: Workspace, account: Account, mail: Action) -> None:
    """Pause a mailbox or campaign when too many of its last emails bounced, until a member resumes it.

    Not in the sandbox: a bounce does no harm there, and more emails bounce than should in real use.
    """
    at = workspace.now()
    if workspace.sandbox:
        return
    if account.active and (found := deliverability.recent_of(account)).is_too_high:
        account.active, account.status_at = False, at
        account.status_reason = found.said("switch it on")
    campaign = session().get(Campaign, mail.campaign_id or 0, with_for_update=True)
    if campaign is None or not CAMPAIGN.allows(campaign, "pause"):
        return
    found = deliverability.recent(Action.campaign_id == campaign.id, campaign.bounced_at)
    if found.is_too_high:
        CAMPAIGN.move(campaign, "pause")
        campaign.error, campaign.bounced_at = found.said("resume"), at
        campaigns.tell(campaign, "campaign_paused", at)


def _too_often(workspace: Workspace, item: Bounced, known: Person | None) -> str:
    """Return why repeated bounces make the address dead, or '' while they are too few."""
    back = (Action.kind == "email", Action.state == ActionState.SENT, Action.error != "")
    theirs = (Action.person_id == (known.id if known else 0), Action.at > item.at - WITHIN, ~Action.sender_fault)
    count = session().scalar(sa.select(sa.func.count()).select_from(Action).where(*theirs, *back)) or 0
    if count < MOST or known is None:
        return ""
    return OFTEN.format(count, known.email or "this address", WITHIN.days, item.sentence)
