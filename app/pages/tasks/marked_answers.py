"""Mark what a person answered elsewhere, and undo it."""

from flask import Blueprint, Response, request, url_for

from app.domain.replies.postponement import WRONG_DAY
from app.domain.tasks import marked_answers
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to_path, safe_path, show_toast, try_verb
from app.pages.framework.forms import Day, Form, Text
from app.pages.tasks.follow_up import MARKED

area = Blueprint("marked_answers", __name__, url_prefix="/tasks/people/<int:person_id>")


class MarkForm(Form):
    """What they answered, and the day to come back after a “not now”."""

    answer = Text()
    until = Day("Day", wrong=WRONG_DAY)


@area.post("/answer")
def mark(workspace: Workspace, person_id: int) -> Response:
    """Mark the answer; campaigns end as after a reply."""
    form = MarkForm.posted()
    answer, day = form.answer.data, form.until.data

    if form.until.process_errors:
        show_toast(WRONG_DAY, "danger")
    elif try_verb(lambda: marked_answers.mark(workspace, person_id, answer, day)):
        undo = url_for(".undo", person_id=person_id, next=_next())
        show_toast(f"Marked as “{MARKED[answer]}”. Their campaigns have ended.", undo=undo)
    return redirect_to_path(_next())


@area.post("/undo")
def undo(workspace: Workspace, person_id: int) -> Response:
    """Take back what was marked last."""
    try_verb(lambda: marked_answers.undo(workspace, person_id), "Undone. Their campaigns continue where they left off.")
    return redirect_to_path(_next())


def _next() -> str:
    return safe_path(request.values.get("next"), "/tasks")
