"""Test sends: one step with a person's values, emailed to a member or another mailbox of ours, and how it arrived.

A test is written to the ledger before it is sent, like every action, but without a campaign lead: it counts for the
mailbox's daily limit only. A job sends the test once and then looks for it in the receiving mailbox.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.campaigns import campaigns
from app.domain.campaigns import preview as campaign_preview
from app.domain.engine import manual_send
from app.domain.engine.manual import ledger_entry
from app.domain.engine.manual.ledger_entry import ManualMessage
from app.domain.engine.outbound import begin
from app.domain.people.exclusions import unsubscribe_token
from app.domain.platform import audit_log, jobs, locks, restore_hold
from app.domain.rules.reasons import REASONS
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import accounts, provider_credentials
from app.models.accounts import Account, AccountStatus, Budget, Channel
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.ledger import TEST_STEP, Action, ActionState
from app.models.platform.jobs import Job, JobState
from app.models.workspaces import Membership, User, Workspace
from app.ports import TEST, Arrival, PersonRef, ProviderError, Receipt, SenderAction

KIND = "test_send"
MARK = "[Test] "
LOOKS, LOOK_AGAIN, WHILE_BUSY = 20, timedelta(seconds=15), timedelta(seconds=3)
CANNOT_TELL = "We can't confirm whether the test was sent. Check the mailbox, or send another test."


@dataclass(frozen=True)
class TestSend:
    """A test: waiting, sent, failed or unknown; `looking` is True while its arrival is being checked."""

    id: int
    step: int
    kind: str
    state: str
    sender: str
    to: str
    subject: str
    text: str
    error: str = ""
    signature: str = ""
    looking: bool = False
    readable: bool = False  # it went to one of the workspace's mailboxes, so its arrival can be checked
    arrival: Arrival | None = None


def choices(workspace: Workspace) -> tuple[list[Account], list[str]]:
    """Return the mailboxes that can send a test, and the addresses it may go to: members' and these mailboxes'."""
    mailboxes = [one for one in accounts.every(workspace) if one.channel == Channel.EMAIL and _can_send(one)]
    ours = sa.select(User.email).join(Membership, Membership.user_id == User.id).order_by(Membership.id)
    members = session().scalars(ours.where(Membership.workspace_id == workspace.id))
    return mailboxes, list(dict.fromkeys([*members, *(one.address for one in mailboxes)]))


def _can_send(account: Account) -> bool:
    return account.active and account.status == AccountStatus.CONNECTED


def send(workspace: Workspace, campaign_id: int, step: int, lead_id: int, sender_id: int, to: str) -> TestSend:
    """Queue a test of the step as this lead would get it; working hours do not delay it."""
    campaigns.check_may_contact(workspace)
    campaign, (mailboxes, addresses) = campaigns.get(workspace, campaign_id), choices(workspace)
    theirs = (Lead.id == lead_id, Lead.workspace_id == workspace.id, Lead.deleted_at.is_(None))
    lead, sender = session().scalar(sa.select(Lead).where(*theirs)), accounts.find(workspace, sender_id)
    if lead is None:
        raise InvalidRequest.of(("leadId", "Lead not found in this workspace."))
    if sender is None:
        raise InvalidRequest.of(("accountId", "Sender not found in this workspace."))
    address = next((one for one in addresses if one.casefold() == to.strip().casefold()), "")
    if sender not in mailboxes:
        raise Conflict(f"{sender.name} can't send emails right now.", recovery="Choose a connected mailbox.")
    if not address:
        raise Conflict("A test can only go to your team.", recovery="Use a member's address or a connected mailbox.")
    if not 0 <= step < len(campaign.sequence):
        raise Conflict("This campaign doesn't have that step.", recovery="Choose one of the campaign's steps.")
    subject, text = _written(workspace, campaign, step, lead, sender)
    receiver = next((one.id for one in mailboxes if one.address == address and one.provider == "smtp"), None)
    with transaction() as current:
        action = Action(
            workspace_id=workspace.id,
            sender_id=sender.id,
            person_id=lead.person_id,
            step=TEST_STEP,
            kind="email",
            budget=Budget.EMAIL,
            state=ActionState.AGAIN,
            token=TEST + secrets.token_hex(16),
            text=text,
            subject=subject,
            at=workspace.now(),
            attempts=0,
        )
        current.add(action)
        current.flush()
        payload = {"action": action.id, "campaign": campaign.id, "step": step, "to": address, "receiver": receiver}
        payload["kind"] = campaign.sequence[step]["type"]
        jobs.add(workspace, KIND, str(action.id), payload)
        audit_log.record(workspace, "campaign.tested", campaign.name, after={"step": step + 1, "to": address})
        job = jobs.waiting(workspace, KIND, str(action.id))
        assert job
        return _test_result(job, action, sender)


def _written(workspace: Workspace, campaign: Campaign, step: int, lead: Lead, sender: Account) -> tuple[str, str]:
    """Return the marked subject and the text; raise Conflict when this person would not get the step."""
    mine = campaign.sender_ids
    others = sorted(accounts.every(workspace), key=lambda one: one.id not in mine)
    had = campaign_preview.variants_had(campaign_preview.campaign_lead_of(campaign, lead))
    said = campaign_preview.preview(campaign.sequence, lead, [sender, *others], had)
    one, kind = said[step], STEPS[said[step].type]
    if one.problems:
        raise Conflict(one.problems[0], recovery="Change the step, or choose another person.")
    if not any(one.parts):
        raise Conflict("This step has no text to test.", recovery="Choose a step with text.")
    subject = one.subject
    if kind.name != "email":
        subject = f"{kind.label} to {lead.name}" + (f": {subject}" if subject else "")
    elif not subject:
        subject = "Re: " + next((before.subject for before in said[step::-1] if before.subject), "")
    return MARK + subject, "\n\n---\n\n".join(one.parts)


def find(workspace: Workspace, campaign_id: int, test_id: int) -> TestSend:
    """Return the test, or raise NotFound."""
    job = session().get(Job, test_id, populate_existing=True)
    ours = job is not None and job.workspace_id == workspace.id and job.kind == KIND
    if job is None or not ours or job.payload["campaign"] != campaign_id:
        raise NotFound("Test not found.")
    action = session().get(Action, job.payload["action"], populate_existing=True)
    if action is None:
        raise NotFound("Test not found.", recovery="The person in this test has been erased.")
    return _test_result(job, action, get_owned(Account, workspace, action.sender_id))


def _test_result(job: Job, action: Action, sender: Account) -> TestSend:
    is_open, given = job.state == JobState.OPEN, job.payload
    state = {ActionState.SENT: "sent", ActionState.FAILED: "failed", ActionState.UNKNOWN: "unknown"}.get(
        ActionState(action.state), "waiting"
    )
    if state == "waiting" and not is_open:  # the worker died, or the workspace may not send now
        state = "unknown" if action.state == ActionState.SENDING else "failed"
    arrival = Arrival(**given["arrival"]) if given.get("arrival") else None
    error = {"failed": action.error or job.error, "unknown": CANNOT_TELL}.get(state, "")
    return TestSend(
        job.id,
        given["step"],
        given["kind"],
        state,
        sender.address,
        given["to"],
        action.subject,
        action.text,
        error,
        sender.signature,
        looking=state == "sent" and is_open,
        readable=given["receiver"] is not None and sender.provider == "smtp",
        arrival=arrival,
    )


def run(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Send the test once, then look for it in its mailbox. A send that a dead worker began is not repeated."""
    action = session().get(Action, payload["action"], populate_existing=True)
    if action is None:
        return None
    if action.state == ActionState.AGAIN:
        return _send(workspace, action, payload, job)
    if action.state == ActionState.SENT and payload["receiver"] is not None:
        return _look(workspace, action, payload, job)
    return None


def _send(workspace: Workspace, action: Action, payload: Mapping[str, Any], job: Job) -> object:
    restore_hold.refuse_to_contact()
    campaigns.check_may_contact(workspace)
    at, sender = workspace.now(), get_owned(Account, workspace, action.sender_id)
    if not _can_send(sender):
        _fail(action.id, f"{sender.name} is not connected.")
        return None
    provider = ports.sender(sender.provider)
    lease = clock.now() + begin.MARGIN + timedelta(seconds=provider.patience)
    jobs.renew_lease(job, provider.patience)
    account = manual_send.taken(sender.id, lease)
    if account is None:  # the sender is busy
        return WHILE_BUSY
    with locks.changing(workspace.id):
        limit = ledger_entry.safety_limit(account, Budget.EMAIL, at)
        if limit:
            manual_send.release(account.id, lease, {})
        else:
            action.state, action.at, action.attempts = ActionState.SENDING, at, action.attempts + 1
            action.check_at = lease + timedelta(seconds=provider.quarantine)
    if limit:
        _fail(action.id, REASONS[limit.code][0] + ".")
        return None
    way_out = unsubscribe_token.token(workspace.id, unsubscribe_token.OF_TEST, payload["to"])
    said = (action.token, action.text, action.subject, at)
    asked = SenderAction("email", PersonRef(payload["to"], email=payload["to"]), *said, way_out=way_out)
    letter = ManualMessage(0, action.id, account, asked, at, action.attempts)
    is_sandbox = account.provider == "sandbox"  # its simulated people would reply to a test
    outcome = Receipt(action.token, at) if is_sandbox else manual_send.performed(account, letter)
    manual_send.record(workspace, letter, outcome, lease, found=False)
    session().refresh(action)
    if action.state == ActionState.AGAIN:
        _fail(action.id, action.error)
    return timedelta(0) if action.state == ActionState.SENT and payload["receiver"] is not None else None


def _fail(action_id: int, sentence: str) -> None:
    with transaction() as current:
        action = current.get_one(Action, action_id, populate_existing=True, with_for_update=True)
        action.state, action.error, action.check_at = ActionState.FAILED, sentence, None


def _look(workspace: Workspace, action: Action, payload: dict[str, Any], job: Job) -> object:
    """Look for the test in the receiving mailbox; try again for a while when it is not there yet."""
    token, receiver = action.token, accounts.find(workspace, payload["receiver"])
    if receiver is None or receiver.provider != "smtp":
        return None
    known = provider_credentials.to_account_ref(receiver, workspace.now())
    end_read()
    try:
        found = ports.signed_mail().arrival(known, token)
    except ProviderError:
        found = None  # the mailbox can't be read now
    looks = payload.get("looks", 0) + 1
    with transaction() as current:
        row = current.get_one(Job, job.id, populate_existing=True, with_for_update=True)
        row.payload = {**payload, "looks": looks, "arrival": asdict(found) if found else None}
    return None if found or looks >= LOOKS else LOOK_AGAIN
