"""Campaigns: from a draft to the last person, and back to a new draft."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, SubscriptionRequired, WorkspaceSuspended
from app.domain import calendar, enrolment, hold, leads, sequences, wake
from app.domain.calendar import Window
from app.domain.sequences import Problems
from app.domain.steps import STEPS
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import (
    CAMPAIGN,
    Campaign,
    CampaignAccount,
    CampaignStats,
    CampaignStatus,
)
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

Sequence_ = Sequence[Mapping[str, Any]]


def create(
    workspace: Workspace,
    *,
    name: str,
    list_id: int,
    account_ids: Sequence[int],
    sequence: Sequence_,
    schedule: Mapping[str, Any] | None = None,
) -> Campaign:
    """A draft. It contacts nobody until it is started."""
    with transaction() as current:
        columns = _checked(workspace, name, list_id, account_ids, sequence, schedule)
        campaign = Campaign(
            workspace_id=workspace.id, status=CampaignStatus.DRAFT, created_at=workspace.now(), **columns
        )
        current.add(campaign)
        current.flush()
        current.add(CampaignStats(campaign_id=campaign.id, workspace_id=workspace.id))
        return campaign


def edit(
    workspace: Workspace,
    campaign_id: int,
    *,
    name: str,
    list_id: int,
    account_ids: Sequence[int],
    sequence: Sequence_,
    schedule: Mapping[str, Any] | None = None,
) -> Campaign:
    """The draft is what was given; only a draft can be rewritten as a whole."""
    with transaction():
        campaign = _locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "edit")
        for column, value in _checked(workspace, name, list_id, account_ids, sequence, schedule).items():
            setattr(campaign, column, value)
        return campaign


def rename(workspace: Workspace, campaign_id: int, name: str) -> Campaign:
    """The campaign has another name; in any state."""
    with transaction():
        campaign = _locked(workspace, campaign_id)
        problems = Problems()
        campaign.name = sequences.check_name(name, problems)
        problems.done()
        return campaign


def delete(workspace: Workspace, campaign_id: int) -> None:
    """A draft, or a campaign that ended, is gone with all that it counted."""
    with transaction() as current:
        campaign = _locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "delete")
        current.delete(campaign)


def _locked(workspace: Workspace, campaign_id: int) -> Campaign:
    hold.workspaces([workspace.id])
    return owned(Campaign, workspace, campaign_id, lock=True)


def _checked(
    workspace: Workspace,
    name: str,
    list_id: int,
    account_ids: Sequence[int],
    sequence: Sequence_,
    schedule: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns of a draft, or every problem at once."""
    problems = Problems()
    name = sequences.check_name(name, problems)
    sequences.check_list(workspace, list_id, problems)
    accounts = sequences.check_accounts(workspace, account_ids, problems)
    mailboxes = _mailboxes(workspace, accounts, sequence)
    everyone = [*accounts, *(mailbox for mailbox in mailboxes if mailbox not in accounts)]
    stored = sequences.check_sequence(sequence, everyone, problems)
    hours = sequences.check_schedule(workspace, schedule, problems)
    if not problems.fields and not _ever_open(hours, everyone, workspace.now()):
        problems.add("schedule.days", "These hours never overlap with the working hours of any account.")
    problems.done()
    return {
        "name": name,
        "list_id": list_id,
        "account_ids": [account.id for account in accounts],
        "mailbox_ids": [mailbox.id for mailbox in mailboxes],
        "sequence": stored,
        **hours,
    }


def _mailboxes(workspace: Workspace, accounts: list[Account], sequence: Sequence_) -> list[Account]:
    """Who sends the e-mail steps: the mailboxes that were named, else all connected ones."""
    if not any(step.get("type") == "email" for step in sequence):
        return []
    named = [account for account in accounts if account.channel == Channel.EMAIL]
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id,
        Account.channel == Channel.EMAIL,
        Account.status == AccountStatus.CONNECTED,
        Account.active.is_(True),
    )
    return named or list(session().scalars(query.order_by(Account.id)))


def _ever_open(hours: Mapping[str, Any], accounts: list[Account], at: datetime) -> bool:
    window = Window(hours["timezone"], tuple(hours["days"]), hours["start_time"], hours["end_time"])
    return any(
        calendar.next_open([window, Window(a.timezone, tuple(a.work_days), a.work_start, a.work_end)], at)
        for a in accounts
    )


def get(workspace: Workspace, campaign_id: int) -> Campaign:
    """The campaign, or NotFound."""
    return owned(Campaign, workspace, campaign_id)


def page(workspace: Workspace, status: str | None = None) -> sa.Select[Campaign]:
    """The campaigns of the workspace, of one status or of all."""
    query = sa.select(Campaign).where(Campaign.workspace_id == workspace.id)
    return query.where(Campaign.status == status) if status else query


def stats(workspace: Workspace, campaign_ids: Sequence[int]) -> dict[int, CampaignStats]:
    """The counters of these campaigns."""
    query = sa.select(CampaignStats).where(
        CampaignStats.workspace_id == workspace.id, CampaignStats.campaign_id.in_(campaign_ids)
    )
    return {row.campaign_id: row for row in session().scalars(query)}


def start(workspace: Workspace, campaign_id: int) -> Campaign:
    """The campaign enrols the people of its list and runs; small lists are enrolled before this returns."""
    _may_contact(workspace)
    with transaction():
        campaign = _locked(workspace, campaign_id)
        at = workspace.now()
        later = campaign.start_date is not None and campaign.start_date > at
        CAMPAIGN.move(campaign, "schedule" if later and campaign.status == CampaignStatus.DRAFT else "start")
        _check_startable(workspace, campaign, at)
        _open_lanes(campaign)
        if not later:
            campaign.started_at = at
            enrol_on(campaign, at)
        return campaign


def _may_contact(workspace: Workspace) -> None:
    if workspace.suspended_at:
        raise WorkspaceSuspended("This workspace is suspended.")
    if not workspace.may_contact:
        raise SubscriptionRequired("The subscription has ended, so nobody can be contacted.")


def _check_startable(workspace: Workspace, campaign: Campaign, at: datetime) -> None:
    problems = Problems()
    people = session().scalar(leads.lists(workspace).where(LeadList.id == campaign.list_id))
    if people is None or not people.lead_count:
        problems.add("listId", "The list has no people. Add some before you start.")
    if campaign.end_date and campaign.end_date <= at:
        problems.add("schedule.endDate", "The end date has passed.")
    accounts = sequences.check_accounts(workspace, campaign.account_ids, problems)
    mailboxes = _mailboxes(workspace, accounts, campaign.sequence)
    sequences.check_sequence(campaign.sequence, [*accounts, *mailboxes], problems)
    problems.done()
    campaign.mailbox_ids = [mailbox.id for mailbox in mailboxes]


def _open_lanes(campaign: Campaign) -> None:
    wanted = dict.fromkeys([*campaign.account_ids, *campaign.mailbox_ids])
    for account_id in wanted:
        session().merge(
            CampaignAccount(campaign_id=campaign.id, account_id=account_id, workspace_id=campaign.workspace_id)
        )
    session().flush()


def enrol_on(campaign: Campaign, at: datetime) -> None:
    """The next chunk of the list is enrolled; after the last one the campaign runs. Inside a transaction."""
    if not enrolment.enrol_chunk(campaign, at):
        CAMPAIGN.move(campaign, "run")
    wake.senders([*campaign.account_ids, *campaign.mailbox_ids], at)


def enrol_more(workspace: Workspace, campaign_id: int, lead_ids: Sequence[int]) -> int:
    """These leads of the workspace are in the campaign too; the number that was not before."""
    _may_contact(workspace)
    with transaction() as current:
        campaign = _locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "enrol")
        query = sa.select(Lead).where(Lead.workspace_id == workspace.id, Lead.id.in_(lead_ids)).order_by(Lead.id)
        found = current.scalars(query).all()
        missing = set(lead_ids) - {lead.id for lead in found}
        if missing:
            raise InvalidRequest.of(
                *(
                    (f"leadIds[{index}]", "There is no such lead in this workspace.")
                    for index, lead_id in enumerate(lead_ids)
                    if lead_id in missing
                )
            )
        added = enrolment.enrol(campaign, found, workspace.now())
        wake.senders([*campaign.account_ids, *campaign.mailbox_ids], workspace.now())
        return added


def pause(workspace: Workspace, campaign_id: int) -> Campaign:
    """Nothing more is done for the campaign; an action already under way still ends."""
    with transaction():
        campaign = _locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "pause")
        return campaign


def resume(workspace: Workspace, campaign_id: int) -> Campaign:
    """A paused campaign goes on where it stood; its people become due at the next open hour."""
    _may_contact(workspace)
    with transaction():
        campaign = _locked(workspace, campaign_id)
        at = workspace.now()
        paused = campaign.status == CampaignStatus.PAUSED  # else "resume" says why not, and what to do
        if paused and campaign.end_date is not None and campaign.end_date <= at:
            raise Conflict(
                "The end date of this campaign has passed.",
                recovery="Duplicate the campaign and give the copy a later end date.",
            )
        if paused and campaign.start_date is not None and campaign.start_date > at:
            CAMPAIGN.move(campaign, "schedule_again")
        elif paused and (campaign.started_at is None or enrolment.unfinished(campaign)):
            CAMPAIGN.move(campaign, "restart")
            campaign.started_at = campaign.started_at or at
        else:
            CAMPAIGN.move(campaign, "resume")
        wake.senders([*campaign.account_ids, *campaign.mailbox_ids], at)
        return campaign


def cancel(workspace: Workspace, campaign_id: int) -> Campaign:
    """The campaign has ended for good; people still in it are stopped."""
    with transaction():
        campaign = _locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "cancel")
        campaign.ended_at = workspace.now()
        enrolment.stop_all(campaign, "stopped_by_you", campaign.ended_at)
        return campaign


def duplicate(workspace: Workspace, campaign_id: int) -> Campaign:
    """A new draft with the same list, senders, steps and hours."""
    with transaction() as current:
        source = owned(Campaign, workspace, campaign_id)
        copied = (
            "list_id account_ids mailbox_ids sequence timezone days start_time end_time stop_company_on_reply".split()
        )
        copy = Campaign(
            workspace_id=workspace.id,
            name=text.shorten(f"Copy of {source.name}", 200),
            status=CampaignStatus.DRAFT,
            created_at=workspace.now(),
            start_date=None,
            end_date=None,
            **{column: getattr(source, column) for column in copied},
        )
        current.add(copy)
        current.flush()
        current.add(CampaignStats(campaign_id=copy.id, workspace_id=workspace.id))
        return copy


def budgets(campaign: Any) -> list[str]:
    """The budgets that the campaign's steps use."""
    return list(dict.fromkeys(STEPS[step["type"]].budget for step in campaign.sequence))
