"""Changes of a campaign on its way: one preview, one undo and one way to go on for each kind of change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.errors import Conflict
from app.domain.campaigns import (
    campaigns,
    change_exclusions,
    change_lists,
    change_schedule,
    change_senders,
    revision_log,
    revisions,
    revive,
)
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign, CampaignRevision, RevisionKind
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class Wanted:
    """What is to be changed: None stays as it is."""

    schedule: Mapping[str, Any] | None = None
    account_ids: Sequence[int] | None = None
    replace: Mapping[int, int] | None = None
    stranded: str = "wait"
    list_ids: Sequence[int] | None = None
    exclude: Mapping[str, Any] | None = None
    let_in: bool = False


@dataclass(frozen=True)
class Part:
    """One kind of change: for how many people what changes, in numbers and in words."""

    kind: str
    counts: Mapping[str, int]
    says: Sequence[str]


def preview(workspace: Workspace, campaign_id: int, wanted: Wanted) -> list[Part]:
    """Return what the changes would mean for people; nothing is changed."""
    parts = []
    if wanted.schedule is not None:
        parts.append(Part("schedule", *change_schedule.preview(workspace, campaign_id, wanted.schedule)))
    if wanted.account_ids is not None:
        found = change_senders.preview(workspace, campaign_id, wanted.account_ids, wanted.replace, wanted.stranded)
        parts.append(Part("senders", *found))
    if wanted.list_ids is not None:
        parts.append(Part("lists", *change_lists.preview(workspace, campaign_id, wanted.list_ids)))
    if wanted.exclude is not None:
        found = change_exclusions.preview(workspace, campaign_id, wanted.exclude, let_in=wanted.let_in)
        parts.append(Part("exclusions", *found))
    return parts


def apply(workspace: Workspace, campaign_id: int, wanted: Wanted) -> Campaign:
    """Make the changes, each a revision of its own."""
    if wanted.schedule is not None:
        change_schedule.change(workspace, campaign_id, wanted.schedule)
    if wanted.account_ids is not None:
        change_senders.change(workspace, campaign_id, wanted.account_ids, wanted.replace, wanted.stranded)
    if wanted.list_ids is not None:
        change_lists.change(workspace, campaign_id, wanted.list_ids)
    if wanted.exclude is not None:
        change_exclusions.change(workspace, campaign_id, wanted.exclude, let_in=wanted.let_in)
    return campaigns.get(workspace, campaign_id)


def go_on(workspace: Workspace, campaign: Campaign) -> None:
    """Do the next chunk of the oldest change that is under way. Inside a transaction."""
    revision = revision_log.under_way(campaign)
    if revision is None:
        return
    {
        RevisionKind.SENDERS: change_senders.go_on,
        RevisionKind.LISTS: change_lists.go_on,
        RevisionKind.EXCLUSIONS: change_exclusions.go_on,
        RevisionKind.RESUMED: revive.go_on,
    }[RevisionKind(revision.kind)](workspace, campaign, revision)


def why_not_undone(campaign: Campaign, revision: CampaignRevision) -> str:
    """Return why the change can't be taken back; '' when it can."""
    if revision.undone_by is not None:
        return f"Change {revision.undone_by} already undid this."
    if revision.kind == RevisionKind.RESUMED:
        return "Pause the campaign instead."
    if campaign.status in ENDED_CAMPAIGNS:
        return "The campaign has ended."
    later = [one for one in revision_log.later(revision) if one.undone_by is None and one.undoes is None]
    if later:
        return f"First undo change {later[-1].number}, which is newer."
    if revision.is_open and revision.kind != RevisionKind.LISTS:
        return "This change is still in progress."
    return ""


def undo(workspace: Workspace, campaign_id: int, number: int) -> CampaignRevision:
    """Take the change back by one that leads to what was before, and return that."""
    campaign = campaigns.get(workspace, campaign_id)
    revision = revision_log.get(campaign, number)
    if why := why_not_undone(campaign, revision):
        raise Conflict(why, recovery="Make a new change instead.")
    before = revision.before
    if revision.kind == RevisionKind.STEPS:
        revisions.revise(workspace, campaign_id, before["sequence"], "all", undoes=number)
    elif revision.kind == RevisionKind.SCHEDULE:
        change_schedule.restore(workspace, campaign_id, before, undoes=number)
    elif revision.kind == RevisionKind.SENDERS:
        back = _back(revision)
        change_senders.change(workspace, campaign_id, before["account_ids"], back, undoes=number)
    elif revision.kind == RevisionKind.LISTS:
        if "removed" in revision.after:
            change_lists.change(workspace, campaign_id, before["list_ids"], undoes=number)
        else:
            change_lists.take_back(workspace, campaign_id, number)
    else:
        change_exclusions.restore(workspace, campaign_id, before, undoes=number)
    found = revision_log.get(campaigns.get(workspace, campaign_id), number)
    if found.undone_by is None:
        raise Conflict("There is nothing to undo.", recovery="Make a new change instead.")
    return revision_log.get(campaign, found.undone_by)


def _back(revision: CampaignRevision) -> dict[int, int]:
    """Return who takes over from whom when a replacement is taken back."""
    leaving = revision.after["task"]["leaving"]
    joined = set(revision.after["task"]["joining"])
    return {one["by"]: one["account"] for one in leaving if one["by"] in joined}
