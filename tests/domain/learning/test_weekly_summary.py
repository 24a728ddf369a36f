"""The weekly summary: on Monday at eight the alerts say what was learnt and what it changed, once."""

from datetime import timedelta

import pytest

from app.core.db import transaction
from app.domain.learning import weekly_summary
from app.models.autopilot import LearntRule
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import the_setup

pytestmark = pytest.mark.usefixtures("clock")
WORDS = "No exclamation marks."


def accepted(workspace: Workspace, words: str = WORDS) -> None:
    """A rule was accepted just now."""
    the_setup(workspace)
    at = workspace.now()
    with transaction() as current:
        rule = {"workspace_id": workspace.id, "kind": "no_exclamation", "detail": [], "words": words, "drafts": []}
        current.add(LearntRule(**rule, status="on", edits=3, rewritten=2, proposed_at=at, decided_at=at))
        weekly_summary.remember(workspace)


def test_the_summary_is_due_on_the_next_monday_morning_and_says_what_was_learnt(acme: Workspace) -> None:
    accepted(acme)
    due = the_setup(acme).learnt_due_at
    assert due is not None
    assert (due.weekday(), due.hour) == (0, 8)
    assert timedelta(0) < due - acme.now() <= timedelta(days=7)
    at = acme.now()
    assert weekly_summary.lines(acme, at - weekly_summary.WEEK, at) == [
        f"A rule was accepted: “{WORDS}” New texts follow it; 2 waiting drafts followed it at once."
    ]
    assert weekly_summary.lines(acme, at, at + weekly_summary.WEEK) == []
