"""Campaigns: create, start, pause, cancel and duplicate them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.actor import refuse_unapproved
from app.core.db import MAX_ID, fetch, get_owned, has_every_word, in_batches, in_list, session, transaction
from app.core.errors import Conflict, NotFound
from app.core.paging import Sorts
from app.domain.approvals import drafting, release
from app.domain.billing import plans, subscriptions
from app.domain.campaigns import branch_validation, enrolment, exclusion_preview, reply_actions, validation
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.campaigns.validation import Problems
from app.domain.leads import lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import contact_settings, gate
from app.domain.platform import audit_log, locks
from app.domain.rules.sequences import step_keys
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import domain_check, wake
from app.domain.webhooks import events
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import (
    CAMPAIGN,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignStats,
    CampaignStatus,
    LeadState,
)
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from app.resources.campaigns.campaigns import Campaign as Shown

Sequence_ = Sequence[Mapping[str, Any]]
ENDED = (CampaignStatus.FINISHED, CampaignStatus.CANCELED, CampaignStatus.FAILED)
MOST_ENROLLED = 20_000
MOST_TO_CHOOSE = 200  # campaigns in a form
MOST_WORDS = 8  # of a search for names
# Building this statement takes longer than running it, so it is built once.
_WITH_STATS = sa.select(*Shown.selected).join(CampaignStats, CampaignStats.campaign_id == Campaign.id)
_ONE_WITH_STATS = _WITH_STATS.where(
    Campaign.workspace_id == sa.bindparam("workspace"), Campaign.id == sa.bindparam("campaign")
)


def create(
    workspace: Workspace,
    *,
    name: str,
    list_id: int,
    account_ids: Sequence[int],
    sequence: Sequence_,
    schedule: Mapping[str, Any] | None = None,
    approval: bool = False,
    wait_for_profile: bool = False,
    skip_expired: bool = False,
    pick_winner: bool = False,
    exclude: Mapping[str, Any] | None = None,
    branches: Sequence_ = (),
    on_reply: Sequence_ = (),
    unfinished: bool = False,
) -> Campaign:
    """Create a draft. Nothing is sent until it is started; with `approval` each message needs a decision.

    With `wait_for_profile`, steps that need a profile wait for people known by email alone; else they are skipped. With
    `skip_expired`, people go on when a draft of theirs was not decided in time; else they wait. With `pick_winner` the
    winner among a step's variants is taken, not only offered. In an `unfinished` draft texts may be missing.
    """
    with transaction() as current:
        columns = _checked(workspace, name, list_id, account_ids, sequence, schedule, branches, on_reply, unfinished)
        columns |= {"created_at": workspace.now(), "approval": approval, "wait_for_profile": wait_for_profile}
        columns |= {"skip_expired": skip_expired, "pick_winner_at": workspace.now() if pick_winner else None}
        columns |= _exclusions(workspace, exclude or {})
        campaign = Campaign(workspace_id=workspace.id, status=CampaignStatus.DRAFT, **columns)
        current.add(campaign)
        current.flush()
        current.add(CampaignStats(campaign_id=campaign.id, workspace_id=workspace.id))
        audit_log.record(workspace, "campaign.created", campaign.name, after={"approval": approval})
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
    approval: bool | None = None,
    wait_for_profile: bool | None = None,
    pick_winner: bool | None = None,
    exclude: Mapping[str, Any] | None = None,
    branches: Sequence_ | None = None,
    on_reply: Sequence_ | None = None,
    unfinished: bool = False,
) -> Campaign:
    """Replace the draft as a whole; only a draft can be edited this way. Without `branches`, the present ones stay."""
    with transaction():
        campaign = locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "edit")
        split = campaign.branches or () if branches is None else branches
        done = campaign.on_reply or () if on_reply is None else on_reply
        before = _for_audit_log(campaign)
        columns = _checked(workspace, name, list_id, account_ids, sequence, schedule, split, done, unfinished)
        for column, value in (columns | ({} if exclude is None else _exclusions(workspace, exclude))).items():
            setattr(campaign, column, value)
        campaign.approval = campaign.approval if approval is None else approval
        if wait_for_profile is not None:
            campaign.wait_for_profile = wait_for_profile
        if pick_winner is not None:
            campaign.pick_winner_at = workspace.now() if pick_winner else None
        if not unfinished or before != _for_audit_log(campaign):  # unfinished drafts are saved while typing
            audit_log.record(workspace, "campaign.edited", campaign.name, before=before, after=_for_audit_log(campaign))
        return campaign


def _for_audit_log(campaign: Campaign) -> dict[str, Any]:
    """Return the values of a draft that the audit log records."""
    steps = ", ".join(step["type"] for step in campaign.sequence)
    return {"name": campaign.name, "list": campaign.list_id, "steps": steps, "approval": campaign.approval}


def change_exclusions(workspace: Workspace, campaign_id: int, exclude: Mapping[str, Any]) -> Campaign:
    """Change who is left out, in every campaign that has not ended: the gate is asked again before each send.

    What is not given stays as it is; None follows the workspace. Drafts that wait are asked about at once.
    """
    with transaction() as current:
        campaign = locked(workspace, campaign_id)
        if campaign.status in ENDED:
            raise Conflict("This campaign has ended.", recovery="Duplicate the campaign and change the copy.")
        columns = changed_exclusions(workspace, campaign, exclude)
        before, stopped = gate.rules_of(workspace, campaign), campaign.stop_company_on_reply
        campaign.contact_rules = columns["contact_rules"]
        campaign.stop_company_on_reply = columns["stop_company_on_reply"]
        after, stops = gate.rules_of(workspace, campaign), campaign.stop_company_on_reply
        current.flush()
        if (before, stopped) != (after, stops) and campaign.status != CampaignStatus.DRAFT:
            at = workspace.now()
            audit_log.record(
                workspace,
                "campaign.exclusions",
                campaign.name,
                before={"left out": "; ".join(before.in_words(stopped))},
                after={"left out": "; ".join(after.in_words(stops))},
            )
            drafting.recheck(campaign, at)
            if stopped and not stops:
                _let_go(campaign, at)
        return campaign


def changed_exclusions(workspace: Workspace, campaign: Campaign, exclude: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as they are after the change, or raise every problem at once."""
    former = {name: value for name, value in (campaign.contact_rules or {}).items() if name not in exclude}
    columns = _exclusions(workspace, exclude)
    rules = (former | (columns["contact_rules"] or {})) or None
    stop = columns["stop_company_on_reply"] if "company_stop" in exclude else campaign.stop_company_on_reply
    return {"contact_rules": rules, "stop_company_on_reply": stop}


def change_reply_rules(workspace: Workspace, campaign_id: int, rules: Sequence_) -> Campaign:
    """Change the reply actions of a campaign that has not ended: what a reply of some sentiment causes."""
    with transaction():
        campaign = locked(workspace, campaign_id)
        if campaign.status in ENDED:
            raise Conflict("This campaign has ended.", recovery="Duplicate the campaign and change the copy.")
        problems = Problems()
        found = reply_actions.check(workspace, rules, problems.add)
        problems.done()
        campaign.on_reply = found or None
        audit_log.record(workspace, "campaign.reply_rules", campaign.name)
        return campaign


def _exclusions(workspace: Workspace, exclude: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of the exclusion settings, or raise every problem at once."""
    kept, wrong = contact_settings.check(workspace, exclude)
    problems = Problems()
    for path, sentence in wrong:
        problems.add(path, sentence)
    problems.done()
    stop = exclude.get("company_stop")
    stop = contact_settings.company_stop(workspace) if stop is None else bool(stop)
    return {"contact_rules": kept or None, "stop_company_on_reply": stop}


def _let_go(campaign: Campaign, at: datetime) -> None:
    """Release people who were held because a colleague of theirs replied."""
    query = sa.select(CampaignLead).where(
        CampaignLead.campaign_id == campaign.id,
        CampaignLead.state == LeadState.PAUSED,
        CampaignLead.reason == "company_held",
    )
    for person in session().scalars(query.order_by(CampaignLead.id).with_for_update()).all():
        campaign_leads.resume_one(campaign, person, bool(person.person.email), at)


def rename(workspace: Workspace, campaign_id: int, name: str) -> Campaign:
    """Rename the campaign, in any state."""
    with transaction():
        campaign = locked(workspace, campaign_id)
        problems, before = Problems(), {"name": campaign.name}
        campaign.name = validation.check_name(name, problems)
        problems.done()
        audit_log.record(workspace, "campaign.renamed", campaign.name, before=before)
        return campaign


def delete(workspace: Workspace, campaign_id: int) -> None:
    """Delete a draft or an ended campaign with its statistics."""
    with transaction() as current:
        campaign = locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "delete")
        audit_log.record(workspace, "campaign.deleted", campaign.name)
        current.delete(campaign)


def locked(workspace: Workspace, campaign_id: int) -> Campaign:
    """Return the campaign, locked until the transaction ends, or raise NotFound."""
    locks.lock_workspaces([workspace.id])
    return get_owned(Campaign, workspace, campaign_id, lock=True)


def _checked(
    workspace: Workspace,
    name: str,
    list_id: int,
    account_ids: Sequence[int],
    sequence: Sequence_,
    schedule: Mapping[str, Any] | None,
    branches: Sequence_,
    on_reply: Sequence_,
    unfinished: bool,
) -> dict[str, Any]:
    """Return the columns of a draft, or raise every problem at once."""
    problems = Problems()
    name = validation.check_name(name, problems)
    validation.check_list(workspace, list_id, problems)
    accounts = validation.check_accounts(workspace, account_ids, problems)
    mailboxes = mailboxes_for(workspace, accounts, sequence)
    everyone = [*accounts, *(mailbox for mailbox in mailboxes if mailbox not in accounts)]
    split = branch_validation.check_branches(branches, len(sequence), problems.add)
    stored = validation.check_sequence(sequence, everyone, problems, branches=split)
    done = reply_actions.check(workspace, on_reply, problems.add)
    hours = validation.check_schedule(workspace, schedule, problems)
    if unfinished:  # the start asks for the texts again
        problems.fields = [field for field in problems.fields if field.message not in validation.TO_WRITE]
    validation.check_overlap(hours, everyone, workspace.now(), problems)
    problems.done()
    return {
        "name": name,
        "list_id": list_id,
        "account_ids": [account.id for account in accounts],
        "mailbox_ids": [mailbox.id for mailbox in mailboxes],
        "sequence": stored,
        "branches": split or None,
        "on_reply": done or None,
        **hours,
    }


def mailboxes_for(workspace: Workspace, accounts: list[Account], sequence: Sequence_) -> list[Account]:
    """Return the mailboxes of the email steps: the chosen ones, else all connected ones; tasks take the chosen ones."""
    kinds = {step.get("type") for step in sequence}
    named = [account for account in accounts if account.channel == Channel.EMAIL]
    if "email" not in kinds:
        return named if "task" in kinds else []
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id,
        Account.channel == Channel.EMAIL,
        Account.status == AccountStatus.CONNECTED,
        Account.active.is_(True),
    )
    return named or list(session().scalars(query.order_by(Account.id)))


def get(workspace: Workspace, campaign_id: int) -> Campaign:
    """Return the campaign, or raise NotFound."""
    return get_owned(Campaign, workspace, campaign_id)


def get_counted(workspace: Workspace, campaign_id: int) -> tuple[Campaign, CampaignStats]:
    """Return the campaign and its counters, for a page that shows both, or raise NotFound."""
    query = sa.select(Campaign, CampaignStats).join(CampaignStats, CampaignStats.campaign_id == Campaign.id)
    ours = (Campaign.id == min(campaign_id, MAX_ID), Campaign.workspace_id == workspace.id)
    found = session().execute(query.where(*ours)).one_or_none()
    if found is None:
        raise NotFound("Campaign not found.")
    return found[0], found[1]


def page(workspace: Workspace, status: str | None = None) -> sa.Select[Campaign]:
    """Select the workspace's campaigns, of one status or of all."""
    query = sa.select(Campaign).where(Campaign.workspace_id == workspace.id)
    return query.where(Campaign.status == status) if status else query


def table(workspace: Workspace, status: str = "", name: str = "") -> sa.Select[Any]:
    """Select campaigns joined with the counters that SORTS needs; their name must have every word of `name`."""
    query: sa.Select[Any] = page(workspace, status or None)
    return query.join(CampaignStats, CampaignStats.campaign_id == Campaign.id).where(
        *has_every_word([Campaign.name], name)
    )


def _rate(part: Any, whole: Any) -> Any:
    return part * 10_000 // sa.func.nullif(whole, 0, type_=sa.Integer)


_S = CampaignStats
SORTS: Sorts = {  # by what campaigns are sorted: (value, condition that a campaign has no value)
    "name": (sa.func.lower(Campaign.name), sa.false()),
    "status": (Campaign.status, sa.false()),
    "people": (_S.leads, _S.leads == 0),
    "accepted": (_rate(_S.accepted, _S.invites_sent), _S.invites_sent == 0),
    "replies": (_S.replies, _S.replies == 0),
    "positive": (_S.positive, _S.positive == 0),
    "messages": (_S.messages_sent, _S.messages_sent == 0),
    "started": (started := sa.func.coalesce(Campaign.started_at, Campaign.start_date), started.is_(None)),
}


def newest(workspace: Workspace) -> Sequence[Any]:
    """Return id and name of the campaigns to choose from, newest first."""
    ours = page(workspace).with_only_columns(Campaign.id, Campaign.name)
    return session().execute(ours.order_by(Campaign.id.desc()).limit(MOST_TO_CHOOSE)).all()


def first_of(workspace: Workspace, statuses: Sequence[str], most: int) -> tuple[Sequence[Campaign], int]:
    """Return up to `most` campaigns in the order of `statuses`, newest first in each, and the number of all."""
    ours = (Campaign.workspace_id == workspace.id, Campaign.status.in_(statuses))
    order = sa.case({status: place for place, status in enumerate(statuses)}, value=Campaign.status)
    found = session().scalars(sa.select(Campaign).where(*ours).order_by(order, Campaign.id.desc()).limit(most)).all()
    if len(found) < most:
        return found, len(found)
    return found, session().scalar(sa.select(sa.func.count(Campaign.id)).where(*ours)) or 0


def with_stats(
    workspace: Workspace, status: str | None = None, name: str = "", list_id: int | None = None
) -> sa.Select[Any]:
    """Select campaigns, each with its counters in one plain row; their name must have every word of `name`."""
    # `+ 0` keeps SQLite from the index on workspace_id: the ids of the list's few campaigns are faster.
    owner = Campaign.workspace_id if list_id is None else Campaign.workspace_id + 0
    query = _WITH_STATS.where(owner == workspace.id)
    if status is not None:
        query = query.where(Campaign.status == status)
    if list_id is not None:
        query = query.where(Campaign.id.in_(lists.campaigns_of(list_id)))
    for word in text.squeeze(name).split()[:MOST_WORDS]:
        query = query.where(sa.or_(*(Campaign.name.icontains(one, autoescape=True) for one in text.spellings(word))))
    return query


def get_with_stats(workspace: Workspace, campaign_id: int) -> Any:
    """Return the campaign and its counters in one plain row, or raise NotFound."""
    found = fetch(_ONE_WITH_STATS, workspace=workspace.id, campaign=campaign_id)
    if not found:
        raise NotFound("Campaign not found.")
    return found[0]


def stats(workspace: Workspace, campaign_ids: Sequence[int]) -> dict[int, CampaignStats]:
    """Return the counters of these campaigns by id."""
    query = sa.select(CampaignStats).where(
        CampaignStats.workspace_id == workspace.id, CampaignStats.campaign_id.in_(campaign_ids)
    )
    return {row.campaign_id: row for row in session().scalars(query)}


def start(workspace: Workspace, campaign_id: int) -> Campaign:
    """Start the campaign and enrol its list; small lists are enrolled before this returns."""
    check_may_contact(workspace)
    with transaction():
        campaign = locked(workspace, campaign_id)
        plans.check(workspace, "running_campaigns")
        at = workspace.now()
        later = campaign.start_date is not None and campaign.start_date > at
        CAMPAIGN.move(campaign, "schedule" if later and campaign.status == CampaignStatus.DRAFT else "start")
        _check_startable(workspace, campaign, at)
        check_approval(campaign)
        open_lanes(campaign)
        release.hold_first_people(workspace, campaign)
        domain_check.queue_unchecked(workspace, campaign.mailbox_ids)
        if not later:
            campaign.started_at = at
            tell(campaign, "campaign_started", at)
            enrol_on(campaign, at)
            kept_forecasts.keep_forecast(workspace, campaign)
        audit_log.record(workspace, "campaign.started", campaign.name)
        return campaign


def check_approval(campaign: Campaign) -> None:
    """Raise Forbidden when people would be contacted without approval, and who acts may not do that."""
    if not campaign.approval or campaign.approve_first is not None:  # the first people's approval ends by itself
        refuse_unapproved()


def check_may_contact(workspace: Workspace) -> None:
    """Raise an error that says why if the workspace may not contact people."""
    subscriptions.require(workspace)


def _check_startable(workspace: Workspace, campaign: Campaign, at: datetime) -> None:
    problems = Problems()
    people = session().scalar(lists.lists(workspace).where(LeadList.id == campaign.list_id))
    if people is None or not (people.lead_count or campaign.joins_per_day):
        problems.add("listId", "The list is empty. Add people before you start.")
    if campaign.end_date and campaign.end_date <= at:
        problems.add("schedule.endDate", "The end date is in the past.")
    accounts = validation.check_accounts(workspace, campaign.account_ids, problems)
    mailboxes = mailboxes_for(workspace, accounts, campaign.sequence)
    validation.check_sequence(campaign.sequence, [*accounts, *mailboxes], problems, branches=campaign.branches or ())
    problems.done()
    campaign.mailbox_ids = [mailbox.id for mailbox in mailboxes]
    if not campaign.joins_per_day:
        exclusion_preview.check_reach(workspace, campaign, problems)


def open_lanes(campaign: Campaign) -> None:
    """Create a lane for each of the campaign's senders. Inside a transaction."""
    for account_id in campaign.sender_ids:
        session().merge(
            CampaignAccount(campaign_id=campaign.id, account_id=account_id, workspace_id=campaign.workspace_id)
        )
    session().flush()


def enrol_on(campaign: Campaign, at: datetime) -> None:
    """Enrol the next chunk of the list; run the campaign after the last one. Inside a transaction."""
    if not enrolment.enrol_chunk(campaign, at):
        CAMPAIGN.move(campaign, "run")
    wake.wake_senders(campaign.sender_ids, at)


@dataclass(frozen=True)
class Enrolled:
    """What became of people who were added: `added` are new in the campaign, `excluded` of these are not contacted,

    `held` of them wait because their company does, and `skipped` were in it before, under whatever list.
    """

    added: int
    skipped: int
    excluded: int
    held: int = 0


def enrol_more(
    workspace: Workspace, campaign_id: int, lead_ids: Sequence[int] = (), list_id: int | None = None
) -> Enrolled:
    """Enrol these leads of the workspace, and all of a list, in the running campaign."""
    check_may_contact(workspace)
    with transaction() as current:
        campaign = locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "enrol")
        check_approval(campaign)
        before = _left_out(campaign)
        total = added = 0
        for chunk in in_batches(list(_wanted(workspace, lead_ids, list_id)), enrolment.CHUNK):
            total += len(chunk)
            added += enrolment.enrol(campaign, chunk, workspace.now())
        wake.wake_senders(campaign.sender_ids, workspace.now())
        current.flush()
        excluded, held = (now - then for now, then in zip(_left_out(campaign), before, strict=True))
        audit_log.record(workspace, "campaign.enrolled", campaign.name, after={"people": added})
        return Enrolled(added, total - added, excluded, held)


def _left_out(campaign: Campaign) -> Sequence[int]:
    """Return how many leads were enrolled and then excluded, and how many are on hold."""
    query = sa.select(CampaignStats.excluded + CampaignStats.failed, CampaignStats.paused)
    return session().execute(query.where(CampaignStats.campaign_id == campaign.id)).one()


def _wanted(workspace: Workspace, lead_ids: Sequence[int], list_id: int | None) -> Sequence[Lead]:
    """Return the leads to enrol, or raise every problem at once."""
    problems = Problems()
    if not lead_ids and list_id is None:
        problems.add("leadIds", "Send lead ids, or a list in listId.")
    query = sa.select(Lead).where(Lead.workspace_id == workspace.id, Lead.deleted_at.is_(None)).order_by(Lead.id)
    found = list(session().scalars(query.where(in_list(Lead.id, lead_ids)))) if lead_ids else []
    known = {lead.id for lead in found}
    for index, lead_id in enumerate(lead_ids):
        if lead_id not in known:
            problems.add(f"leadIds[{index}]", "Lead not found in this workspace.")
    if list_id is not None:
        validation.check_list(workspace, list_id, problems)
        listed = list(session().scalars(query.where(Lead.list_id == list_id).limit(MOST_ENROLLED + 1)))
        if len(listed) > MOST_ENROLLED:
            problems.add("listId", f"Add at most {MOST_ENROLLED:,} people at once.")
        found += [lead for lead in listed if lead.id not in known]
    problems.done()
    return found


def pause(workspace: Workspace, campaign_id: int) -> Campaign:
    """Pause the campaign; an action already under way still ends."""
    with transaction():
        campaign = locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "pause")
        tell(campaign, "campaign_paused", workspace.now())
        audit_log.record(workspace, "campaign.paused", campaign.name)
        return campaign


def tell(campaign: Campaign, kind: str, at: datetime) -> None:
    """Record an event about the whole campaign. Inside a transaction."""
    why = campaign.error or None if kind == "campaign_paused" else None
    events.record(campaign.workspace_id, [events.new(kind, at, {"campaign": campaign, "reason": why})])


def resume(workspace: Workspace, campaign_id: int) -> Campaign:
    """Resume a paused campaign; its people become due at the next open hour."""
    check_may_contact(workspace)
    with transaction():
        campaign = locked(workspace, campaign_id)
        plans.check(workspace, "running_campaigns")
        at = workspace.now()
        # Otherwise the move "resume" raises the error with what to do.
        paused = campaign.status == CampaignStatus.PAUSED
        if paused:
            validation.check_end_date(campaign, at)
        if paused and campaign.start_date is not None and campaign.start_date > at:
            CAMPAIGN.move(campaign, "schedule_again")
        elif paused and (campaign.started_at is None or enrolment.unfinished(campaign)):
            CAMPAIGN.move(campaign, "restart")
            if campaign.started_at is None:
                campaign.started_at = at
                tell(campaign, "campaign_started", at)
                kept_forecasts.keep_forecast(workspace, campaign)
        else:
            CAMPAIGN.move(campaign, "resume")
        check_approval(campaign)
        campaign.error = ""
        drafting.extend_expiry(campaign.id, at)
        wake.wake_senders(campaign.sender_ids, at)
        audit_log.record(workspace, "campaign.continued", campaign.name)
        return campaign


def cancel(workspace: Workspace, campaign_id: int) -> Campaign:
    """Cancel the campaign for good and stop the people still in it."""
    with transaction():
        campaign = locked(workspace, campaign_id)
        CAMPAIGN.move(campaign, "cancel")
        campaign.ended_at = workspace.now()
        enrolment.stop_all(campaign, "stopped_by_you", campaign.ended_at)
        audit_log.record(workspace, "campaign.canceled", campaign.name)
        return campaign


def duplicate(workspace: Workspace, campaign_id: int) -> Campaign:
    """Duplicate a campaign as a new draft with the same list, senders, steps and hours."""
    with transaction() as current:
        source = get_owned(Campaign, workspace, campaign_id)
        copied = (
            "list_id account_ids mailbox_ids branches on_reply timezone days start_time end_time"
            " stop_company_on_reply approval wait_for_profile skip_expired pick_winner_at contact_rules windows"
            " recipient_time holidays blackouts new_per_day joins_per_day"
        ).split()
        copy = Campaign(
            workspace_id=workspace.id,
            name=text.shorten(f"Copy of {source.name}", 200),
            status=CampaignStatus.DRAFT,
            created_at=workspace.now(),
            start_date=None,
            end_date=None,
            **{column: getattr(source, column) for column in copied},
            sequence=step_keys.plain(source.sequence),
        )
        current.add(copy)
        current.flush()
        current.add(CampaignStats(campaign_id=copy.id, workspace_id=workspace.id))
        audit_log.record(workspace, "campaign.created", copy.name, after={"approval": copy.approval})
        return copy


def budgets(campaign: Any) -> list[str]:
    """Return the sending budgets (kinds of action with a limit of their own) that the campaign's steps use."""
    return list(dict.fromkeys(STEPS[step["type"]].budget for step in campaign.sequence))
