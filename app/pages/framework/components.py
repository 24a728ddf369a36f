"""Every component in every state, for development and for the tests that look at them."""

from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, current_app

from app.core.errors import NotFound
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import charts
from app.pages.framework.base import render
from app.pages.framework.words import STATUS_WORDS

area = Blueprint("components", __name__)

INVITES = (15, 15, 20, 0, 0, 20, 26, 26, 24, 30, 0, 0, 30, 34, 30, 30, 34, 0, 0, 39, 31, 32, 36, 40)
ACCEPTED = (0, 7, 7, 0, 0, 13, 8, 14, 11, 9, 0, 0, 12, 14, 18, 13, 16, 0, 0, 17, 15, 16, 12, 12)
REPLIES = (0, 0, 0, 0, 0, 3, 2, 4, 3, 5, 0, 0, 4, 3, 3, 7, 3, 0, 0, 4, 5, 4, 5, 6)
PEOPLE = (
    (
        "Aoife Gallagher",
        "Head of Support Operations, Quillstack",
        "awaiting_accept",
        1,
        "Until the request is accepted",
    ),
    ("Maya Lindqvist", "Head of Support, Parcelwise", "replied_positive", 3, ""),
    (
        "Bartholomew Oyelaran-Fitzgerald-Montgomery III",
        "Vice President of Customer Experience and Everything Else, Lumen Ledger International Holdings",
        "paused",
        1,
        "Out of office until Tue 1 Dec; resumes automatically",
    ),
    ("نور الهاشمي", "مديرة الدعم", "failed", 0, "The profile no longer exists"),
    ("🦊 Fox", "", "pending", 0, "Starts in the next working hours, Mon 2 Mar, 09:00"),
)


@area.get("/dev/components")
def index(workspace: Workspace) -> Response:
    """Show all components; only where OVERTURE_DEVELOPMENT is on."""
    if not current_app.config["OVERTURE_DEVELOPMENT"]:
        raise NotFound("Page not found.")
    return render(
        "components/index.html",
        statuses={kind: list(words) for kind, words in STATUS_WORDS.items()},
        days=_days(),
        people=PEOPLE,
        now=workspace.now(),
        hour=timedelta(hours=1),
    )


def _days() -> list[dict[str, Any]]:
    start = date(2026, 10, 28)
    days = [start + timedelta(days=number) for number in range(len(INVITES))]
    return [
        charts.column(day, values, today=day == days[-1])
        for day, values in zip(days, zip(INVITES, ACCEPTED, REPLIES, strict=True), strict=True)
    ]
