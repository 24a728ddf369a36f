"""The autopilot's sources as API resources: website, analytics and payments."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape


class SiteSource(Shape):
    """The website, and the tag that verifies it."""

    domain: str
    key: str
    snippet: str
    verified_at: datetime | None


class ReadSource(Shape):
    """A source that is read once a day and on request."""

    reading: bool = Field(description="Whether it is being read now.")
    read_at: datetime | None = Field(description="When it was last fully read.")


class AnalyticsSource(ReadSource):
    """The analytics source."""

    region: Literal["us", "eu"]
    project_id: str


class PaymentsSource(ReadSource):
    """The payments source, and the number of former customers found."""

    former_customers: int | None


def _read(source: Any) -> Json:
    return {"reading": source.stage != "", "readAt": source.refreshed_at}


class Sources(Resource):
    """The connected sources. Secrets are never shown."""

    site: SiteSource | None
    analytics: AnalyticsSource | None
    payments: PaymentsSource | None

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
