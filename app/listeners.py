"""All calls from lower floors to upper ones, in one table. Every other call goes down, by name."""

from app import job_handlers, ports
from app.domain.approvals import checks
from app.domain.autopilot import draft_provenance
from app.domain.platform import jobs, model_choice, model_meter
from app.domain.senders import oauth_clients


def connect() -> None:
    """Connect the handlers of jobs, and what a provider or an approval needs from above."""
    jobs.connect(job_handlers.HANDLERS)
    ports.model_meter.connect(model_meter.SharedMeter())
    ports.model_choices.connect(model_choice.Choices())
    ports.oauth_clients.connect(oauth_clients.Entered())
    checks.connect_plays(draft_provenance)
