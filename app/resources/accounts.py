"""Connected accounts."""

from datetime import datetime

from app.models import accounts
from app.models.accounts import SOCIAL_LIMITS, AccountStatus
from app.resources.shapes import Json, Resource, Shape


class WorkingHours(Shape):
    """When an account works, in its own time zone; ISO weekdays."""

    start: str
    end: str
    days: list[int]


class DailyLimits(Shape):
    """How often an account may do what within 24 hours."""

    invite: int
    message: int
    inmail: int
    visit: int
    follow: int
    like: int


class Account(Resource):
    """A connected social account."""

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

    @classmethod
    def of(cls, account: accounts.Account) -> Json:
        """The account with its hours and limits."""
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
        }
