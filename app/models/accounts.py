"""Senders: connected social accounts, and mailboxes, which are accounts of the email channel."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, table_args
from app.core.row_rules import ids, sealed_for
from app.core.state_machine import Machine, move


class Channel(StrEnum):
    """How people are contacted: on LinkedIn (`social`) or by email."""

    SOCIAL = "social"
    EMAIL = "email"


class AccountStatus(StrEnum):
    """The connection of a sender. `challenged`: it needs a security check. `disconnected`: it was signed out."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    CHALLENGED = "challenged"
    UNKNOWN = "unknown"


STUCK = (AccountStatus.CHALLENGED, AccountStatus.DISCONNECTED)  # a person has to sign in again


class Budget(StrEnum):
    """A kind of action with a daily limit.

    `task` counts the tasks that members do by hand; its limit is the same for all senders.
    """

    INVITE = "invite"
    MESSAGE = "message"
    INMAIL = "inmail"
    VISIT = "visit"
    FOLLOW = "follow"
    LIKE = "like"
    EMAIL = "email"
    TASK = "task"


SOCIAL_LIMITS: dict[str, int] = {"invite": 15, "message": 30, "inmail": 5, "visit": 40, "follow": 10, "like": 15}
MAILBOX_LIMITS: dict[str, int] = {"email": 50}


class Account(Numbered, IndexedOfWorkspace, Base):
    """A sender. It acts in turns: none before `turn_at`, and one action at a time."""

    __tablename__ = "account"
    __table_args__ = table_args(
        sa.Index("ix_account_turn_at", "turn_at"),
        sa.Index("ix_account_polled_at", "polled_at"),
        sa.UniqueConstraint("workspace_id", "channel", "provider", "provider_ref"),
    )

    channel: Mapped[str] = mapped_column(default=Channel.SOCIAL)
    provider: Mapped[str] = mapped_column(default="sandbox")
    provider_ref: Mapped[str]
    name: Mapped[str]
    public_id: Mapped[str] = mapped_column(default="")
    profile_url: Mapped[str] = mapped_column(default="")
    headline: Mapped[str] = mapped_column(default="")
    image_url: Mapped[str] = mapped_column(default="")
    address: Mapped[str] = mapped_column(default="")
    # of a mailbox: the signature, in the small Markdown of emails, and the Reply-To address; '': the mailbox itself
    signature: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    reply_to: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    status: Mapped[str] = mapped_column(default=AccountStatus.CONNECTED)
    status_reason: Mapped[str] = mapped_column(default="")
    status_at: Mapped[datetime | None]
    active: Mapped[bool] = mapped_column(default=True)
    has_sales_navigator: Mapped[bool] = mapped_column(default=False)
    timezone: Mapped[str] = mapped_column(default="UTC")
    work_start: Mapped[str] = mapped_column(default="09:00")
    work_end: Mapped[str] = mapped_column(default="17:30")
    work_days: Mapped[list[int]] = mapped_column(default=lambda: [1, 2, 3, 4, 5])
    # whose public holidays the sender keeps, such as DE or DE-BY; '': those of its time zone's country; 'none'
    country: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    # [{firstDay, lastDay, handOverTo}]: local days on which it contacts no one, and who takes its new people
    absences: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True), info=ids({"handOverTo": "account"}))
    limits: Mapped[dict[str, Any]]
    # True: actions are spread over the working day; False: they are done as early as the limits allow
    paced: Mapped[bool] = mapped_column(default=True, server_default=sa.true())
    monthly_notes: Mapped[int | None]  # invitations that may carry a note; None: as many as wanted
    ramp_from: Mapped[datetime | None]  # start of the 14 days in which limits grow; None: full limits
    rests: Mapped[dict[str, Any]] = mapped_column(default=dict)  # budget → ISO moment until which the network said no
    health: Mapped[dict[str, Any]] = mapped_column(default=dict)  # invitations: sent, pending, decided, accepted
    inbound_cursor: Mapped[str] = mapped_column(default="")
    polled_at: Mapped[datetime | None]
    unread_since: Mapped[datetime | None]  # when reading its inbox first failed; None: the last read worked
    silent_at: Mapped[datetime | None]  # when the failure had lasted long enough to be reported
    turn_at: Mapped[datetime | None]  # when the next turn is due; None: no turn until woken
    free_at: Mapped[datetime | None]  # the end of the pause after the last action
    claimed_until: Mapped[datetime | None]
    created_at: Mapped[datetime]


class UnreadableMessage(Numbered, IndexedOfWorkspace, Base):
    """An inbound message that we could not parse: a member has to read it in the mailbox or on the network."""

    __tablename__ = "unreadable_message"
    __table_args__ = table_args(sa.UniqueConstraint("account_id", "ref"))

    account_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"))
    ref: Mapped[str]
    at: Mapped[datetime]
    sender: Mapped[str]
    subject: Mapped[str]
    why: Mapped[str]  # the kind of fault
    seen_at: Mapped[datetime | None]


S = AccountStatus
ACCOUNT = Machine(
    "status",
    AccountStatus,
    {
        "connect": move(list(S), S.CONNECTED, "This account is {state}."),
        "challenge": move(
            [S.CONNECTED, S.CONNECTING, S.UNKNOWN, S.CHALLENGED], S.CHALLENGED, "This account is {state}."
        ),
        "disconnect": move(list(S), S.DISCONNECTED, "This account is {state}."),
        "lose_sight": move(list(S), S.UNKNOWN, "This account is {state}."),
    },
)


class MailboxLogin(Numbered, IndexedOfWorkspace, Base):
    """A mailbox's mail servers and login; a table of its own, so that lists of senders never load a secret."""

    __tablename__ = "mailbox_login"

    account_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"), unique=True)
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)  # hosts, ports, user name, who keeps copies
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("mailbox_login|sealed|{id}|{workspace_id}"))
    checks: Mapped[list[Any]] = mapped_column(default=list)  # results of the checks of the domain's DNS records
    checked_at: Mapped[datetime | None]
