"""Counters of this process for `GET /metrics`. Numbers of database rows are queried instead."""

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
REQUESTS = Histogram(
    "overture_request_seconds",
    "How long requests took in this process, by route and status class.",
    ("route", "status"),
    registry=REGISTRY,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
REFUSED = Counter(
    "overture_requests_refused",
    "Requests that this process refused because there was no capacity for them.",
    registry=REGISTRY,
)
DELIVERIES = Counter(
    "overture_deliveries",
    "Attempts to deliver webhooks from this process: delivered, to be retried, or failed for good.",
    ("outcome",),
    registry=REGISTRY,
)
PROVIDER_FAILURES = Counter(
    "overture_provider_failures",
    "Calls to providers from this process that failed, by the kind of failure.",
    ("provider", "kind"),
    registry=REGISTRY,
)
