"""Senders as API resources: LinkedIn accounts and mailboxes."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from app.models import accounts
from app.models.accounts import SOCIAL_LIMITS, AccountStatus, Budget
from app.models.hosted_sign_ins import SignInState
from app.resources.base import Columns, Json, Resource, Shape, Values, columns_of
from app.resources.campaigns.campaigns import Waiting

# What accounts and mailboxes are made from: every column that is read costs as much as one that is shown.
SELECTED: Columns = columns_of(
    accounts.Account,
    *"id name address public_id profile_url headline image_url status active has_sales_navigator".split(),
    *"timezone work_start work_end work_days limits created_at paced monthly_notes country absences".split(),
    *"signature reply_to".split(),
)


class WorkingHours(Shape):
    """An account's working hours, in its own time zone."""

    start: str
    """When working hours start, such as 09:00."""
    end: str
    """When working hours end, such as 17:30."""
    days: list[int]
    """The working days as ISO weekdays: 1 is Monday, 7 is Sunday."""


class Absence(Shape):
    """A period in which the sender contacts no one."""

    first_day: date
    """The first day of the absence."""
    last_day: date
    """The last day of the absence."""
    hand_over_to: int | None
    """The id of the sender that takes over people not contacted yet; null if these people wait."""


class DailyLimits(Shape):
    """The maximum number of actions in 24 hours, by kind."""

    invite: int
    """The maximum number of connection requests in 24 hours."""
    message: int
    """The maximum number of messages in 24 hours."""
    inmail: int
    """The maximum number of InMails in 24 hours."""
    visit: int
    """The maximum number of profile visits in 24 hours."""
    follow: int
    """The maximum number of follows in 24 hours."""
    like: int
    """The maximum number of likes in 24 hours."""


class Account(Resource):
    """A connected LinkedIn account."""

    id: int
    """The id of the account."""
    name: str
    """The name on the profile."""
    public_id: str
    """The last part of the LinkedIn profile's URL."""
    profile_url: str
    """The URL of the LinkedIn profile."""
    headline: str
    """The headline of the profile."""
    image_url: str
    """The URL of the profile picture; empty if there is none."""
    status: AccountStatus
    """The state of the connection."""
    active: bool
    """Whether the account is active; a paused account does nothing."""
    has_sales_navigator: bool
    """Whether the account has Sales Navigator."""
    timezone: str
    """The IANA name of the account's time zone."""
    working_hours: WorkingHours
    """The account's working hours."""
    daily_limits: DailyLimits
    """The maximum number of actions in 24 hours, by kind."""
    created_at: datetime
    """When the account was created."""
    paced: bool
    """True if actions are spread over the working day; false if they are done as soon as the limits allow."""
    monthly_notes: int | None
    """The maximum number of connection requests with a note per month; null for no limit."""
    country: str
    """The country or region for holidays, such as DE-BY; `none` for no holidays, empty to follow the time zone."""
    absences: list[Absence]
    """Periods in which the account contacts no one."""

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        return cls.filled(
            account,
            working_hours={"start": account.work_start, "end": account.work_end, "days": account.work_days},
            daily_limits={name: account.limits.get(name, 0) for name in SOCIAL_LIMITS},
            absences=account.absences or [],
        )


class MailboxLimits(Shape):
    """A mailbox's daily email limit."""

    email: int
    """The maximum number of emails in 24 hours."""


class Mailbox(Resource):
    """A connected mailbox."""

    id: int
    """The id of the mailbox."""
    name: str
    """The sender name that recipients see."""
    address: str
    """The email address."""
    status: AccountStatus
    """The state of the connection."""
    active: bool
    """Whether the mailbox is active; a paused mailbox sends nothing."""
    timezone: str
    """The IANA name of the mailbox's time zone."""
    working_hours: WorkingHours
    """The mailbox's working hours."""
    daily_limits: MailboxLimits
    """The maximum number of emails in 24 hours."""
    created_at: datetime
    """When the mailbox was created."""
    paced: bool
    """True if actions are spread over the working day; false if they are done as soon as the limits allow."""
    country: str
    """The country or region for holidays, such as DE-BY; `none` for no holidays, empty to follow the time zone."""
    absences: list[Absence]
    """Periods in which the mailbox contacts no one."""
    signature: str
    """The signature at the end of every email, in Markdown; empty if there is none."""
    reply_to: str
    """The address that replies go to; empty if they go to the mailbox itself."""

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        return cls.filled(
            account,
            working_hours={"start": account.work_start, "end": account.work_end, "days": account.work_days},
            daily_limits={"email": account.limits.get("email", 0)},
            absences=account.absences or [],
        )


class KindUse(Shape):
    """The limit, today's target and recent usage of one kind of action."""

    kind: Budget
    """The kind of action."""
    limit: int
    """The daily limit."""
    target_today: int
    """Today's target, which varies from day to day and is never above the limit."""
    used_24h: int = Field(alias="used24h")
    """How many actions of this kind were done in the last 24 hours."""
    used_7d: int = Field(alias="used7d")
    """How many actions of this kind were done in the last 7 days."""
    resting_until: datetime | None
    """When actions of this kind resume after LinkedIn asked the sender to slow down; null if LinkedIn did not."""
    why: Waiting | None
    """Why no action of this kind can be done right now; null if they can be done."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, target_today=one.target, used_24h=one.day, used_7d=one.week)


class AccountHealth(Shape):
    """The health of an account: its connection, connection requests and bounced emails."""

    status: AccountStatus
    """The state of the connection."""
    reason: str
    """Why the connection does not work; empty if it works."""
    pending_invites: int
    """How many connection requests are still pending."""
    decided_invites: int
    """How many recent connection requests were accepted, or are old enough to count as not accepted."""
    accepted_invites: int
    """How many of `decidedInvites` were accepted."""
    acceptance_rate: float | None
    """`acceptedInvites` divided by `decidedInvites`, from 0 to 1; null if `decidedInvites` is 0."""
    recent_emails: int
    """How many emails are counted: the latest 100, or fewer if the mailbox was switched on recently."""
    recent_bounces: int
    """How many of `recentEmails` bounced. At 5 bounces and 5%, a mailbox is switched off, except in a sandbox."""


class AccountUsage(Resource):
    """The recent usage, limits and health of an account."""

    account_id: int
    """The id of the account."""
    kinds: list[KindUse]
    """One entry per kind of action."""
    health: AccountHealth
    """The health of the connection, connection requests and emails."""

    @classmethod
    def of(cls, account: accounts.Account, standings: Any, recent: Any) -> Json:  # type: ignore[override]
        pending, decided, accepted = (account.health.get(name, 0) for name in ("pending", "decided", "accepted"))
        health = AccountHealth.filled(
            account,
            reason=account.status_reason,
            pending_invites=pending,
            decided_invites=decided,
            accepted_invites=accepted,
            acceptance_rate=round(accepted / decided, 4) if decided else None,
            recent_emails=recent.sent,
            recent_bounces=recent.bounced,
        )
        return cls.filled(None, account_id=account.id, kinds=standings, health=health)


class HostedSignIn(Resource):
    """A sign-in to a LinkedIn account on the provider's page."""

    id: int
    """The id of the sign-in."""
    status: SignInState
    """The state of the sign-in."""
    account_id: int | None
    """The id of the account that signs in; null until a new account has signed in."""
    error: str
    """Why the sign-in failed; empty if it did not."""
    created_at: datetime
    """When the sign-in was created."""
    expires_at: datetime
    """When the sign-in page expires."""


class HostedSignInBegun(HostedSignIn):
    """A new hosted sign-in, with the URL of its page, which is returned only once."""

    page: str
    """The URL of the sign-in page, to open in a browser."""

    @classmethod
    def of(cls, sign_in: Any, page: str) -> Json:  # type: ignore[override]
        return cls.filled(sign_in, page=page)


class DomainCheck(Shape):
    """The result of checking one type of DNS record, or block lists."""

    check: Literal["MX", "SPF", "DKIM", "DMARC", "Block lists"]
    """What was checked: a type of DNS record, or block lists."""
    verdict: Literal["good", "warning", "bad", "open"]
    """The result of the check; `open` if there is no result."""
    sentence: str
    """What the check found, as a sentence."""
    advice: str
    """What to do next, as a sentence; empty if nothing needs to be done."""


class DomainChecks(Values):
    """The results of the last check of a mailbox's domain."""

    checks: list[DomainCheck]
    """One entry per check; empty before the first check."""
    checked_at: datetime | None
    """When the records were last checked; null before the first check."""


class UnreadableMessage(Resource):
    """A received message that Overture could not read."""

    id: int
    """The id of the message."""
    at: datetime
    """When the message was received."""
    sender: str
    """The sender's address, if it could be read."""
    subject: str
    """The subject, if it could be read."""
    why: str
    """Why the message could not be read."""
