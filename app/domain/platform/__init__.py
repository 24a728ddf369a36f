"""What every feature is built on: jobs, undo, locks, audit log, idempotency, rate limits, secrets, services, CSV."""
