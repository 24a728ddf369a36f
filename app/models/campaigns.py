"""Campaigns, their lanes (one per sender), their leads, and counters kept with every change."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers, Personal, ids, left_blank
from app.core.state_machine import Machine, move
from app.models.people import Person


class CampaignStatus(StrEnum):
    """The state of a campaign.

    `scheduled`: waiting for the start date. `starting`: people are being enrolled. `failed`: no sender could act for
    seven days. `locked`: the workspace is currently not allowed to contact people; once it is, the campaign becomes
    `paused`.
    """

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELED = "canceled"
    FAILED = "failed"
    LOCKED = "locked"


class LeadState(StrEnum):
    """The state of one person in a campaign.

    `pending`: not started. `awaiting_accept`: waiting for the person to accept the connection request. `finished`:
    replied, or reached the end of the steps, done or skipped, and 7 days passed since the last action, if there was
    any. `failed`: a step failed permanently. `stopped`: removed before the end. `excluded`: left out by a rule or a
    member, or because no step can reach the person.
    """

    PENDING = "pending"
    ACTIVE = "active"
    AWAITING_ACCEPT = "awaiting_accept"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    EXCLUDED = "excluded"


class Connection(StrEnum):
    """Whether the person and the LinkedIn account are connected.

    `sent`: a connection request is pending. `none`: there is neither a connection nor a pending request.
    """

    NONE = "none"
    SENT = "sent"
    ACCEPTED = "accepted"


class Campaign(Numbered, IndexedOfWorkspace, Base):
    """A sequence of steps that senders run for the people of a list."""

    __tablename__ = "campaign"
    __table_args__ = table_args(sa.Index("ix_campaign_workspace_id_status_id", "workspace_id", "status", "id"))

    name: Mapped[str]
    status: Mapped[str] = mapped_column(default=CampaignStatus.DRAFT, index=True)
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"), index=True)
    account_ids: Mapped[list[int]] = mapped_column(info=ids("account"))  # in the order given
    mailbox_ids: Mapped[list[int]] = mapped_column(default=list, info=ids("account"))  # who sends the email steps
    sequence: Mapped[list[Any]]
    # [{at, otherwise, join, when}]: see domain/rules/sequences/branches.py
    branches: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # [{sentiment, do, value}]: what is done when a reply has that sentiment
    on_reply: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True), info=ids({"listId": "lead_list"}))
    revision: Mapped[int] = mapped_column(default=0, server_default="0")  # +1 when steps change after launch
    next_key: Mapped[int] = mapped_column(default=0, server_default="0")  # above every step key ever used
    timezone: Mapped[str]
    days: Mapped[list[int]]
    start_time: Mapped[str]
    end_time: Mapped[str]
    # [{days, start, end}]: several windows, of which `days`, `start_time` and `end_time` are the outer bounds
    windows: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # the hours are those of each person's own time zone, where it is known
    recipient_time: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # no actions on public holidays of the sender or the person
    holidays: Mapped[bool] = mapped_column(default=True, server_default=sa.true())
    blackouts: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))  # [{name, firstDay, lastDay}]
    new_per_day: Mapped[int | None]  # how many people get their first action on one local day
    start_date: Mapped[datetime | None]
    end_date: Mapped[datetime | None]
    stop_company_on_reply: Mapped[bool] = mapped_column(default=True)
    # settings that differ from the workspace's
    contact_rules: Mapped[dict[str, Any] | None] = mapped_column(
        sa.JSON(none_as_null=True), info=ids({"list_ids": "lead_list", "campaign_ids": "campaign"})
    )
    approval: Mapped[bool] = mapped_column(default=False, server_default=sa.false())  # each message waits for a human
    # approval turns itself off after this many approved people; None: it stays on
    approve_first: Mapped[int | None]
    skip_expired: Mapped[bool] = mapped_column(default=False, server_default=sa.false())  # else the person waits
    # steps that need a profile wait for people known by email alone, until a profile is known; else they are skipped
    wait_for_profile: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # when the winner rule runs next; None: winners are suggested to members, not chosen automatically
    pick_winner_at: Mapped[datetime | None]
    # the last lead id enrolled while starting, from where an interrupted start resumes
    enrolled_to: Mapped[int] = mapped_column(default=0, info=ids("lead"))
    joins_per_day: Mapped[int | None]  # how many people who come into its lists later join on one local day; None: none
    # the last lead of its lists that was considered for joining
    joined_to: Mapped[int] = mapped_column(default=0, server_default="0", info=left_blank(0))
    joins_at: Mapped[datetime | None]  # when the next people join; None: as soon as they are in a list
    error: Mapped[str] = mapped_column(default="")
    bounced_at: Mapped[datetime | None]  # when too many of its emails bounced; only later bounces are counted again
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    if TYPE_CHECKING:
        more_lists: Mapped[str | None]

    @property
    def sender_ids(self) -> list[int]:
        """Return the ids of all the campaign's senders."""
        return list(dict.fromkeys((*self.account_ids, *self.mailbox_ids)))


class CampaignTemplate(Numbered, IndexedOfWorkspace, Base):
    """The steps and branches of a campaign, saved to begin the next ones with."""

    __tablename__ = "campaign_template"
    __noun__ = "template"

    name: Mapped[str]
    sequence: Mapped[list[Any]]
    branches: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    created_at: Mapped[datetime]


class CampaignAccount(Base):
    """A lane: one sender in one campaign. The lane served longest ago goes first."""

    __tablename__ = "campaign_account"

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[int] = mapped_column(
        sa.ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    served_at: Mapped[datetime | None]


class CampaignList(Base):
    """A list that was added to a campaign besides its first; `enrolled_to` is the last lead looked at."""

    __tablename__ = "campaign_list"

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    list_id: Mapped[int] = mapped_column(
        sa.ForeignKey("lead_list.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    added_at: Mapped[datetime]
    enrolled_to: Mapped[int] = mapped_column(default=0, info=ids("lead"))


# The ids of the further lists as one text, such as "12,15": loaded only when a query or a reader asks for it.
Campaign.more_lists = column_property(
    sa.select(sa.func.aggregate_strings(sa.cast(CampaignList.list_id, sa.String), ","))
    .where(CampaignList.campaign_id == Campaign.id)
    .correlate_except(CampaignList)
    .scalar_subquery(),
    deferred=True,
)


class RevisionKind(StrEnum):
    """What was changed in a campaign after its launch."""

    STEPS = "steps"
    SCHEDULE = "schedule"
    SENDERS = "senders"
    LISTS = "lists"
    EXCLUSIONS = "exclusions"
    RESUMED = "resumed"  # not by a member: a sender of a failed campaign was connected again


_REVISED = {
    **dict.fromkeys(("account_ids", "mailbox_ids", "account", "by", "social", "email", "joining"), "account"),
    **dict.fromkeys(("list_ids", "added", "removed"), "lead_list"),
    "campaign_ids": "campaign",
}


class CampaignRevision(Numbered, IndexedOfWorkspace, Base):
    """A change of a launched campaign: the values before and after, who made it, and how many people it concerns.

    While it `is_open`, the change is still being applied to people, in chunks; `looked_to` is the last one done.
    """

    __tablename__ = "campaign_revision"
    __noun__ = "change"
    __table_args__ = table_args(
        sa.UniqueConstraint("campaign_id", "number"),
        partial_index("ix_campaign_revision_open", "campaign_id", where="is_open"),
    )

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    number: Mapped[int]
    kind: Mapped[str] = mapped_column(info={"words": RevisionKind})
    at: Mapped[datetime]
    by: Mapped[str]  # the name of the member or API key
    before: Mapped[dict[str, Any]] = mapped_column(info=ids(_REVISED))
    after: Mapped[dict[str, Any]] = mapped_column(info=ids(_REVISED))
    apply_to: Mapped[str] = mapped_column(default="")
    effect: Mapped[dict[str, Any]]  # counts of people by the change's effect on them
    is_open: Mapped[bool] = mapped_column(default=False)
    # while open: the last campaign lead to which the change was applied
    looked_to: Mapped[int] = mapped_column(default=0, info=ids("campaign_lead"))
    # how many people are done, and how many there were at the beginning; 0 for a change without chunks
    looked: Mapped[int] = mapped_column(default=0, server_default="0")
    people: Mapped[int] = mapped_column(default=0, server_default="0")
    undoes: Mapped[int | None]  # the number of the change that this one undoes
    undone_by: Mapped[int | None]  # the number of the change that undid this one


class CampaignStats(Base):
    """One row of counters per campaign, changed in the transaction that causes the change."""

    __tablename__ = "campaign_stats"

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    leads: Mapped[int] = mapped_column(default=0)
    pending: Mapped[int] = mapped_column(default=0)
    active: Mapped[int] = mapped_column(default=0)
    awaiting_accept: Mapped[int] = mapped_column(default=0)
    paused: Mapped[int] = mapped_column(default=0)
    finished: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    stopped: Mapped[int] = mapped_column(default=0)
    excluded: Mapped[int] = mapped_column(default=0)
    contacted: Mapped[int] = mapped_column(default=0)
    invites_sent: Mapped[int] = mapped_column(default=0)
    accepted: Mapped[int] = mapped_column(default=0)
    messages_sent: Mapped[int] = mapped_column(default=0)
    replies: Mapped[int] = mapped_column(default=0)
    positive: Mapped[int] = mapped_column(default=0)
    neutral: Mapped[int] = mapped_column(default=0)
    negative: Mapped[int] = mapped_column(default=0)


class CampaignForecast(Base):
    """The last forecast of a campaign, kept until it is too old or its input (`basis`) has changed."""

    __tablename__ = "campaign_forecast"
    __stays__ = "made again when it is looked at"

    campaign_id: Mapped[int] = mapped_column(
        sa.ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    basis: Mapped[str]
    body: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]


class KeptForecast(Numbered, IndexedOfWorkspace, Base):
    """A campaign's forecast as of its start or a change, kept to compare with what happens."""

    __tablename__ = "kept_forecast"
    __table_args__ = table_args(sa.Index("ix_kept_forecast_campaign_id_made_at", "campaign_id", "made_at"))

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    cause: Mapped[str]  # `began`, or what was changed: steps, schedule, senders, people
    body: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]


class CalendarForecast(Base):
    """The forecast of all running campaigns for the next two weeks, kept like that of a single campaign."""

    __tablename__ = "calendar_forecast"
    __stays__ = "made again when it is looked at"

    workspace_id: Mapped[int] = mapped_column(
        sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    basis: Mapped[str]
    body: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]


# Events that only the clock causes: the wait after the last step ends, a pause with an end date ends, or the wait for
# the answer to a condition ends.
ASK = "ask"
TIMERS = ("end", "back", ASK)
WITHOUT_SENDER: dict[str, Any] = {
    f"{dialect}_where": sa.text("next_budget IN ('end', 'back', 'ask')") for dialect in ("sqlite", "postgresql")
}


class VariantChoice(Numbered, IndexedOfWorkspace, Base):
    """A variant that a member or the winner rule chose for all who have no text of the step yet; `shares`: before."""

    __tablename__ = "variant_choice"
    __table_args__ = table_args(sa.Index("ix_variant_choice_campaign_id_id", "campaign_id", "id"))

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    step: Mapped[int]
    variant: Mapped[str]
    shares: Mapped[dict[str, Any]]
    automatic: Mapped[bool]
    actor: Mapped[str]  # the name of the member who chose; "" if the rule did
    chance: Mapped[float]  # when chosen, the probability that this variant was the best
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class CampaignLead(Numbered, OfWorkspace, Base):
    """One person's way through a campaign.

    `sender_id` takes the next step, of budget `next_budget`, not before `due_at`; `due_at` is None while we have
    nothing to do. `step` and `part` say what comes next: the index in the sequence and the message of that step.
    """

    __tablename__ = "campaign_lead"
    __noun__ = "person in this campaign"
    __personal__ = Personal(
        ("person_id",),
        "Your campaigns and their results for this person.",
        ("state", "connection", "sentiment", "enrolled_at", "finished_at", "error"),
        {"error": ""},
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("campaign_id", "lead_id"),
        sa.Index("ix_campaign_lead_campaign_id_id", "campaign_id", "id"),
        sa.Index("ix_campaign_lead_campaign_id_state_id", "campaign_id", "state", "id"),
        sa.Index("ix_campaign_lead_queue", "sender_id", "campaign_id", "state", "next_budget", "due_at"),
        sa.Index("ix_campaign_lead_timer", "next_budget", "due_at", **WITHOUT_SENDER),
        partial_index("ix_campaign_lead_step_due", "step_due_at", where="step_due_at IS NOT NULL"),
        sa.Index("ix_campaign_lead_person_id", "person_id"),
        sa.Index("ix_campaign_lead_lead_id", "lead_id"),
        partial_index("ix_campaign_lead_begun", "campaign_id", "begun_at", where="begun_at IS NOT NULL"),
        partial_index("ix_campaign_lead_replied", "campaign_id", "replied_at", where="replied_at IS NOT NULL"),
        partial_index("ix_campaign_lead_joined", "campaign_id", "joined_at", where="joined_at IS NOT NULL"),
    )

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    lead_id: Mapped[int] = mapped_column(sa.ForeignKey("lead.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    account_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"))
    mailbox_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"))
    sender_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"))
    # this person has no known profile: steps that need one wait
    wait_for_profile: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    state: Mapped[str] = mapped_column(default=LeadState.PENDING)
    paused_from: Mapped[str] = mapped_column(default="", info={"words": LeadState})  # the state to go back to
    connection: Mapped[str] = mapped_column(default=Connection.NONE)
    replied: Mapped[bool] = mapped_column(default=False)
    sentiment: Mapped[str] = mapped_column(default="")
    step: Mapped[int] = mapped_column(default=0)
    part: Mapped[int] = mapped_column(default=0)
    # {step, message, subject, variants}: this person gets the step of that key as it was before the steps were changed
    kept: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # {splits, passed}: the branches taken and the steps skipped; see domain/rules/sequences/branches.py
    route: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # keys of steps that this person must not get again
    skip_steps: Mapped[list[int] | None] = mapped_column(sa.JSON(none_as_null=True))
    # the sender who invites this person once the other sender's connection request is withdrawn
    hand_over_to: Mapped[int | None] = mapped_column(info=ids("account"))
    next_budget: Mapped[str] = mapped_column(default="")
    due_at: Mapped[datetime | None]
    step_due_at: Mapped[datetime | None]  # when the step after the coming withdrawal is due
    # the pending or approved draft of `step`; not a key, for each refers to the other
    approval_id: Mapped[int | None] = mapped_column(info=ids("approval"))
    contacted: Mapped[bool] = mapped_column(default=False)
    messages_sent: Mapped[int] = mapped_column(default=0)
    enrolled_at: Mapped[datetime | None]
    joined_at: Mapped[datetime | None]  # when they joined as a new person of a list, after the campaign started
    begun_at: Mapped[datetime | None]  # when their first action was recorded
    reason: Mapped[str] = mapped_column(default="")  # code of planner.REASONS: why it waits or ended
    # {codes, by, at}: exclusion reasons that an owner overrode for this person
    let_in: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    error: Mapped[str] = mapped_column(default="")
    invited_at: Mapped[datetime | None]
    accepted_at: Mapped[datetime | None]
    replied_at: Mapped[datetime | None]
    last_action_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    person: Mapped[Person] = relationship()


class ReplyAction(Numbered, IndexedOfWorkspace, Base):
    """An action of a rule for replies with a sentiment: once per reply and rule, even if it is classified again."""

    __tablename__ = "reply_action"
    __personal__ = Personal(("person_id",), "Your rules for replies.", ("rule", "sentiment", "do", "value", "at"))
    __table_args__ = table_args(
        sa.UniqueConstraint("message_id", "rule"),
        sa.Index("ix_reply_action_campaign_id_at", "campaign_id", "at"),
    )

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)
    message_id: Mapped[int] = mapped_column(sa.ForeignKey("message.id", ondelete="CASCADE"))
    # what was to be done and with what, such as tag:vip or list:4
    rule: Mapped[str] = mapped_column(info=ids(((r"list:(\d+)", ("lead_list",)),)))
    sentiment: Mapped[str]
    do: Mapped[str]  # tag, list, task or alert
    value: Mapped[str]  # the tag, the name of the list, the text of the task, or what the alert says
    error: Mapped[str]  # why it was not done
    at: Mapped[datetime]


C = CampaignStatus
LIVE = [C.SCHEDULED, C.STARTING, C.RUNNING]
ENDED_CAMPAIGNS = [C.FINISHED, C.CANCELED, C.FAILED]
_NOT_REVISED = "A {state} campaign can't be changed."
_REVISE_WHAT = "You can change scheduled, running and paused campaigns, and edit drafts."
CAMPAIGN = Machine(
    "status",
    CampaignStatus,
    {
        "start": move(
            [C.DRAFT],
            C.STARTING,
            "A {state} campaign can't be started.",
            "You can only start a draft. Resume a paused campaign, or duplicate an ended one.",
        ),
        "edit": move(
            [C.DRAFT],
            C.DRAFT,
            "A {state} campaign can't be edited.",
            "You can only edit a draft. Send applyTo with the steps, or duplicate the campaign and edit the copy.",
        ),
        "delete": move(
            [C.DRAFT, C.FINISHED, C.CANCELED, C.FAILED],
            C.CANCELED,
            "A {state} campaign can't be deleted.",
            "Cancel it first.",
        ),
        "schedule": move([C.DRAFT], C.SCHEDULED, "A {state} campaign can't be scheduled."),
        "schedule_again": move([C.PAUSED], C.SCHEDULED, "A {state} campaign can't be resumed."),
        "enrol": move(
            [C.RUNNING],
            C.RUNNING,
            "People can't be added to a {state} campaign.",
            "You can only add people to a running campaign.",
        ),
        "revise": move([C.RUNNING], C.RUNNING, _NOT_REVISED, _REVISE_WHAT),
        "revise_paused": move([C.PAUSED], C.PAUSED, _NOT_REVISED, _REVISE_WHAT),
        "revise_scheduled": move([C.SCHEDULED], C.SCHEDULED, _NOT_REVISED, _REVISE_WHAT),
        "open": move([C.SCHEDULED], C.STARTING, "A {state} campaign can't be started."),
        "run": move([C.STARTING], C.RUNNING, "A {state} campaign can't run."),
        "pause": move(
            LIVE,
            C.PAUSED,
            "A {state} campaign can't be paused.",
            "You can only pause a scheduled, starting or running campaign.",
        ),
        "resume": move(
            [C.PAUSED],
            C.RUNNING,
            "A {state} campaign can't be resumed.",
            "You can only resume a paused campaign. Start a draft, or duplicate an ended one.",
        ),
        "restart": move([C.PAUSED], C.STARTING, "A {state} campaign isn't starting."),
        "finish": move([C.RUNNING], C.FINISHED, "A {state} campaign can't finish."),
        "cancel": move(
            [C.DRAFT, *LIVE, C.PAUSED, C.LOCKED],
            C.CANCELED,
            "A {state} campaign can't be canceled.",
            "The campaign has already ended.",
        ),
        "reopen": move([C.FINISHED], C.RUNNING, "A {state} campaign can't be reopened."),
        "revive": move([C.FAILED], C.RUNNING, "A {state} campaign can't continue."),
        "fail": move([C.STARTING, C.RUNNING], C.FAILED, "A {state} campaign can't be marked as failed."),
        "lock": move(LIVE, C.LOCKED, "A {state} campaign can't be locked."),
        "unlock": move([C.LOCKED], C.PAUSED, "A {state} campaign is not locked."),
    },
)

L = LeadState
OPEN_STATES = [L.PENDING, L.ACTIVE, L.AWAITING_ACCEPT]
UNENDED_STATES = [*OPEN_STATES, L.PAUSED]
ENDED_STATES = [L.FINISHED, L.FAILED, L.STOPPED, L.EXCLUDED]
CAMPAIGN_LEAD = Machine(
    "state",
    LeadState,
    {
        "begin": move([L.PENDING, L.ACTIVE], L.ACTIVE, "This person is {state} and can't start."),
        "await_accept": move(
            [L.PENDING, L.ACTIVE],
            L.AWAITING_ACCEPT,
            "This person is {state}, so there is no connection request to accept.",
        ),
        "accept": move(
            [L.AWAITING_ACCEPT, L.ACTIVE], L.ACTIVE, "This person is {state} and isn't waiting for a connection."
        ),
        "pause": move(
            OPEN_STATES,
            L.PAUSED,
            "This person is {state} and can't be paused.",
            "You can only pause active people.",
        ),
        "resume": move(
            [L.PAUSED], L.ACTIVE, "This person is {state}, not paused.", "You can only resume a paused person."
        ),
        "finish": move([*OPEN_STATES, L.PAUSED], L.FINISHED, "This person is already {state}."),
        "fail": move([*OPEN_STATES, L.PAUSED], L.FAILED, "This person is already {state}."),
        "stop": move(
            [*OPEN_STATES, L.PAUSED], L.STOPPED, "This person is already {state}.", "No more messages will be sent."
        ),
        "exclude": move([*OPEN_STATES, L.PAUSED], L.EXCLUDED, "This person is already {state}."),
        "let_in": move([L.EXCLUDED], L.PAUSED, "This person is {state}, not excluded.", "There is nothing to do."),
        "reopen": move([L.FINISHED, L.STOPPED], L.PAUSED, "This person is {state} and can't be put back."),
    },
)
