"""Senders as API resources: LinkedIn accounts and mailboxes."""

from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field

from app.models import accounts
from app.models.accounts import SOCIAL_LIMITS, AccountStatus, Budget
from app.models.hosted_sign_ins import SignInState
from app.resources.base import Columns, Json, Resource, Shape, columns_of
from app.resources.campaigns.campaigns import Waiting

# What accounts and mailboxes are made from: every column that is read costs as much as one that is shown.
SELECTED: Columns = columns_of(
    accounts.Account,
    *"id name address public_id profile_url headline image_url status active has_sales_navigator".split(),
    *"timezone work_start work_end work_days limits created_at paced monthly_notes country absences".split(),
    *"signature reply_to".split(),
)


class WorkingHours(Shape):
    """An account's working hours in its own time zone; ISO weekdays."""

    start: str
    """When they begin, such as 09:00."""
    end: str
    """When they end, such as 17:30."""
    days: list[int]
    """The ISO weekdays: 1 is Monday, 7 is Sunday."""


class Absence(Shape):
    """Days on which an account contacts no one; `handOverTo` takes people not contacted yet, or null."""

    first_day: date
    """The first day of the absence."""
    last_day: date
    """The last day of the absence."""
    hand_over_to: int | None
    """The sender who takes people not contacted yet; null if they wait."""


class DailyLimits(Shape):
    """An account's daily limits per action."""

    invite: int
    """Connection requests a day."""
    message: int
    """Messages a day."""
    inmail: int
    """InMails a day."""
    visit: int
    """Profile visits a day."""
    follow: int
    """Follows a day."""
    like: int
    """Likes a day."""


class Account(Resource):
    """A connected LinkedIn account."""

    id: int
    """The id of the account."""
    name: str
    """The name on the profile."""
    public_id: str
    """The last part of the profile's address."""
    profile_url: str
    """The address of the profile."""
    headline: str
    """The headline of the profile."""
    image_url: str
    """The address of the profile picture; empty if there is none."""
    status: AccountStatus
    """Whether the connection works."""
    active: bool
    """False if you paused the account; then it does nothing."""
    has_sales_navigator: bool
    """Whether the account has Sales Navigator."""
    timezone: str
    """The IANA name of the account's time zone."""
    working_hours: WorkingHours
    """When the account works."""
    daily_limits: DailyLimits
    """The most actions in 24 hours, by kind."""
    created_at: datetime
    """When the account was created."""
    paced: bool
    """Whether actions are spread over the working day."""
    monthly_notes: int | None
    """Monthly limit of connection requests with a note; null: no limit."""
    country: str
    """The sender's public holidays: DE, DE-BY or `none`; empty: the time zone's country."""
    absences: list[Absence]
    """Days on which the account contacts no one."""

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
    """Emails a day."""


class Mailbox(Resource):
    """A connected mailbox."""

    id: int
    """The id of the mailbox."""
    name: str
    """The name recipients see."""
    address: str
    """The email address."""
    status: AccountStatus
    """Whether the connection works."""
    active: bool
    """False if you paused the mailbox; then it sends nothing."""
    timezone: str
    """The IANA name of the mailbox's time zone."""
    working_hours: WorkingHours
    """When the mailbox sends."""
    daily_limits: MailboxLimits
    """The most emails in 24 hours."""
    created_at: datetime
    """When the mailbox was created."""
    paced: bool
    """Whether actions are spread over the working day."""
    country: str
    """The sender's public holidays: DE, DE-BY or `none`; empty: the time zone's country."""
    absences: list[Absence]
    """Days on which the mailbox contacts no one."""
    signature: str
    """What stands under every email, in the Markdown of emails; empty if nothing does."""
    reply_to: str
    """Where replies go; empty if to the mailbox itself."""

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        return cls.filled(
            account,
            working_hours={"start": account.work_start, "end": account.work_end, "days": account.work_days},
            daily_limits={"email": account.limits.get("email", 0)},
            absences=account.absences or [],
        )


class KindUse(Shape):
    """One kind of action: limit, today's target and usage. `why` is the reason to wait, or null."""

    kind: Budget
    """The kind of action."""
    limit: int
    """The daily limit."""
    target_today: int
    """Today's target; it varies a little below the limit."""
    used_24h: int = Field(alias="used24h")
    """How many were done in the last 24 hours."""
    used_7d: int = Field(alias="used7d")
    """How many were done in the last 7 days."""
    resting_until: datetime | None
    """Until when no more are done because LinkedIn asked to slow down; null if it did not."""
    why: Waiting | None
    """Why no more are done right now; null if more are."""


class AccountHealth(Shape):
    """The state of the connection and of connection requests; `acceptanceRate` is null until there is enough data."""

    status: AccountStatus
    """Whether the connection works."""
    reason: str
    """Why the connection does not work; empty if it works."""
    pending_invites: int
    """Connection requests that are still open."""
    decided_invites: int
    """Connection requests of the last weeks that were accepted or are old enough to count as not accepted."""
    accepted_invites: int
    """Those of `decidedInvites` that were accepted."""
    acceptance_rate: float | None
    """`acceptedInvites` divided by `decidedInvites`, from 0 to 1; null while no request is decided."""
    recent_emails: int
    """How many of a mailbox's last emails are counted: at most 100, since it was switched on."""
    recent_bounces: int
    """How many of `recentEmails` bounced. At 5 %, and at least 5 bounces, the mailbox is switched off."""


class AccountUsage(Resource):
    """An account's recent usage, limits and health."""

    account_id: int
    """The account."""
    kinds: list[KindUse]
    """One entry per kind of action."""
    health: AccountHealth
    """The state of the connection and of connection requests."""

    @classmethod
    def of(cls, account: accounts.Account, standings: Any, recent: Any) -> Json:  # type: ignore[override]
        pending, decided, accepted = (account.health.get(name, 0) for name in ("pending", "decided", "accepted"))
        return {
            "accountId": account.id,
            "kinds": [_kind(one) for one in standings],
            "health": {
                "status": account.status,
                "reason": account.status_reason,
                "pendingInvites": pending,
                "decidedInvites": decided,
                "acceptedInvites": accepted,
                "acceptanceRate": round(accepted / decided, 4) if decided else None,
                "recentEmails": recent.sent,
                "recentBounces": recent.bounced,
            },
        }


def _kind(one: Any) -> Json:
    why = one.why
    return {
        "kind": one.kind,
        "limit": one.limit,
        "targetToday": one.target,
        "used24h": one.day,
        "used7d": one.week,
        "restingUntil": one.resting_until,
        "why": why and Waiting.filled(why),
    }


class HostedSignIn(Resource):
    """A sign-in on LinkedIn's page. `accountId` is null until it is done, unless a known account signs in again."""

    id: int
    """The id of the sign-in."""
    status: SignInState
    """The state of the sign-in."""
    account_id: int | None
    """The account; null until a new one is signed in."""
    error: str
    """Why it failed; empty if it did not."""
    created_at: datetime
    """When the sign-in was created."""
    expires_at: datetime
    """Until when the page can be used."""


class HostedSignInBegun(HostedSignIn):
    """A new sign-in with the address of LinkedIn's page, which is shown only now."""

    page: str
    """The address to open in a browser."""

    @classmethod
    def of(cls, sign_in: Any, page: str) -> Json:  # type: ignore[override]
        return {**HostedSignIn.of(sign_in), "page": page}


class DomainCheck(Shape):
    """The state of one record; `open` when unknown. `advice` says what to do, or is ""."""

    check: Literal["MX", "SPF", "DKIM", "DMARC", "Block lists"]
    """The record that was checked."""
    verdict: Literal["good", "warning", "bad", "open"]
    """The result; `open` if unknown."""
    sentence: str
    """What was found."""
    advice: str
    """What to do; empty if nothing."""


class DomainChecks(Resource):
    """What the last check of a mailbox's domain found; no checks and null before the first one."""

    checks: list[DomainCheck]
    """One entry per record; empty before the first check."""
    checked_at: datetime | None
    """When they were checked; null before the first check."""

    @classmethod
    def of(cls, findings: Any, checked_at: datetime | None) -> Json:  # type: ignore[override]
        shown = [DomainCheck.filled(one) for one in findings]
        return {"checks": shown, "checkedAt": checked_at}


class UnreadableMessage(Resource):
    """A message we couldn't read; `why` is the kind of error."""

    id: int
    """The id of the message."""
    at: datetime
    """When it came in."""
    sender: str
    """The address it came from, as far as it could be read."""
    subject: str
    """The subject, as far as it could be read."""
    why: str
    """What was wrong with it."""
