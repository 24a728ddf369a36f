"""Drafts for approval, many at once: decided by id, and let go when approvals are switched off."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from app.core import text
from app.core.actor import refuse_unapproved
from app.core.db import by_id, get_owned, session
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.approvals import approvals, drafting
from app.domain.billing import subscriptions
from app.domain.platform import audit_log, locks
from app.models.approvals import APPROVAL, Approval
from app.models.campaigns import Campaign
from app.models.workspaces import User, Workspace

MOST_IDS, ACTIONS = 100, ("approve", "skip")  # of one bulk request
LONGEST_REASON = 200


@dataclass(frozen=True)
class Result:
    """What became of one draft of many. outcome: approved, skipped, has_warnings, not_waiting, not_found or changed."""

    id: int
    outcome: str
    message: str = ""


def mark(approval: Approval) -> str:
    """Return a mark of the draft's text, kind and sender, to tell whether it is still the draft that was read."""
    read = f"{approval.kind}\n{approval.sender_id}\n{approvals.fingerprint(approval)}"
    return hashlib.sha256(read.encode()).hexdigest()[:24]


def bulk(
    workspace: Workspace,
    ids: Sequence[int],
    action: str,
    by: User | None = None,
    reason: str = "",
    read: Mapping[int, str] | None = None,
) -> list[Result]:
    """Approve or skip each draft unchanged; bulk approval never approves a draft with a warning.

    `reason` is why they are skipped. With `read`, the marks of what was read, a draft that changed since is left alone.
    """
    reason = text.squeeze(reason)
    problems = []
    if not 1 <= len(ids) <= MOST_IDS:
        problems.append(("ids", f"List 1 to {MOST_IDS} drafts."))
    if action not in ACTIONS:
        problems.append(("action", "Use “approve” or “skip”."))
    if len(reason) > LONGEST_REASON or (reason and action == "approve"):
        problems.append(("reason", f"Only “skip” takes a reason, of at most {LONGEST_REASON} characters."))
    InvalidRequest.raise_for(problems)
    if action == "approve":
        subscriptions.require(workspace)
    with locks.changing(workspace.id):
        found = by_id(Approval, ids, Approval.workspace_id == workspace.id, lock=True)
        at = workspace.now()

        def decide(approval_id: int) -> Result:
            approval = found.get(approval_id)
            if approval is None:
                return Result(approval_id, "not_found", "Approval not found.")
            if not APPROVAL.allows(approval, action):
                return Result(approval_id, "not_waiting", APPROVAL.moves[action].refusal.format(state=approval.status))
            if read and mark(approval) != read[approval_id]:
                return Result(approval_id, "changed", "This draft has changed. Reload and read the new version.")
            if action == "skip":
                APPROVAL.move(approval, "skip")
                approvals.pass_over(approval, approvals.BY_YOU, at, by, reason)
                return Result(approval_id, "skipped")
            if approval.warned:
                return Result(approval_id, "has_warnings", " ".join(one["sentence"] for one in approval.warnings))
            approvals.release_draft(approval, at, by)
            return Result(approval_id, "approved")

        results = [decide(one) for one in dict.fromkeys(ids)]
        if done := [one for one in results if one.outcome in ("approved", "skipped")]:
            audit_log.record(
                workspace, f"approval.{action}", f"{len(done)} drafts{': ' + reason if reason else ''}", by=by
            )
        return results


def undo(workspace: Workspace, ids: Sequence[int]) -> int:
    """Move the drafts back to waiting unless it's too late; return how many, each in its own transaction."""
    back = 0
    for approval_id in dict.fromkeys(ids[:MOST_IDS]):
        with suppress(Conflict, NotFound):
            approvals.undo(workspace, approval_id)
            back += 1
    return back


def switch(workspace: Workspace, campaign_id: int, on: bool) -> Campaign:
    """Switch the campaign's approval on or off.

    On: people whose next step is a message that was not started wait for approval. Off: pending drafts keep waiting
    until they are decided, or until `approvals.send_without`.
    """
    with locks.changing(workspace.id):
        campaign = get_owned(Campaign, workspace, campaign_id, lock=True)
        if campaign.approval and not on:
            refuse_unapproved()
        if campaign.approval != on:
            audit_log.record(workspace, "campaign.approval_on" if on else "campaign.approval_off", campaign.name)
        campaign.approval, campaign.approve_first = on, None
        session().flush()
        drafting.write(campaign.id, workspace.now())
        return campaign
