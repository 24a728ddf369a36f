"""The audit log: a hash chain of accountable actions, in which a change or a gap shows."""

import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.clock import now
from app.core.crypto import keyring
from app.core.db import is_sqlite, session, transaction
from app.core.logs import redact, request_id
from app.domain.platform import audit_heads
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Membership, User, Workspace

KINDS = {
    "session": "Sign-in",
    "two_factor": "Two-factor",
    "password": "Password",
    "member": "Members",
    "workspace": "Workspace",
    "key": "API keys",
    "source": "Sources",
    "service": "Services",
    "crm": "CRM",
    "model": "AI model",
    "oauth_client": "Email sign-in",
    "export": "Exports",
    "person": "People",
    "campaign": "Launches",
    "template": "Templates",
    "campaign_lead": "People let in",
    "approval": "Bulk approvals",
    "company": "Companies",
    "billing": "Billing",
    "webhook": "Webhooks",
    "never_contact": "Do not contact",
    "list": "Lists",
    "sender": "Senders",
    "document": "Documents",
    "snippet": "Snippets",
    "monitor": "Monitors",
    "notification": "Notifications",
    "undo": "Undone",
}
WORDS = {
    "session.began": "Signed in",
    "session.refused": "Failed to sign in",
    "session.ended": "Signed out",
    "session.ended_all": "Signed out on all devices",
    "session.closed": "Signed this user out on all devices:",
    "two_factor.on": "Turned on two-factor sign-in",
    "two_factor.renewed": "Replaced the recovery codes",
    "two_factor.off": "Turned off two-factor sign-in",
    "two_factor.reset": "Reset two-factor sign-in",
    "two_factor.required": "Required two-factor sign-in in the workspace",
    "two_factor.optional": "No longer requires two-factor sign-in in the workspace",
    "two_factor.refused": "Entered a wrong two-factor code",
    "two_factor.recovered": "Signed in with a recovery code",
    "password.changed": "Changed the password",
    "password.offered": "Created a password reset link",
    "password.forgotten": "Requested a password reset link by email",
    "password.reset": "Set a new password with a link",
    "member.invited": "Invited",
    "member.withdrawn": "Withdrew the invitation of",
    "member.joined": "Joined",
    "member.changed": "Changed the name or email of the member",
    "member.confirmed": "Confirmed the email address",
    "member.server_admin": "Made this user a server admin:",
    "member.no_server_admin": "This user is no longer a server admin:",
    "member.role": "Changed the role of the member",
    "member.removed": "Removed",
    "member.granted": "Changed the key permissions of the member",
    "workspace.created": "Created the workspace",
    "workspace.copied": "Started copying from the sandbox",
    "workspace.copy_undone": "Undid the copy of the sandbox in the workspace",
    "workspace.changed": "Changed the workspace",
    "workspace.contact_rules": "Changed the contact rules",
    "workspace.blackouts": "Changed the blackout dates",
    "workspace.inbox": "Changed the inbox settings",
    "workspace.approve_first": "Changed the number of people whose messages need approval",
    "workspace.retention": "Changed the retention times of the workspace",
    "workspace.imported": "Imported the workspace",
    "workspace.released": "Let a restored backup start sending",
    "key.created": "Created the key",
    "key.rolled": "Rotated the key",
    "key.taken_over": "Took over the key",
    "key.revoked": "Revoked the key",
    "source.connected": "Connected the source",
    "source.disconnected": "Disconnected the source",
    "service.connected": "Connected the service",
    "service.disconnected": "Disconnected the service",
    "crm.changed": "Changed the sync settings of the CRM",
    "crm.followed": "Started syncing the CRM list",
    "crm.unfollowed": "Stopped syncing the CRM list",
    "model.set_up": "Set up the AI model",
    "model.removed": "Removed the AI model",
    "oauth_client.set_up": "Set up sign-in with",
    "oauth_client.removed": "Removed sign-in with",
    "export.list": "Exported the list",
    "export.never_contact": "Exported the do-not-contact list",
    "export.campaign": "Exported the people in the campaign",
    "export.person": "Exported the personal data of a person:",
    "export.workspace": "Exported the workspace",
    "person.erased": "Erased",
    "person.erasure_finished": "Removed erased people from the database's files",
    "person.merged": "Merged",
    "person.separated": "Undid a merge:",
    "person.marked": "Marked manually:",
    "person.unmarked": "Undid a manual mark:",
    "person.unsubscribed": "Unsubscribed with the link in an email:",
    "person.subscribed": "Undid the unsubscribe:",
    "campaign.created": "Created the campaign",
    "campaign.edited": "Changed the draft",
    "campaign.renamed": "Renamed the campaign",
    "campaign.deleted": "Deleted the campaign",
    "campaign.started": "Started the campaign",
    "campaign.paused": "Paused the campaign",
    "campaign.continued": "Resumed the campaign",
    "campaign.canceled": "Ended the campaign",
    "campaign.enrolled": "Added people to the campaign",
    "campaign.approval_on": "Turned approval on for the campaign",
    "campaign.approval_off": "Turned approval off for the campaign",
    "campaign.reply_rules": "Changed what happens after replies in the campaign",
    "campaign.tested": "Sent a test of a step in the campaign",
    "campaign.joiners": "Changed whether new people on the lists join the campaign",
    "campaign.expired_drafts": "Changed what happens after drafts expire in the campaign",
    "campaign.exclusions": "Changed who is left out of the campaign",
    "campaign.variant_chosen": "Chose a variant in the campaign",
    "campaign.variant_undone": "Undid the choice of a variant in the campaign",
    "campaign.winner_taken": "Automatically chose the winning variant in the campaign",
    "campaign.pick_winner": "Changed whether winning variants are chosen automatically in the campaign",
    "campaign.steps": "Changed the steps of the campaign",
    "campaign.schedule": "Changed the schedule of the campaign",
    "campaign.senders": "Changed the senders of the campaign",
    "campaign.lists": "Changed the lists of the campaign",
    "campaign.resumed": "Resumed after a sender was reconnected:",
    "template.created": "Saved the template",
    "template.deleted": "Deleted the template",
    "campaign_lead.let_in": "Let in a person who was left out:",
    "campaign.launched": "Launched the play",
    "approval.approve": "Approved in bulk:",
    "approval.taken_on": "Confirmed a claim in",
    "approval.skip": "Skipped in bulk:",
    "company.go_on": "Continued with the people at the company",
    "company.end": "Stopped the people at the company",
    "company.hand_over": "Continued with one sender for everyone at the company",
    "company.undone": "Undid the decision on the company",
    "company.corrected": "Corrected the company of a person:",
    "billing.canceled": "Canceled the subscription",
    "billing.kept": "Undid the cancellation",
    "billing.extended": "Extended the trial",
    "billing.renewed": "Renewed the subscription",
    "billing.followed": "Updated the subscription from Stripe",
    "webhook.created": "Created the webhook",
    "webhook.changed": "Changed the webhook",
    "webhook.rotated": "Rotated the secret of the webhook",
    "webhook.deleted": "Deleted the webhook",
    "webhook.replayed": "Resent events to the webhook",
    "never_contact.ended": "Do-not-contact ended for",
    "never_contact.removed": "Removed from do-not-contact:",
    "list.created": "Created the list",
    "list.changed": "Changed the list",
    "list.deleted": "Deleted the list",
    "list.people_removed": "Removed people from the list",
    "sender.connected": "Connected the sender",
    "sender.changed": "Changed the sender",
    "sender.switched_on": "Switched on the sender",
    "sender.switched_off": "Switched off the sender",
    "sender.login": "Replaced the login of the sender",
    "document.rules": "Changed the rules for writing",
    "document.saved": "Saved the document",
    "snippet.created": "Created the snippet",
    "snippet.changed": "Changed the snippet",
    "snippet.deleted": "Deleted the snippet",
    "monitor.created": "Created the monitor",
    "monitor.changed": "Changed the monitor",
    "monitor.automatic": "Changed whether people are added automatically by the monitor",
    "monitor.paused": "Paused the monitor",
    "monitor.resumed": "Resumed the monitor",
    "monitor.deleted": "Deleted the monitor",
    "monitor.accepted": "Accepted people from the monitor",
    "monitor.declined": "Declined people from the monitor",
    "notification.destination": "Changed where notifications go:",
    "undo.done": "Undid:",
}
_SECRET = ("password", "secret", "token", "apikey", "api_key", "code", "digest")
_HIDDEN = "…"
_LOCK = 0x61756469  # a name of ours among the database's advisory locks


def record(
    workspace: Workspace | int,
    kind: str,
    subject: str = "",
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> None:
    """Write an audit entry in the transaction of the act; without `by`, for the current thread's actor."""
    workspace_id = workspace if isinstance(workspace, int) else workspace.id
    who = actor.get()
    with transaction() as current:
        if not is_sqlite():
            current.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, workspace_id % 2**31)))
        last = current.execute(
            sa.select(AuditEntry.number, AuditEntry.digest)
            .where(AuditEntry.workspace_id == workspace_id)
            .order_by(AuditEntry.number.desc())
            .limit(1)
        ).first()
        entry = AuditEntry(
            workspace_id=workspace_id,
            number=last.number + 1 if last else 1,
            kind=kind,
            actor=_display_name(by) if by else who.name,
            user_id=by.id if by else who.user_id,
            subject=redact(subject)[:300],
            before=_open(before or {}),
            after=_open(after or {}),
            address=who.address,
            request_id=request_id.get(),
            at=now(),
        )
        entry.digest = _digest(entry, last.digest if last else b"")
        current.add(entry)
        current.flush()
        audit_heads.note(entry)


def record_all(user: User, kind: str, subject: str = "", **more: Any) -> None:
    """Log a user's change to their own account, in every workspace they belong to."""
    with transaction():
        for workspace_id in _places(user):
            record(workspace_id, kind, subject, by=user, **more)


def record_for_user(user: User, kind: str) -> None:
    """Log a change to a user's account from outside, in every workspace they belong to."""
    with transaction():
        for workspace_id in _places(user):
            record(workspace_id, kind, user.email)


def _places(user: User) -> Sequence[int]:
    ids = sa.select(Membership.workspace_id).where(Membership.user_id == user.id).order_by(Membership.workspace_id)
    return session().scalars(ids).all()


def page(workspace: Workspace, kind: str = "", who: str = "") -> sa.Select[Any]:
    """Select the audit entries of one area (all for ''), by people whose name contains `who`."""
    query = sa.select(AuditEntry).where(AuditEntry.workspace_id == workspace.id)
    if kind:
        query = query.where(AuditEntry.kind.startswith(kind + ".", autoescape=True))
    if who:
        query = query.where(sa.func.lower(AuditEntry.actor).contains(who.lower(), autoescape=True))
    return query


def verify_chain() -> Iterator[tuple[int, int]]:
    """Yield each workspace whose audit log was tampered with, and the number of the first broken entry."""
    wanted = sa.select(AuditEntry).order_by(AuditEntry.workspace_id, AuditEntry.number)
    at, number, digest, bad = 0, 0, b"", set()
    for entry in session().scalars(wanted.execution_options(yield_per=500)):
        if entry.workspace_id != at:
            at, number, digest = entry.workspace_id, 0, b""
        fits = entry.number == number + 1 and hmac.compare_digest(entry.digest, _digest(entry, digest))
        if not fits and at not in bad:
            bad.add(at)
            yield at, number + 1
        number, digest = entry.number, entry.digest


def sign_again(workspace_id: int) -> None:
    """Sign the entries of a workspace that came from another server, whose signatures mean nothing here."""
    entries = sa.select(AuditEntry).where(AuditEntry.workspace_id == workspace_id).order_by(AuditEntry.number)
    before = b""
    with transaction() as current:
        for entry in current.scalars(entries):
            before = entry.digest = _digest(entry, before)
        current.flush()


def _display_name(user: User) -> str:
    return f"{user.name} ({user.email})" if user.name else user.email


def _digest(entry: AuditEntry, before: bytes) -> bytes:
    told = [
        entry.workspace_id, entry.number, entry.kind, entry.actor, entry.user_id, entry.subject, entry.before,
        entry.after, entry.address, entry.request_id, _exact(entry.at),
    ]  # fmt: skip
    return keyring().sign("audit", before + json.dumps(told, sort_keys=True, separators=(",", ":")).encode())


def _exact(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _open(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without secrets."""
    shown = dict(values)
    for name, value in values.items():
        if any(word in name.lower() for word in _SECRET):
            shown[name] = _HIDDEN
        elif isinstance(value, str):
            shown[name] = redact(value)
    return shown
