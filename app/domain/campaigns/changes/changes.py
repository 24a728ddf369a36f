"""Changes of a campaign on its way: one preview, one way to make, to undo and to go on with each kind of change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.core.db import session, transaction
from app.core.errors import Conflict
from app.domain.campaigns import campaigns
from app.domain.campaigns.changes import (
    change_exclusions,
    change_lists,
    change_schedule,
    change_senders,
    revision_log,
    revisions,
    revive,
)
from app.domain.campaigns.changes.revision_log import Wanted
from app.models.campaigns import CAMPAIGN, ENDED_CAMPAIGNS, Campaign, CampaignRevision, RevisionKind
from app.models.workspaces import Workspace


class Kind(Protocol):
    """A module that makes one kind of change, in a transaction with the campaign locked."""

    def preview(self, workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[Any, ...]:
        """Return for how many people what changes, as in `Part`; nothing is changed."""

    def change(
        self, workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None
    ) -> None:
        """Make the change and note it, perhaps as the one that undoes another."""

    def back(self, campaign: Campaign, revision: CampaignRevision) -> Wanted:
        """Return the change that leads to what was before."""


KINDS: Mapping[str, tuple[str, Kind]] = {  # in the order in which they are made, with what is wanted then
    RevisionKind.SCHEDULE: ("schedule", change_schedule),
    RevisionKind.SENDERS: ("account_ids", change_senders),
    RevisionKind.LISTS: ("list_ids", change_lists),
    RevisionKind.EXCLUSIONS: ("exclude", change_exclusions),
    RevisionKind.STEPS: ("sequence", revisions),
}


@dataclass(frozen=True)
class Part:
    """One kind of change: for how many people what changes, in numbers and in words; of new steps the whole effect."""

    kind: str
    counts: Mapping[str, int]
    says: Sequence[str]
    effect: Any = None


def _wanted(wanted: Wanted) -> list[tuple[str, Kind]]:
    return [(kind, how) for kind, (name, how) in KINDS.items() if getattr(wanted, name) is not None]


def preview(workspace: Workspace, campaign_id: int, wanted: Wanted) -> list[Part]:
    """Return what the changes would mean for people; nothing is changed."""
    campaign, parts = campaigns.get(workspace, campaign_id), []
    for kind, how in _wanted(wanted):
        if kind != RevisionKind.EXCLUSIONS:
            revisions.check_allowed(campaign)
        parts.append(Part(kind, *how.preview(workspace, campaign, wanted)))
    return parts


def apply(workspace: Workspace, campaign_id: int, wanted: Wanted) -> Campaign:
    """Make the changes, each a revision of its own: all of them, or none."""
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        _make(workspace, campaign, wanted)
        return campaign


def _make(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    for kind, how in _wanted(wanted):
        if kind != RevisionKind.EXCLUSIONS:
            CAMPAIGN.move(campaign, revisions.move_of(campaign))
        how.change(workspace, campaign, wanted, undoes)


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
        return f"This was already undone by change {revision.undone_by}."
    if revision.kind == RevisionKind.RESUMED:
        return "Pause the campaign instead."
    if campaign.status in ENDED_CAMPAIGNS:
        return "The campaign has ended."
    later = [one for one in revision_log.later(revision) if one.undone_by is None and one.undoes is None]
    if later:
        return f"Undo the newer change {later[-1].number} first."
    if revision.is_open and revision.kind != RevisionKind.LISTS:
        return "This change is still in progress."
    return ""


def undo(workspace: Workspace, campaign_id: int, number: int) -> CampaignRevision:
    """Take the change back by one that leads to what was before, and return that."""
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        revision = revision_log.get(campaign, number)
        session().refresh(revision)
        why = why_not_undone(campaign, revision)
        if not why:
            _make(workspace, campaign, KINDS[revision.kind][1].back(campaign, revision), revision)
            why = "" if revision.undone_by else "There is nothing to undo."
        if why:
            raise Conflict(why, recovery="Make a new change instead.")
        return revision_log.get(campaign, revision.undone_by or 0)
