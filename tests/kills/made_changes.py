"""Changes of a running campaign, each made by a process of its own that may be killed in the middle."""

from collections.abc import Callable

import sqlalchemy as sa

from app.core.db import session
from app.domain.campaigns import changes, revisions, variants
from app.domain.campaigns.changes import Wanted
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Workspace

MORE = "More people"
TEXTS = [
    {"key": "A", "message": "One\n---\nTwo", "share": 50},
    {"key": "B", "message": "Three\n---\nFour", "share": 50},
]
VARIED = 1  # the step with two texts
TWO_TEXTS = [
    {"type": "connection_request"},
    {"type": "message", "delay": {"value": 1, "unit": "hours"}, "variants": TEXTS},
]
HOURS = {"days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "22:00", "timezone": "UTC"}
RULES = {"contacted_days": 3}
AFTER = [
    {"type": "connection_request", "delay": {"value": 1, "unit": "hours"}, "message": "Hello {{first_name}}"},
    {"type": "message", "delay": {"value": 2, "unit": "hours"}, "message": "Thanks.\n---\nOne question."},
    {"type": "like_post", "delay": {"value": 1, "unit": "days"}},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Very curious."},
]


def _campaign() -> Campaign:
    return session().scalars(sa.select(Campaign)).one()


def _hours(workspace: Workspace) -> None:
    changes.apply(workspace, _campaign().id, Wanted(schedule=HOURS))


def _lists(workspace: Workspace) -> None:
    more = session().scalars(sa.select(LeadList.id).where(LeadList.name == MORE)).one()
    changes.apply(workspace, _campaign().id, Wanted(list_ids=[_campaign().list_id, more]))


def _exclusions(workspace: Workspace) -> None:
    changes.apply(workspace, _campaign().id, Wanted(exclude=RULES, let_in=True))


def _steps(workspace: Workspace) -> None:
    revisions.revise(workspace, _campaign().id, AFTER, "all")


def _winner(workspace: Workspace) -> None:
    variants.choose(workspace, _campaign().id, VARIED, "B")


REVISED: dict[str, Callable[[Workspace], None]] = {
    "hours": _hours,
    "lists": _lists,
    "exclusions": _exclusions,
    "steps": _steps,
}
MAKE = {**REVISED, "winner": _winner}
