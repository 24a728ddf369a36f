"""Add lists to a campaign on its way: their people pass the same gate as those of the first, in resumable chunks."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session, transaction
from app.domain.campaigns import campaigns, enrolment, exclusion_preview, validation
from app.domain.campaigns.changes import revision_log
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.validation import Problems
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.platform import audit_log
from app.domain.rules.reasons import REASONS
from app.domain.senders import wake
from app.models.campaigns import (
    CAMPAIGN,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignList,
    CampaignRevision,
    CampaignStats,
    CampaignStatus,
    RevisionKind,
)
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

MOST_LISTS = 20
COUNTED = 2000  # people of a list whom the preview asks the gate about
CHUNK = 500
_P = CampaignLead


def list_ids(campaign: Campaign) -> list[int]:
    """Return the campaign's lists, the first one first."""
    first = [campaign.list_id] if campaign.list_id else []
    return [*first, *(one.list_id for one in enrolment.further(campaign))]


def preview(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, int], list[str]]:
    """Return how many people would be added and left out, and why."""
    counts, says = {"people": 0, "left_out": 0}, []
    for one in _checked(workspace, campaign, wanted.list_ids or ()):
        found = exclusion_preview.of_list(workspace, campaign.id, one, most=COUNTED)
        counts["people"] += found.total
        counts["left_out"] += found.people
        name = session().scalar(sa.select(LeadList.name).where(LeadList.id == one))
        people = "1 person" if found.total == 1 else f"{found.total:,} people"
        says.append(f"{name}: {people}, not counting people already in the campaign.")
        if not found.complete:
            says.append(f"Based on the first {found.checked:,} people.")
        says += [f"{people:,} are left out: {REASONS[code][0]}" for code, people in found.reasons.items()]
    return counts, says or ["No lists will be added."]


def change(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    """Add the lists that the campaign does not have yet; their people are enrolled while it runs.

    An undo takes lists out again: people whom the campaign has not contacted leave it.
    """
    before, after = list_ids(campaign), list(wanted.list_ids or ())
    gone = [one for one in before if one not in after] if undoes else []
    added = [] if gone else _checked(workspace, campaign, after)
    if gone and undoes:
        undoes.is_open = False
        left = sa.delete(CampaignList).where(CampaignList.campaign_id == campaign.id, CampaignList.list_id.in_(gone))
        session().execute(left)
        people: sa.Select[Any] = _not_contacted(campaign, gone)
        noted: dict[str, Any] = {"removed": gone}
    elif added:
        campaigns.check_may_contact(workspace)
        campaigns.check_approval(campaign)
        _add(workspace, campaign, added)
        people = sa.select(Lead.id).where(Lead.list_id.in_(added), Lead.workspace_id == workspace.id)
        noted = {"added": added, "stood": _counted(campaign)}
    else:
        return
    session().flush()
    revision = revision_log.note(
        workspace,
        campaign,
        RevisionKind.LISTS,
        {"list_ids": before},
        {"list_ids": after, **noted},
        {},
        undoes=undoes,
        is_open=True,
        people=people,
    )
    go_on(workspace, campaign, revision)


def back(campaign: Campaign, revision: CampaignRevision) -> Wanted:
    """Return the lists without those that were added, or with those that were removed."""
    added = revision.after.get("added", ())
    kept = [one for one in list_ids(campaign) if one not in added]
    return Wanted(list_ids=kept if added else revision.before["list_ids"])


def _add(workspace: Workspace, campaign: Campaign, list_ids: Sequence[int]) -> None:
    at = workspace.now()
    session().add_all(
        CampaignList(campaign_id=campaign.id, list_id=one, workspace_id=workspace.id, added_at=at) for one in list_ids
    )


def choose(workspace: Workspace, campaign_id: int, first: int, wanted: Sequence[int]) -> None:
    """Set the lists of a draft; the first of them is that of the campaign."""
    with transaction() as current:
        campaign = campaigns.locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "edit")
        check(workspace, first, wanted)
        current.execute(sa.delete(CampaignList).where(CampaignList.campaign_id == campaign.id))
        _add(workspace, campaign, wanted[1:])
        current.flush()
        audit_log.record(workspace, "campaign.lists", campaign.name, after={"lists": ", ".join(map(str, wanted))})


def check(workspace: Workspace, first: int, wanted: Sequence[int]) -> None:
    """Raise every problem of the lists of a draft, of which the first is named by itself too."""
    problems = Problems()
    if not wanted or wanted[0] != first:
        problems.add("listIds", "Put the list named in `listId` first.")
    if len(wanted) > MOST_LISTS or len(set(wanted)) < len(wanted):
        problems.add("listIds", f"Use at most {MOST_LISTS} lists, each once.")
    for one in [] if problems.fields else wanted[1:]:
        validation.check_list(workspace, one, problems, "listIds")
    problems.done()


def _checked(workspace: Workspace, campaign: Campaign, wanted: Sequence[int]) -> list[int]:
    """Return the lists that are new, or raise every problem at once; those of the campaign stay in their places."""
    problems, former = Problems(), list_ids(campaign)
    if list(wanted[: len(former)]) != former:
        problems.add("listIds", "Keep the campaign's lists first, in order; you can only add lists.")
    added = list(wanted[len(former) :])
    if len(wanted) > MOST_LISTS:
        problems.add("listIds", f"Use at most {MOST_LISTS} lists.")
    if len(set(wanted)) < len(wanted):
        problems.add("listIds", "A list appears twice.")
    for one in [] if problems.fields else added:
        validation.check_list(workspace, one, problems, "listIds")
    problems.done()
    return added


def _counted(campaign: Campaign) -> list[int]:
    """Return how many people the campaign has, and how many of them are left out."""
    query = sa.select(CampaignStats.leads, CampaignStats.excluded + CampaignStats.failed)
    return [int(number) for number in session().execute(query.where(CampaignStats.campaign_id == campaign.id)).one()]


def go_on(workspace: Workspace, campaign: Campaign, revision: CampaignRevision) -> None:
    """Do the next chunk of a change of lists. Inside a transaction."""
    if "removed" in revision.after:
        _leave(workspace, campaign, revision)
        return
    if campaign.status != CampaignStatus.RUNNING:  # its people are enrolled when it runs
        revision.is_open = campaign.status in (CampaignStatus.PAUSED, CampaignStatus.SCHEDULED)
        return
    more, at = enrolment.enrol_chunk(campaign, workspace.now()), workspace.now()
    session().flush()
    leads, left_out = (now - then for now, then in zip(_counted(campaign), revision.after["stood"], strict=True))
    revision.effect, revision.is_open, revision.looked = {"added": leads, "left_out": left_out}, more, leads
    wake.wake_senders(campaign.sender_ids, at)


def _leave(workspace: Workspace, campaign: Campaign, revision: CampaignRevision) -> None:
    """Take the next people of lists that were taken back out of the campaign."""
    query = _not_contacted(campaign, revision.after["removed"]).where(_P.id > revision.looked_to)
    people = session().scalars(query.order_by(_P.id).limit(CHUNK).with_for_update()).all()
    for person in people:
        campaign_leads.finish(person, "exclude", "excluded_by_you", workspace.now())
    revision.effect = {"removed": revision.effect.get("removed", 0) + len(people)}
    revision.is_open = len(people) == CHUNK
    revision.looked_to = people[-1].id if people else revision.looked_to
    revision.looked += len(people)


def _not_contacted(campaign: Campaign, lists: Sequence[int]) -> sa.Select[CampaignLead]:
    of_lists = sa.select(Lead.id).where(in_list(Lead.list_id, lists))
    return (
        sa.select(_P)
        .where(_P.campaign_id == campaign.id, _P.lead_id.in_(of_lists))
        .where(_P.state.in_(UNENDED_STATES), _P.last_action_at.is_(None), _P.due_at.is_not(None))
    )
