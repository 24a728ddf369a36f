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

    @classmethod
    def of(cls, source: Any) -> Json:
        return cls.filled(source, reading=source.stage != "", read_at=source.refreshed_at)


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


class Sources(Resource):
    """The connected data sources, without their secrets."""

    site: SiteSource | None
    """Your website; null if you have not set one."""
    analytics: AnalyticsSource | None
    """The analytics tool; null if it is not connected."""
    payments: PaymentsSource | None
    """The payment provider; null if it is not connected."""
