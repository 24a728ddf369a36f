"""What every feature stands on, as tables: jobs, idempotency keys, limits, logs, services, the installation."""

from app.models.platform import audit, installation, jobs, requests, services
