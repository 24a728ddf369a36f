"""The autopilot's sources as API resources: website, analytics and payments."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class SiteSource(Shape):
    """Your website, and the tag that verifies it."""

    domain: str
    """The domain of the website."""
    key: str
    """The key in the tag."""
    snippet: str
    """The tag to add to the `<head>` of your home page."""
    verified_at: datetime | None
    """When the website was verified; null if it has not been verified."""


class ReadSource(Shape):
    """A data source that is read once a day, and on request."""

    reading: bool
    """Whether data is being read from the source now."""
    read_at: datetime | None
    """When the source was last read completely; null if it has not been read."""


class AnalyticsSource(ReadSource):
    """The connected analytics tool."""

    region: Literal["us", "eu"]
    """The region in which the analytics tool stores the data."""
    project_id: str
    """The id of the project in the analytics tool."""


class PaymentsSource(ReadSource):
    """The connected payment provider."""

    former_customers: int | None
    """How many former customers were found; null until the source has been read."""


def _read(source: Any) -> Json:
    return {"reading": source.stage != "", "readAt": source.refreshed_at}


class Sources(Resource):
    """The connected data sources, without their secrets."""

    site: SiteSource | None
    """Your website; null if you have not set one."""
    analytics: AnalyticsSource | None
    """The analytics tool; null if it is not connected."""
    payments: PaymentsSource | None
    """The payment provider; null if it is not connected."""

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
