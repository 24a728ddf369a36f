"""Change everyone whom a filter of a list finds: tag, move, add to a campaign, remove or block; with progress and undo.

The people are those of the filter when it began, not ids of a page. Each batch is one transaction together with how
far the change is, so that a crash repeats none and leaves out none.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, get_owned, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns
from app.domain.leads import block, lists, profiles, removals, tags
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.profiles import InvalidProfile
from app.domain.platform import audit_log, jobs, locks
from app.domain.platform.undo import MINUTES, TOO_LATE, Undoable
from app.models.campaigns import CampaignLead
from app.models.leads import BULK, BulkChange, BulkState, Lead
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

KIND = "bulk_change"
BATCH = 500
KEPT = timedelta(days=1)
REASON = "Selected in a list."
LEFT = "excluded_by_you"
UNDER_WAY = (BulkState.RUNNING, BulkState.UNDOING)


def _tag(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    return tags.tag_for_now(workspace, ids, [change.about["value"]], [], change.list_id)


def _untag(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    return tags.tag_for_now(workspace, ids, [], [change.about["value"]], change.list_id)


def _move(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    moved = lists.move_people(workspace, change.list_id, change.about["into"], ids)
    kept = {"from": change.list_id, "into": change.about["into"], "leads": moved}
    return len(moved), MOVED.offer(workspace, kept, "") if moved else ""


def _move_back(workspace: Workspace, was: dict[str, Any]) -> None:
    lists.move_people(workspace, was["into"], was["from"], was["leads"])


def _enrol(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    campaign = change.about["campaign"]
    there = sa.select(CampaignLead.id).where(CampaignLead.campaign_id == campaign, in_list(CampaignLead.lead_id, ids))
    before = set(session().scalars(there))
    campaigns.enrol_more(workspace, campaign, ids)
    joined = sorted(set(session().scalars(there)) - before)
    return len(joined), JOINED.offer(workspace, {"joined": joined}, "") if joined else ""


def _leave(workspace: Workspace, was: dict[str, Any]) -> None:
    campaign_leads.exclude_many(workspace, was["joined"], LEFT)


def _remove(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    return removals.remove_people(workspace, change.list_id, ids)


def _block(workspace: Workspace, change: BulkChange, ids: Sequence[int]) -> tuple[int, str]:
    return block.block_leads(workspace, change.list_id, ids, REASON)


MOVED = Undoable("moved_people", _move_back, "Move these people again.", lasts=KEPT)
JOINED = Undoable("joined_campaign", _leave, "Exclude these people from the campaign.", lasts=KEPT)
VERBS: Mapping[str, tuple[Callable[[Workspace, BulkChange, Sequence[int]], tuple[int, str]], Undoable[Any]]] = {
    "tag": (_tag, tags.TAGGED),
    "untag": (_untag, tags.TAGGED),
    "move": (_move, MOVED),
    "campaign": (_enrol, JOINED),
    "remove": (_remove, removals.PEOPLE),
    "never": (_block, block.BLOCKED),
}


def start(
    workspace: Workspace, list_id: int, verb: str, chosen: Mapping[str, Any], wanted: Mapping[str, Any]
) -> BulkChange:
    """Begin to change everyone whom the filter finds, or raise InvalidRequest; a batch is done at once.

    `chosen` is what `lists.contact_coverage` takes; `wanted` has the `value` of a tag, `into` a list, or a `campaign`.
    """
    about = dict(chosen) | _checked(workspace, list_id, verb, wanted) | {"undo": []}
    with locks.changing(workspace.id) as current:  # locked before the list, in the same order as batches and undos
        lists.require_people(lists.get_list(workspace, list_id, lock=True))
        if under_way(workspace, list_id):
            raise Conflict("Another change to this list is running.", recovery="Wait until that change has finished.")
        _forget_old(workspace)
        meant = _chosen_people(workspace, list_id, about)
        until, total = current.execute(meant.with_only_columns(sa.func.max(Lead.id), sa.func.count())).one()
        if not total:
            raise Conflict("No one in this list matches the filter.", recovery="Clear the filter first.")
        change = BulkChange(
            workspace_id=workspace.id,
            list_id=list_id,
            verb=verb,
            about=about,
            until=until,
            after=0,
            total=total,
            created_at=workspace.now(),
        )
        current.add(change)
        current.flush()
        if not _step(workspace, change):
            jobs.add(workspace, KIND, str(change.id), {"change": change.id})
        return change


def _checked(workspace: Workspace, list_id: int, verb: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the verb needs, or raise InvalidRequest."""
    if verb not in VERBS:
        raise InvalidRequest.of(("do", "Choose an action."))
    if verb in ("tag", "untag"):
        try:
            [value] = profiles.tags([str(wanted.get("value", ""))]) or [""]
        except InvalidProfile as refusal:
            raise InvalidRequest.of(("tag", str(refusal))) from None
        if not value:
            raise InvalidRequest.of(("tag", "Enter the tag first."))
        return {"value": value}
    if verb == "move":
        into = lists.people_list(workspace, int(wanted.get("into") or 0))
        if into.id == list_id:
            raise InvalidRequest.of(("into", "Choose another list."))
        return {"into": into.id, "called": into.name}
    if verb == "campaign":
        campaign = campaigns.get(workspace, int(wanted.get("campaign") or 0))
        return {"campaign": campaign.id, "called": campaign.name}
    return {}


def _chosen_people(workspace: Workspace, list_id: int, about: Mapping[str, Any]) -> sa.Select[Any]:
    known = {name: about[name] for name in ("q", "way", "tag", "picked", *lists.PARTS) if name in about}
    return lists.contact_coverage(workspace, list_id, **{"way": about.get("reach", "")} | known)  # its former name


def get(workspace: Workspace, list_id: int, change_id: int) -> BulkChange:
    """Return the change of that list, or raise NotFound."""
    found = get_owned(BulkChange, workspace, change_id)
    return found if found.list_id == list_id else get_owned(BulkChange, workspace, 0)


def under_way(workspace: Workspace, list_id: int) -> BulkChange | None:
    """Return the change of the list that is being done or undone, if any."""
    ours = (BulkChange.workspace_id == workspace.id, BulkChange.list_id == list_id)
    query = sa.select(BulkChange).where(*ours, BulkChange.state.in_(UNDER_WAY)).order_by(BulkChange.id).limit(1)
    return session().scalars(query).first()


def may_undo(workspace: Workspace, change: BulkChange) -> bool:
    """Return whether the change can still be undone."""
    young = workspace.now() < change.created_at + MINUTES
    return BULK.allows(change, "undo") and bool(change.about.get("undo")) and young


def undo(workspace: Workspace, list_id: int, change_id: int) -> BulkChange:
    """Begin to undo the change; a batch is undone at once. Raise Conflict when it was, or is too long ago."""
    with locks.changing(workspace.id):
        change = get(workspace, list_id, change_id)
        session().refresh(change, with_for_update=True)
        if BULK.allows(change, "undo") and not may_undo(workspace, change):
            raise Conflict(TOO_LATE)
        BULK.move(change, "undo")
        audit_log.record(workspace, "undo.done", f"bulk change to a list ({change.verb}, {change.changed:,})")
        change.done, change.total, change.finished_at, change.error = 0, change.changed, None, ""
        if not _step(workspace, change):
            jobs.add(workspace, KIND, str(change.id), {"change": change.id})
        return change


def go_on(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Do or undo the rest of a change, batch by batch."""
    finished = False
    while not finished:
        with locks.changing(workspace.id) as current:
            change = current.get(BulkChange, payload["change"], with_for_update=True, populate_existing=True)
            finished = change is None or _step(workspace, change)
        if not finished:
            jobs.renew_lease(job)


def fail(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Record that the change failed; what was done stays, and can be undone."""
    with transaction() as current:
        change = current.get(BulkChange, payload["change"], with_for_update=True, populate_existing=True)
        if change and BULK.allows(change, "fail"):
            BULK.move(change, "fail")
            change.error, change.finished_at = sentence, workspace.now()


def _step(workspace: Workspace, change: BulkChange) -> bool:
    """Do or undo one batch; return whether it was the last one. Inside a transaction."""
    if change.state == BulkState.RUNNING:
        return _do_some(workspace, change)
    return change.state != BulkState.UNDOING or _undo_some(workspace, change)


def _do_some(workspace: Workspace, change: BulkChange) -> bool:
    query = _chosen_people(workspace, change.list_id, change.about).with_only_columns(Lead.id)
    next_ones = query.where(Lead.id > change.after, Lead.id <= change.until).order_by(Lead.id).limit(BATCH)
    ids = session().scalars(next_ones).all()
    if ids:
        number, name = VERBS[change.verb][0](workspace, change, ids)
        change.about = change.about | {"undo": [*change.about.get("undo", ()), *filter(None, [name])]}
        change.after, change.done, change.changed = ids[-1], change.done + len(ids), change.changed + number
    if len(ids) == BATCH:
        session().flush()
        return False
    return _end(workspace, change, "finish")


def _undo_some(workspace: Workspace, change: BulkChange) -> bool:
    name, *rest = change.about["undo"]
    VERBS[change.verb][1].undo(workspace, name, audited=False)
    change.about, change.done = change.about | {"undo": rest}, min(change.total, change.done + BATCH)
    session().flush()
    return not rest and _end(workspace, change, "undone")


def _end(workspace: Workspace, change: BulkChange, move: str) -> bool:
    BULK.move(change, move)
    change.done, change.finished_at = change.total, workspace.now()
    session().flush()
    return True


def _forget_old(workspace: Workspace) -> None:
    """Delete changes that ended so long ago that no one looks at them."""
    old = (BulkChange.workspace_id == workspace.id, BulkChange.finished_at < workspace.now() - KEPT)
    change_rows(sa.delete(BulkChange).where(*old))
