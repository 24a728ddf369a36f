"""Connects functions of upper layers to hooks of lower layers, which may not import them."""

from app import job_handlers, ports
from app.domain.approvals import checks
from app.domain.autopilot import draft_provenance
from app.domain.platform import jobs, model_choice, model_meter
from app.domain.senders import oauth_clients


def connect() -> None:
    """Connect the job handlers, and the functions of upper layers that providers and approvals call."""
    jobs.connect(job_handlers.HANDLERS)
    ports.model_meter.connect(model_meter.SharedMeter())
    ports.model_choices.connect(model_choice.Choices())
    ports.oauth_clients.connect(oauth_clients.Entered())
    checks.connect_plays(draft_provenance)
