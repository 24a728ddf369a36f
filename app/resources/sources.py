"""The autopilot's sources as API resources: website, analytics and payments."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class SiteSource(Shape):
    """The website, and the tag that verifies it."""

    domain: str
    """The domain of the website."""
    key: str
    """The key in the tag."""
    snippet: str
    """The tag to put into the website's head."""
    verified_at: datetime | None
    """When the tag was found; null if it was not yet."""


class ReadSource(Shape):
    """A source that is read once a day and on request."""

    reading: bool
    """Whether it is being read now."""
    read_at: datetime | None
    """When it was last fully read."""


class AnalyticsSource(ReadSource):
    """The analytics source."""

    region: Literal["us", "eu"]
    """Where the data is stored."""
    project_id: str
    """The id of the project."""


class PaymentsSource(ReadSource):
    """The payments source, and the number of former customers found."""

    former_customers: int | None
    """How many former customers were found; null before the first reading."""


def _read(source: Any) -> Json:
    return {"reading": source.stage != "", "readAt": source.refreshed_at}


class Sources(Resource):
    """The connected sources. Secrets are never shown."""

    site: SiteSource | None
    """The website; null if it is not connected."""
    analytics: AnalyticsSource | None
    """The analytics; null if they are not connected."""
    payments: PaymentsSource | None
    """The payments; null if they are not connected."""

    @classmethod
    def of(cls, sources: Any) -> Json:
        site, analytics, payments = sources.site, sources.analytics, sources.payments
        return {
            "site": site
            and {"domain": site.domain, "key": site.key, "snippet": site.snippet, "verifiedAt": site.verified_at},
            "analytics": analytics
            and {"region": analytics.region, "projectId": analytics.project_id, **_read(analytics)},
            "payments": payments and {"formerCustomers": payments.former_customers, **_read(payments)},
        }
