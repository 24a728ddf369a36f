"""Change the senders of a campaign on its way: who leaves hands their people over, who joins takes part of the rest.

People are looked at in chunks, each in its own transaction, so that many people need no long request; what was done is
stored with the revision, and the lifecycle goes on from there after a restart.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import by_id, change_rows, in_list, in_pages, session
from app.domain.approvals import drafting, release
from app.domain.campaigns import campaigns, validation
from app.domain.campaigns.changes import hand_over, revision_log
from app.domain.campaigns.changes.hand_over import (
    BUSY,
    MOVED,
    SKIP,
    SKIPPED,
    STAYS,
    WAIT,
    WAITS,
    WITHDRAWN,
    Decision,
    Plan,
    Standing,
)
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.validation import Problems
from app.domain.ledger.campaign_counters import Tally
from app.domain.people import condition_facts
from app.domain.people.exclusions.facts import THEY_WROTE
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import wake
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import (
    OPEN_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignRevision,
    Connection,
    LeadState,
    RevisionKind,
)
from app.models.conversations import Conversation
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace

CHUNK = 1000
STRANDED = (WAIT, SKIP)
_P = CampaignLead
_MESSAGES = [name for name, step in STEPS.items() if step.is_message]
_CAN_SEND = (AccountStatus.CONNECTED, AccountStatus.UNKNOWN)
SAYS = {
    MOVED: "{people} continue{s} with another sender.",
    WITHDRAWN: "{people} continue{s} with another sender, after the open connection request is withdrawn.",
    STAYS: "{people} stay{s} with their sender because of a conversation or connection.",
    WAITS: "{people} wait{s} until their sender is connected again.",
    SKIPPED: "{people} skip{s} their sender's steps.",
    BUSY: "{people} stay{s} with their sender because something is being sent.",
}


def preview(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, int], list[str]]:
    """Return for how many people what would change, in numbers and words."""
    task = _checked(workspace, campaign, wanted)[0]
    counted: Counter[str] = Counter()
    for chunk in _chunks(campaign, 0):
        counted.update(found.what for _, decisions in _decided(campaign, task, chunk) for found in decisions.values())
    return told(counted)


def told(counted: Mapping[str, int]) -> tuple[dict[str, int], list[str]]:
    """Return the counts, and one sentence for each that is not zero."""
    counts = {name: counted.get(name, 0) for name in SAYS}
    return counts, [
        SAYS[name].format(people="1 person" if number == 1 else f"{number:,} people", s="s" if number == 1 else "")
        for name, number in counts.items()
        if number
    ]


def change(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    """Replace the campaign's senders; `replace` names who takes over from whom."""
    task, mailboxes = _checked(workspace, campaign, wanted)
    before = {"account_ids": campaign.account_ids, "mailbox_ids": campaign.mailbox_ids}
    after = {"account_ids": list(wanted.account_ids or ()), "mailbox_ids": mailboxes}
    if before == after:
        return
    campaign.account_ids, campaign.mailbox_ids = after["account_ids"], after["mailbox_ids"]
    campaigns.open_lanes(campaign)
    revision = revision_log.note(
        workspace,
        campaign,
        RevisionKind.SENDERS,
        before,
        {**after, "task": task},
        {},
        undoes=undoes,
        is_open=True,
        people=sa.select(_P.id).where(*_still_there(campaign)),
    )
    session().flush()
    go_on(workspace, campaign, revision)


def back(campaign: Campaign, revision: CampaignRevision) -> Wanted:
    """Return the senders as they were before; who took over gives the people back."""
    leaving, joined = revision.after["task"]["leaving"], set(revision.after["task"]["joining"])
    replace = {one["by"]: one["account"] for one in leaving if one["by"] in joined}
    return Wanted(account_ids=revision.before["account_ids"], replace=replace)


def _checked(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, Any], list[int]]:
    """Return what is to be done with people, and the mailboxes of the email steps, or raise every problem at once."""
    account_ids, replace, stranded = wanted.account_ids or (), wanted.replace or {}, wanted.stranded
    problems = Problems()
    if stranded not in STRANDED:
        problems.add("stranded", "Use “wait” or “skip”.")
    if revision_log.under_way(campaign, RevisionKind.SENDERS):
        problems.add("accountIds", "The last change is still in progress. Try again in a minute.")
    accounts = validation.check_accounts(workspace, account_ids, problems)
    mailboxes = campaigns.mailboxes_for(workspace, accounts, campaign.sequence)
    everyone = [*accounts, *(mailbox for mailbox in mailboxes if mailbox not in accounts)]
    validation.check_sequence(campaign.sequence, everyone, problems)
    former = campaign.sender_ids
    channels = {one.id: one.channel for one in everyone}
    for index, (leaves, takes) in enumerate(replace.items()):
        if leaves not in former or leaves in channels:
            problems.add(f"replace[{index}].accountId", "Choose a sender who is leaving the campaign.")
        elif takes not in channels:
            problems.add(f"replace[{index}].by", "Choose a sender in the campaign to take over.")
    problems.done()
    task = {
        "leaving": [{"account": one, "by": replace.get(one)} for one in former if one not in channels],
        "social": [one.id for one in accounts if one.channel == Channel.SOCIAL],
        "email": [mailbox.id for mailbox in mailboxes],
        "joining": [one.id for one in everyone if one.id not in former],
        "stranded": stranded,
    }
    return task, [mailbox.id for mailbox in mailboxes]


def go_on(workspace: Workspace, campaign: Campaign, revision: CampaignRevision) -> None:
    """Look at the next chunk of people; close the revision behind the last. Inside a transaction."""
    task, at = revision.after["task"], workspace.now()
    chunk = next(_chunks(campaign, revision.looked_to), [])
    counted = Counter(revision.effect)
    if chunk:
        decided = _decided(campaign, task, chunk)
        counted.update(found.what for _, decisions in decided for found in decisions.values())
        _write(campaign, decided, at)
        revision.looked_to, revision.looked = chunk[-1].id, revision.looked + len(chunk)
    revision.effect = dict(counted)
    revision.is_open = len(chunk) == CHUNK
    session().flush()
    if not revision.is_open:
        _close_lanes(campaign)
    left = [one["account"] for one in task["leaving"]]
    wake.wake_senders([*left, *campaign.account_ids, *campaign.mailbox_ids], at)


def _still_there(campaign: Campaign) -> tuple[sa.ColumnElement[bool], ...]:
    return _P.campaign_id == campaign.id, _P.state.in_(UNENDED_STATES)


def _chunks(campaign: Campaign, after: int) -> Iterator[Sequence[Any]]:
    query = sa.select(_P).where(*_still_there(campaign)).execution_options(populate_existing=True)
    for rows in in_pages(query, _P.id, CHUNK, after):
        yield [row[0] for row in rows]


def _plans(task: Mapping[str, Any]) -> dict[bool, Plan]:
    """Return the plan for the social senders and that for the mailboxes."""
    leaving: dict[int, int | None] = {one["account"]: one["by"] for one in task["leaving"]}
    known = by_id(Account, [*leaving, *leaving.values()])
    able = frozenset(one for one in leaving if one in known and known[one].active and known[one].status in _CAN_SEND)
    plans = {}
    for social, name in ((True, "social"), (False, "email")):
        channel = Channel.SOCIAL if social else Channel.EMAIL
        mine = {one: heir for one, heir in leaving.items() if one not in known or known[one].channel == channel}
        heirs = {one: heir if heir in task[name] else None for one, heir in mine.items()}
        joining = frozenset(task["joining"]).intersection(task[name])
        plans[social] = Plan(heirs, task[name], joining, able, task["stranded"])
    return plans


def _decided(
    campaign: Campaign, task: Mapping[str, Any], people: Sequence[CampaignLead]
) -> list[tuple[CampaignLead, dict[bool, Decision]]]:
    """Return the people for whom something is decided, by channel (True: social)."""
    ids, plans = [person.id for person in people], _plans(task)
    talks, busy = _talks(campaign, people), _busy(ids)
    found = []
    for person in people:
        decisions = {}
        for social, sender_id in ((True, person.account_id), (False, person.mailbox_id)):
            if sender_id is None:
                continue
            standing = Standing(
                person.id,
                sender_id,
                social,
                person.connection,
                begun=person.last_action_at is not None,
                busy=person.id in busy or person.part > 0,
                talks=talks.get(person.id, ()),
            )
            if decision := hand_over.decide(standing, plans[social]):
                decisions[social] = decision
        if decisions:
            found.append((person, decisions))
    return found


def _talks(campaign: Campaign, people: Sequence[CampaignLead]) -> dict[int, tuple[int, ...]]:
    """Return the senders with whom each person has a conversation: who wrote to them here, or whom they wrote to."""
    found: defaultdict[int, tuple[int, ...]] = defaultdict(tuple)
    wrote = (
        sa.select(Action.campaign_lead_id, Action.sender_id)
        .where(in_list(Action.campaign_lead_id, [person.id for person in people]), Action.kind.in_(_MESSAGES))
        .where(Action.state.in_([ActionState.SENT, ActionState.UNKNOWN, ActionState.SENDING]))
    )
    for lead_id, sender_id in session().execute(wrote.distinct()):
        found[lead_id or 0] += (sender_id,)
    by_person = {person.person_id: person.id for person in people}
    query = (
        sa.select(Conversation.person_id, Conversation.sender_id)
        .where(Conversation.workspace_id == campaign.workspace_id, in_list(Conversation.person_id, list(by_person)))
        .where(THEY_WROTE)
    )
    for person_id, sender_id in session().execute(query):
        found[by_person[person_id]] += (sender_id,)
    return found


def _busy(ids: Sequence[int]) -> set[int]:
    """Return the people with an action of which the outcome is open."""
    query = sa.select(Action.campaign_lead_id).where(
        in_list(Action.campaign_lead_id, ids), Action.check_at.is_not(None)
    )
    return {one for one in session().scalars(query) if one is not None}


def _write(campaign: Campaign, decided: Sequence[tuple[CampaignLead, dict[bool, Decision]]], at: datetime) -> None:
    """Give the people to their senders, and write their drafts again. Inside a transaction."""
    tally, again = Tally(), []
    for person, decisions in decided:
        for social, found in decisions.items():
            former = person.account_id if social else person.mailbox_id
            if found.what == WITHDRAWN:
                _withdraw(campaign, person, found.sender_id, at, tally)
            elif found.what in (MOVED, SKIPPED):
                _give(person, social, found.sender_id)
                if person.sender_id != former:
                    continue
                person.sender_id = found.sender_id
                if found.sender_id is None:
                    _place(campaign, person, at, tally)
                if person.approval_id:  # its text may name the former sender
                    release.discard([person.approval_id], "overtaken", at)
                    person.approval_id = None
                    person.due_at, person.reason = at, "" if person.state in OPEN_STATES else person.reason
                    again.append(person.id)
    session().flush()
    tally.write()
    if again:
        drafting.write(campaign.id, at, in_list(_P.id, again))


def _give(person: CampaignLead, social: bool, sender_id: int | None) -> None:
    if social:
        person.account_id = sender_id
    else:
        person.mailbox_id = sender_id


def _withdraw(campaign: Campaign, person: CampaignLead, heir: int | None, at: datetime, tally: Tally) -> None:
    """Have the open invitation withdrawn now; the next sender invites when that is done."""
    person.hand_over_to = heir
    if person.state == LeadState.PAUSED:
        person.paused_from = LeadState.AWAITING_ACCEPT
        return
    tally.move(campaign.id, person.state, LeadState.AWAITING_ACCEPT)
    release.discard_of(person, at)
    person.state, person.sender_id, person.next_budget = LeadState.AWAITING_ACCEPT, person.account_id, "withdraw"
    person.due_at, person.step_due_at, person.reason = at, None, "awaiting_accept"


def _place(campaign: Campaign, person: CampaignLead, at: datetime, tally: Tally) -> None:
    """Let a person go on without the steps of a sender whom no one replaces."""
    before = person.state
    if person.connection == Connection.SENT:
        person.connection = Connection.NONE
    place = condition_facts.place_of(campaign, person, bool(person.person.email), at)
    if before == LeadState.PAUSED:
        person.step, person.part, person.paused_from = place.step, 0, place.state
        person.step_due_at = place.step_due_at
        return
    place.give(person)
    tally.move(campaign.id, before, person.state)


def _close_lanes(campaign: Campaign) -> None:
    """Close the lanes of senders who left and have no one any more."""
    lane = CampaignAccount
    theirs = sa.or_(_P.account_id == lane.account_id, _P.mailbox_id == lane.account_id, _P.sender_id == lane.account_id)
    still = sa.exists().where(_P.campaign_id == lane.campaign_id, theirs, _P.state.in_(UNENDED_STATES))
    change_rows(
        sa.delete(lane).where(lane.campaign_id == campaign.id, lane.account_id.not_in(campaign.sender_ids), ~still)
    )
