"""Calls from lower floors to upper ones: all of them stand in these tables. Every other call goes down, by name."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import event

from app import job_handlers, ports
from app.core import wakes
from app.core.db import db
from app.domain.approvals import play_drafts
from app.domain.autopilot import draft_provenance, play_rules
from app.domain.learning import draft_rules, proposals
from app.domain.platform import audit_heads, jobs, model_choice, model_meter

# What happens to the transaction of a session, and who is told then, in this order.
SESSION: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("before_commit", wakes.announce),  # units that became due, to a distributed engine
    ("after_commit", wakes.committed),  # the same, to the engine of this process
    ("after_commit", audit_heads.keep),  # the newest entries of the audit log, to a file
    ("after_rollback", wakes.forget),
    ("after_rollback", audit_heads.forget),
)


def connect() -> None:
    """Connect the tables, the handlers of jobs, and what a provider or an approval needs from above."""
    for name, listener in SESSION:
        if not event.contains(db.session, name, listener):
            event.listen(db.session, name, listener)
    jobs.connect(job_handlers.HANDLERS)
    ports.model_meter.connect(model_meter.SharedMeter())
    ports.model_choices.connect(model_choice.Choices())
    play_drafts.connect(draft_provenance)
    for part in (draft_rules, play_rules, proposals):
        part.connect()
