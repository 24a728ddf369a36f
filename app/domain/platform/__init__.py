"""What every feature stands on: jobs, locks, audit log, idempotency, rate limits, secrets, services, CSV files."""
