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
)


class WorkingHours(Shape):
    """An account's working hours in its own time zone; ISO weekdays."""

    start: str
    end: str
    days: list[int]


class Absence(Shape):
    """Days on which an account contacts no one; `handOverTo` takes people not contacted yet, or null."""

    first_day: date
    last_day: date
    hand_over_to: int | None


class DailyLimits(Shape):
    """An account's daily limits per action."""

    invite: int
    message: int
    inmail: int
    visit: int
    follow: int
    like: int


class Account(Resource):
    """A connected LinkedIn account."""

    id: int
    name: str
    public_id: str
    profile_url: str
    headline: str
    image_url: str
    status: AccountStatus
    active: bool
    has_sales_navigator: bool
    timezone: str
    working_hours: WorkingHours
    daily_limits: DailyLimits
    created_at: datetime
    paced: bool = Field(description="Whether actions are spread over the working day.")
    monthly_notes: int | None = Field(description="Monthly limit of connection requests with a note; null: no limit.")
    country: str = Field(
        description="The sender's public holidays: DE, DE-BY or `none`; empty: the time zone's country."
    )
    absences: list[Absence]

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        return {
            "id": account.id,
            "name": account.name,
            "publicId": account.public_id,
            "profileUrl": account.profile_url,
            "headline": account.headline,
            "imageUrl": account.image_url,
            "status": account.status,
            "active": account.active,
            "hasSalesNavigator": account.has_sales_navigator,
            "timezone": account.timezone,
            "workingHours": {"start": account.work_start, "end": account.work_end, "days": account.work_days},
            "dailyLimits": {name: account.limits.get(name, 0) for name in SOCIAL_LIMITS},
            "createdAt": account.created_at,
            "paced": account.paced,
            "monthlyNotes": account.monthly_notes,
            "country": account.country,
            "absences": account.absences or [],
        }


class MailboxLimits(Shape):
    """A mailbox's daily email limit."""

    email: int


class Mailbox(Resource):
    """A connected mailbox."""

    id: int
    name: str
    address: str
    status: AccountStatus
    active: bool
    timezone: str
    working_hours: WorkingHours
    daily_limits: MailboxLimits
    created_at: datetime
    paced: bool = Field(description="Whether actions are spread over the working day.")
    country: str = Field(
        description="The sender's public holidays: DE, DE-BY or `none`; empty: the time zone's country."
    )
    absences: list[Absence]

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        return {
            "id": account.id,
            "name": account.name,
            "address": account.address,
            "status": account.status,
            "active": account.active,
            "timezone": account.timezone,
            "workingHours": {"start": account.work_start, "end": account.work_end, "days": account.work_days},
            "dailyLimits": {"email": account.limits.get("email", 0)},
            "createdAt": account.created_at,
            "paced": account.paced,
            "country": account.country,
            "absences": account.absences or [],
        }


class KindUse(Shape):
    """One kind of action: limit, today's target and usage. `why` is the reason to wait, or null."""

    kind: Budget
    limit: int
    target_today: int
    used_24h: int = Field(alias="used24h")
    used_7d: int = Field(alias="used7d")
    resting_until: datetime | None
    why: Waiting | None


class AccountHealth(Shape):
    """The state of the connection and of connection requests; `acceptanceRate` is null until there is enough data."""

    status: AccountStatus
    reason: str
    pending_invites: int
    decided_invites: int
    accepted_invites: int
    acceptance_rate: float | None


class AccountUsage(Resource):
    """An account's recent usage, limits and health."""

    account_id: int
    kinds: list[KindUse]
    health: AccountHealth

    @classmethod
    def of(cls, account: accounts.Account, standings: Any) -> Json:  # type: ignore[override]
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
        "why": why and {"code": why.code, "sentence": why.sentence, "until": why.until, "who": why.who},
    }


class HostedSignIn(Resource):
    """A sign-in on LinkedIn's page. `accountId` is null until it is done, unless a known account signs in again."""

    id: int
    status: SignInState
    account_id: int | None
    error: str
    created_at: datetime
    expires_at: datetime


class HostedSignInBegun(HostedSignIn):
    """A new sign-in with the address of LinkedIn's page, which is shown only now."""

    page: str

    @classmethod
    def of(cls, sign_in: Any, page: str) -> Json:  # type: ignore[override]
        return {**HostedSignIn.of(sign_in), "page": page}


class DomainCheck(Shape):
    """The state of one record; `open` when unknown. `advice` says what to do, or is ""."""

    check: Literal["MX", "SPF", "DKIM", "DMARC"]
    verdict: Literal["good", "warning", "bad", "open"]
    sentence: str
    advice: str


class DomainChecks(Resource):
    """What the last check of a mailbox's domain found; no checks and null before the first one."""

    checks: list[DomainCheck]
    checked_at: datetime | None

    @classmethod
    def of(cls, findings: Any, checked_at: datetime | None) -> Json:  # type: ignore[override]
        shown = [{name: getattr(one, name) for name in DomainCheck.model_fields} for one in findings]
        return {"checks": shown, "checkedAt": checked_at}


class UnreadableMessage(Resource):
    """A message we couldn't read; `why` is the kind of error."""

    id: int
    at: datetime
    sender: str
    subject: str
    why: str
