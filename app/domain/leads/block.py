"""Block a person: they leave their campaigns immediately or when the undo period ends."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_list, in_pages, session, transaction
from app.domain.leads import leads, lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, jobs, locks
from app.domain.platform.undo import Undoable
from app.models.campaigns import OPEN_STATES, UNENDED_STATES, Campaign, CampaignLead, LeadState
from app.models.leads import NeverContact
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

BECAUSE = "never_contact"
BATCH = 1000


def take_out_of_campaigns(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Stop people on the do-not-contact list who are still in a campaign; leave those on hold to the undo."""
    for rows in in_pages(_in_campaigns(workspace), CampaignLead.id, BATCH):
        with locks.changing(workspace.id):  # people blocked from here on have no entry yet
            held = never_contact.held_leads(workspace.id)
            _take_out(workspace, [row for row in rows if row.campaign_lead_id not in held])
        jobs.renew_lease(job)


def _in_campaigns(workspace: Workspace, *where: sa.ColumnElement[bool]) -> sa.Select[int, int, str]:
    """Select the people still in a campaign."""
    there = CampaignLead.state.in_(UNENDED_STATES)
    return (
        sa.select(CampaignLead.id.label("campaign_lead_id"), CampaignLead.person_id, Person.email)
        .join(Person, Person.id == CampaignLead.person_id)
        .where(CampaignLead.workspace_id == workspace.id, there, *where)
        .order_by(CampaignLead.id)
    )


def _take_out(workspace: Workspace, rows: Sequence[Any]) -> dict[int, bool]:
    """Exclude people who match an entry; return the others' ids, and whether they have an address."""
    with transaction():
        named = never_contact.blocked_people(workspace.id, {row.person_id for row in rows})
        gone = [row.campaign_lead_id for row in rows if row.person_id in named]
        if gone:
            campaign_leads.exclude_many(workspace, gone, BECAUSE)
        return {row.campaign_lead_id: bool(row.email) for row in rows if row.person_id not in named}


def block(workspace: Workspace, person_ids: Collection[int], reason: str) -> tuple[int, str]:
    """Put people on the do-not-contact list; return how many are new, and the name for an undo.

    Their campaign leads are on hold until the undo expires.
    """
    with locks.changing(workspace.id):
        names = never_contact.surest(person_ids)
        ours = sa.select(NeverContact).where(NeverContact.workspace_id == workspace.id)
        named = sa.tuple_(NeverContact.kind, NeverContact.value).in_(list(names.values()))
        taken_over = session().scalars(ours.where(NeverContact.source != "", named)).all()
        sources = {str(entry.id): entry.source for entry in taken_over}
        added = never_contact.add(workspace, list(names.values()), reason).ids
        if not added:
            return 0, ""
        entries = session().scalars(ours.where(in_list(NeverContact.id, added)))
        fresh = {(entry.kind, entry.value) for entry in entries}
        blocked = [person_id for person_id, name in names.items() if name in fresh]
        number = len(added)
        kept = {"entries": added, "sources": sources, "people": _hold(workspace, blocked), "number": number}
        return number, BLOCKED.offer(workspace, kept, f"do-not-contact entries added ({number:,})")


def _hold(workspace: Workspace, person_ids: Sequence[int]) -> list[int]:
    """Pause these people's active campaign leads; return the ids of all open ones."""
    theirs = (CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person_id, person_ids))
    query = sa.select(CampaignLead).where(*theirs, CampaignLead.state.in_(UNENDED_STATES))
    found = session().scalars(query.order_by(CampaignLead.id).with_for_update()).all()
    for person in found:
        if person.state in OPEN_STATES:
            campaign_leads.pause_for(person, BECAUSE)
    return [person.id for person in found]


def block_leads(workspace: Workspace, list_id: int, lead_ids: Sequence[int], reason: str) -> tuple[int, str]:
    """Block the people of these leads of a list; see `block`."""
    lists.get_list(workspace, list_id)
    found = leads.get_many(workspace, lead_ids)
    return block(workspace, [lead.person_id for lead in found if lead.list_id == list_id], reason)


def _unblock(workspace: Workspace, blocked: dict[str, Any]) -> tuple[int, int]:
    """Undo a block; return how many people are free, and how many another entry still blocks.

    The free ones continue in their campaigns.
    """
    ours = (NeverContact.workspace_id == workspace.id, NeverContact.source == "")
    gone = sa.delete(NeverContact).where(*ours, in_list(NeverContact.id, blocked["entries"]))
    free = change_rows(gone.returning(NeverContact.id)).scalars().all()
    for entry_id, source in blocked["sources"].items():
        change_rows(sa.update(NeverContact).where(*ours, NeverContact.id == int(entry_id)).values(source=source))
    _settle(workspace, blocked)
    audit_log.record(workspace, "never_contact.removed", f"{len(free)} entries")
    return len(free), blocked["number"] - len(blocked["entries"])


def _settle(workspace: Workspace, blocked: dict[str, Any]) -> None:
    """Exclude the held people who still match an entry; resume the others where they were."""
    held = _in_campaigns(workspace, in_list(CampaignLead.id, blocked["people"]))
    free = _take_out(workspace, session().execute(held).all())
    query = sa.select(CampaignLead).where(in_list(CampaignLead.id, list(free)), CampaignLead.state == LeadState.PAUSED)
    query = query.where(CampaignLead.reason == BECAUSE).order_by(CampaignLead.id).with_for_update()
    for person in session().scalars(query.execution_options(populate_existing=True)).all():
        campaign = session().get_one(Campaign, person.campaign_id)
        campaign_leads.resume_one(campaign, person, free[person.id], workspace.now())


BLOCKED = Undoable(
    never_contact.WAY_BACK,
    _unblock,
    "Remove these people from the do-not-contact list. Campaigns continue without these people.",
    settle=_settle,
)
