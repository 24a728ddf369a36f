"""Workspaces, their users and API keys."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core import clock
from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import BILLING, Leftovers, left_blank
from app.core.state_machine import Machine, move


class Role(StrEnum):
    """A member's role.

    `owner`: everything. `operator`: campaigns, conversations, approvals, lists and the autopilot. `reviewer`: approves
    drafts and reads conversations. `integrator`: API keys and webhooks; reads the rest.
    """

    OWNER = "owner"
    OPERATOR = "operator"
    REVIEWER = "reviewer"
    INTEGRATOR = "integrator"


class Subscription(StrEnum):
    """The state of the subscription; after `ended`, the workspace cannot contact people or spend credits."""

    TRIALING = "trialing"
    ACTIVE = "active"
    ENDED = "ended"


def moved(real: datetime, clock_offset: int) -> datetime:
    """Return that moment on a workspace's clock, which only ever runs ahead of real time."""
    return real + timedelta(seconds=clock_offset)


class Workspace(Numbered, Base):
    """A tenant. A sandbox workspace works on the sandbox network and has its own clock."""

    __tablename__ = "workspace"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(partial_index("ix_workspace_moved", "id", where="clock_offset <> 0"))

    name: Mapped[str]
    sandbox: Mapped[bool] = mapped_column(default=False)
    sandbox_seed: Mapped[int] = mapped_column(default=1)
    clock_offset: Mapped[int] = mapped_column(default=0)  # seconds ahead of real time
    timezone: Mapped[str] = mapped_column(default="UTC")
    subscription: Mapped[str] = mapped_column(default=Subscription.TRIALING, info=BILLING)
    plan: Mapped[str] = mapped_column(default="trial", server_default="trial", info=BILLING)
    trial_ends_at: Mapped[datetime | None] = mapped_column(info=BILLING)
    trial_extended: Mapped[bool] = mapped_column(default=False, server_default=sa.false(), info=BILLING)
    # the end of the paid period, for a plan that renews until it is canceled
    period_ends_at: Mapped[datetime | None] = mapped_column(info=BILLING)
    cancel_at: Mapped[datetime | None] = mapped_column(info=BILLING)  # the subscription was canceled and ends then
    cancel_reason: Mapped[str] = mapped_column(default="", server_default=sa.text("''"), info=BILLING)
    cancel_feedback: Mapped[str] = mapped_column(default="", server_default=sa.text("''"), info=BILLING)
    billing_customer: Mapped[str] = mapped_column(
        default="", server_default=sa.text("''"), index=True, info=left_blank("")
    )
    # the payment provider's id; '' for a local subscription
    billing_subscription: Mapped[str] = mapped_column(default="", server_default=sa.text("''"), info=left_blank(""))
    suspended_at: Mapped[datetime | None]
    # how imported values change known people; '': each way of adding people has its own default
    merge: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    # for contacting people, unless a list names its own
    lawful_basis: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    # Settings that differ from the defaults.
    contact_rules: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    contact_caps: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # days without actions in all campaigns: [{name, firstDay, lastDay}]
    blackouts: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    opt_out_holds_company: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # how many people a member must approve before a campaign without approval sends on its own; 0: none
    approve_first: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))
    two_factor_required: Mapped[bool] = mapped_column(default=False, server_default=sa.false())  # of every member
    undo_seconds: Mapped[int] = mapped_column(default=10, server_default=sa.text("10"))  # before a reply is sent
    meeting_link: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # for members without one
    # days by kind of domain.platform.retention, where they differ from the usual ones
    retention: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # the `sequence` of the last event whose body was deleted by the retention rules
    payloads_gone_to: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))
    # What an update changed and no owner has read yet: keys of domain.workspace.notices.NOTICES
    notices: Mapped[list[str] | None] = mapped_column(sa.JSON(none_as_null=True))
    event_sequence: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]

    def now(self) -> datetime:
        """Return the time on this workspace's own clock."""
        return moved(clock.now(), self.clock_offset)

    @property
    def may_contact(self) -> bool:
        """Return whether people may be contacted and credits spent."""
        return self.suspended_at is None and self.subscription != Subscription.ENDED


class User(Numbered, Base):
    """A person who signs in."""

    __tablename__ = "user_account"
    __noun__ = "user"
    __leftovers__ = Leftovers.NOTHING

    email: Mapped[str] = mapped_column(unique=True)
    # when the user opened a link sent to the address; grant no rights by email address before that
    email_confirmed_at: Mapped[datetime | None] = mapped_column(info=left_blank())
    name: Mapped[str] = mapped_column(default="")
    password_hash: Mapped[str] = mapped_column(info=left_blank(""))
    session_epoch: Mapped[int] = mapped_column(default=0, info=left_blank(0))  # raised to end every session at once
    # admin of the whole server, unless OVERTURE_OPERATORS names the admins; see domain.workspace.server_admins
    server_admin: Mapped[bool] = mapped_column(default=False, server_default=sa.false(), info=left_blank(False))
    created_at: Mapped[datetime]


class Membership(Numbered, OfWorkspace, Base):
    """A user's role in a workspace."""

    __tablename__ = "membership"
    __noun__ = "member"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "user_id"))

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(default=Role.OWNER)
    key_scopes: Mapped[list[str] | None] = mapped_column(sa.JSON(none_as_null=True), default=list)
    meeting_link: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    looked_at: Mapped[datetime | None]  # when the user last looked at the workspace's activity
    created_at: Mapped[datetime]


class Invitation(Numbered, OfWorkspace, Base):
    """An invitation to a workspace with a role, valid once."""

    __tablename__ = "invitation"
    __stays__ = "links to the other server; send new ones"
    __table_args__ = table_args(sa.Index("ix_invitation_email", "workspace_id", "email"))

    email: Mapped[str]
    role: Mapped[str] = mapped_column(info={"words": Role})
    digest: Mapped[bytes] = mapped_column(unique=True)
    invited_by: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]


class CopyState(StrEnum):
    """Where the copy of a sandbox into its live workspace stands. `KEPT`: confirmed, so that it is not undone."""

    NONE = ""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    KEPT = "kept"


class GoLive(Numbered, Base):
    """A live workspace's go-live: the checklist until its first launch, and the progress of the copy from its sandbox.

    `part` and `after` say how far the copy is; they are stored together with the copied rows.
    """

    __tablename__ = "go_live"
    __stays__ = "the copy of a sandbox on the other server"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), unique=True)
    sandbox_id: Mapped[int | None] = mapped_column(sa.ForeignKey("workspace.id", ondelete="SET NULL"), index=True)
    skipped: Mapped[list[str]] = mapped_column(default=list)  # checklist items that an owner skipped
    limits_seen_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(default=CopyState.NONE)
    parts: Mapped[list[str]] = mapped_column(default=list)  # what is copied
    part: Mapped[str] = mapped_column(default="")
    after: Mapped[int] = mapped_column(default=0)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    copied: Mapped[dict[str, Any]] = mapped_column(default=dict)  # how many of each part
    before: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))  # [old, new] of settings
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    copied_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]  # an owner closed the checklist


COPY = Machine(
    "state",
    CopyState,
    {
        "start": move(
            [CopyState.NONE, CopyState.DONE, CopyState.FAILED, CopyState.KEPT],
            CopyState.RUNNING,
            "The sandbox is already being copied.",
            "Wait until the copy is done.",
        ),
        "finish": move([CopyState.RUNNING], CopyState.DONE, "Nothing is being copied."),
        "fail": move([CopyState.RUNNING], CopyState.FAILED, "Nothing is being copied."),
        "keep": move([CopyState.DONE], CopyState.KEPT, "The sandbox has no finished copy to keep."),
        "undo": move(
            [CopyState.DONE, CopyState.FAILED],
            CopyState.NONE,
            "There is no copy to undo.",
            "You can undo a copy once it's done, until you keep it.",
        ),
    },
)


class CopiedRow(Base):
    """A row of the sandbox that was copied, and the row it became: nothing is copied twice, and all can be undone."""

    __tablename__ = "copied_row"
    __stays__ = "of a sandbox on the other server"

    workspace_id: Mapped[int] = mapped_column(
        sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    kind: Mapped[str] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    copy_id: Mapped[int]


class ApiKey(Numbered, IndexedOfWorkspace, Base):
    """A key for `/v1`: found by its public part, proven by a keyed hash of the whole."""

    __tablename__ = "api_key"
    __stays__ = "keys are signed with the SECRET_KEY of their server; create new ones"

    name: Mapped[str]
    lookup: Mapped[str] = mapped_column(unique=True)
    digest: Mapped[bytes]
    last4: Mapped[str]
    scopes: Mapped[list[str]]
    created_by: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    # whether an assistant that uses it may contact people before a member has approved
    without_approval: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
