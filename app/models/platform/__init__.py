"""What every feature stands on, as tables: jobs, idempotency keys, limits, logs, services, the installation."""

from app.models.platform import (
    audit,
    engine,
    idempotency,
    installation,
    jobs,
    rate_limits,
    request_log,
    services,
)
