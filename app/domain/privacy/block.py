"""Block a person: they leave their campaigns immediately or when the undo period ends."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core.crypto import random_base62
from app.core.db import in_batches, in_list, session, transaction
from app.core.errors import Conflict
from app.domain.campaign_leads import campaign_leads
from app.domain.leads import leads, lists, never_contact
from app.domain.platform import jobs, locks
from app.models.campaigns import OPEN_STATES, Campaign, CampaignLead, LeadState
from app.models.jobs import Job
from app.models.leads import Lead, NeverContact, NeverContactKind
from app.models.workspaces import Workspace

TIME_TO_UNDO = timedelta(minutes=10)
BECAUSE = "never_contact"
BATCH = 1000
_SILENT = {"synchronize_session": False}


def take_out_of_campaigns(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Stop people on the do-not-contact list who are still in a campaign; leave those on hold to the undo."""
    after = 0
    while rows := session().execute(_in_campaigns(workspace, CampaignLead.id > after).limit(BATCH)).all():
        after = rows[-1].campaign_lead_id
        with transaction():
            locks.lock_workspaces([workspace.id])  # people blocked from here on have no entry yet
            held = never_contact.held_leads(workspace.id)
            _take_out(workspace, [row for row in rows if row.campaign_lead_id not in held])
        jobs.renew_lease(job)


def _in_campaigns(workspace: Workspace, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Select the people still in a campaign, with the values an entry can match."""
    columns: list[Any] = [Lead.id, Lead.person, Lead.email, Lead.company_name, Lead.company_url]
    there = CampaignLead.state.in_(never_contact.STILL_THERE)
    return (
        sa.select(CampaignLead.id.label("campaign_lead_id"), *columns)
        .join(Lead, Lead.id == CampaignLead.lead_id)
        .where(CampaignLead.workspace_id == workspace.id, there, *where)
        .order_by(CampaignLead.id)
    )


def _take_out(workspace: Workspace, rows: Sequence[Any]) -> dict[int, bool]:
    """Exclude people who match an entry; return the others' ids, and whether they have an address."""
    with transaction():
        named = never_contact.blocked(workspace.id, rows)
        gone = [row.campaign_lead_id for row in rows if row.id in named]
        if gone:
            campaign_leads.exclude_many(workspace, gone, BECAUSE)
        return {row.campaign_lead_id: bool(row.email) for row in rows if row.id not in named}


def block(workspace: Workspace, persons: Sequence[str], reason: str) -> tuple[int, str]:
    """Put people on the do-not-contact list; return how many are new, and the name for an undo.

    Their campaign leads are on hold until the undo expires.
    """
    with transaction():
        locks.lock_workspaces([workspace.id])
        ours = (NeverContact.workspace_id == workspace.id, NeverContact.kind == NeverContactKind.PERSON)
        taken_over = sa.select(NeverContact.id, NeverContact.source).where(
            *ours, NeverContact.source != "", in_list(NeverContact.value, persons)
        )
        sources = {str(row.id): row.source for row in session().execute(taken_over)}
        added = never_contact.add(workspace, [(NeverContactKind.PERSON, one) for one in persons], reason).ids
        if not added:
            return 0, ""
        named = sa.select(NeverContact.value).where(*ours, in_list(NeverContact.id, added))
        wanted = {"entries": added, "sources": sources, "people": _hold(workspace, session().scalars(named).all())}
        name = random_base62(20)
        jobs.add(workspace, never_contact.WAY_BACK, name, wanted | {"number": len(added)}, after=TIME_TO_UNDO)
        return len(added), name


def _hold(workspace: Workspace, persons: Sequence[str]) -> list[int]:
    """Pause these people's active campaign leads; return the ids of all open ones."""
    theirs = (CampaignLead.workspace_id == workspace.id, in_list(CampaignLead.person, persons))
    query = sa.select(CampaignLead).where(*theirs, CampaignLead.state.in_(never_contact.STILL_THERE))
    found = session().scalars(query.order_by(CampaignLead.id).with_for_update()).all()
    for person in found:
        if person.state in OPEN_STATES:
            campaign_leads.pause_for(person, BECAUSE)
    return [person.id for person in found]


def block_leads(workspace: Workspace, list_id: int, lead_ids: Sequence[int], reason: str) -> tuple[int, str]:
    """Block the people of these leads of a list; see `block`."""
    lists.get_list(workspace, list_id)
    persons = [lead.person for lead in leads.get_many_of_list(workspace, list_id, lead_ids)]
    return block(workspace, persons, reason)


def unblock(workspace: Workspace, name: str) -> tuple[int, int]:
    """Undo a block; return how many people are free, and how many another entry still blocks.

    The free ones continue in their campaigns. Raise Conflict when it was undone already, or is too long ago.
    """
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        job = jobs.waiting(workspace, never_contact.WAY_BACK, name)
        if job is None:
            raise Conflict(
                "It's too late to undo this.",
                recovery="Remove these people from the do-not-contact list. Their campaigns continue without them.",
            )
        ours = (NeverContact.workspace_id == workspace.id, NeverContact.source == "")
        gone = sa.delete(NeverContact).where(*ours, in_list(NeverContact.id, job.payload["entries"]))
        gone_ids = current.scalars(gone.returning(NeverContact.id).execution_options(**_SILENT)).all()
        for entry_id, source in job.payload["sources"].items():
            given_back = sa.update(NeverContact).where(*ours, NeverContact.id == int(entry_id)).values(source=source)
            current.execute(given_back.execution_options(**_SILENT))
        _settle(workspace, job.payload["people"])
        stay = job.payload["number"] - len(job.payload["entries"])
        current.delete(job)
        return len(gone_ids), stay


def end_undo(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Exclude the people whose block was not undone in time from their campaigns."""
    with transaction():
        locks.lock_workspaces([workspace.id])
        _settle(workspace, payload["people"])


def _settle(workspace: Workspace, held: Sequence[int]) -> None:
    """Exclude the held people who still match an entry; resume the others where they were."""
    for batch in in_batches(list(held)):
        free = _take_out(workspace, session().execute(_in_campaigns(workspace, CampaignLead.id.in_(batch))).all())
        query = sa.select(CampaignLead).where(CampaignLead.id.in_(free), CampaignLead.state == LeadState.PAUSED)
        query = query.where(CampaignLead.reason == BECAUSE).order_by(CampaignLead.id).with_for_update()
        for person in session().scalars(query.execution_options(populate_existing=True)).all():
            campaign = session().get_one(Campaign, person.campaign_id)
            campaign_leads.resume_one(campaign, person, free[person.id], workspace.now())
