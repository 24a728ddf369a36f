"""Tasks: whom to come back to, and contacts that people named; done, later or removed."""

from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core.db import session
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.core.text import number
from app.domain.engine import campaign_tasks, joiners
from app.domain.leads import lists
from app.domain.leads.csv_mapping import CSV_FIELDS
from app.domain.replies.postponement import WRONG_DAY
from app.domain.tasks import opt_out_questions, referrals, tasks
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import (
    error_text,
    htmx,
    may_change,
    redirect_to_path,
    render,
    safe_path,
    show_toast,
    try_verb,
)
from app.pages.framework.forms import Day, Form, Text
from app.pages.tasks import follow_up

area = Blueprint("tasks", __name__, url_prefix="/tasks")
FOLLOWS = {
    "interested": "Marked as replied. Their campaigns have ended.",
    "not_interested": "Done. The campaign stopped for this person.",
    "do_not_contact": "Added to do-not-contact.",
}
ASKED = ("firstName", "lastName", "position", "companyName", "email", "phone", "profileUrl")
LABELS = {name: CSV_FIELDS[name] for name in ASKED}


class DayForm(Form):
    """The day on which a task falls due."""

    until = Day("Day", wrong="")


class ReferralForm(Form):
    """The fields of a contact who was named, and the list to put them on."""

    list = Text("List")


for _name, _label in LABELS.items():
    setattr(ReferralForm, _name, Text(_label))


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the tasks that are due, and those that are not yet."""
    coming = [follow_up.line(entry) for entry in tasks.coming(workspace)]
    seen = {**follow_up.due(workspace, tasks.MOST_SHOWN), "coming": coming, "may": follow_up.may_change()}
    return render("tasks/index.html", part="tasks/_lists.html", **seen)


class OutcomeForm(Form):
    """What came of a task, and when to come back."""

    outcome = Text()
    result = Text()
    until = Day("Day", wrong=WRONG_DAY)


class NewTaskForm(Form):
    """What to do about a person, and when."""

    text = Text()
    until = Day("Day", wrong=WRONG_DAY)


@area.post("/people/<int:person_id>")
def create(workspace: Workspace, person_id: int) -> Response:
    """Create a task about the person."""
    form = NewTaskForm.posted()
    if form.until.process_errors:
        show_toast(WRONG_DAY, "danger")
    else:
        try_verb(lambda: tasks.create(workspace, person_id, form.text.data, form.until.data), "Task added.")
    return _back(workspace)


@area.post("/<int:task_id>/done")
def done(workspace: Workspace, task_id: int) -> Response:
    """Mark the task as done, perhaps with what came of it and a day to come back."""
    form = OutcomeForm.posted()
    if form.until.process_errors:
        show_toast(WRONG_DAY, "danger")
        return _back(workspace)
    outcome, result = form.outcome.data, form.result.data or campaign_tasks.CONTINUE
    if try_verb(lambda: campaign_tasks.finish(workspace, task_id, outcome, form.until.data, result)):
        task = tasks.get(workspace, task_id)
        if result in FOLLOWS:
            mark = url_for("pages.marked_answers.undo", person_id=task.person_id, next=_next())
            show_toast(FOLLOWS[result], undo=mark if result == "interested" else "")
        elif task.campaign_lead_id is not None:
            show_toast(f"Done. The campaign {'waits for the new task' if form.until.data else 'continues'}.")
        else:
            show_toast("Done.", undo=url_for(".reopen", task_id=task_id, next=_next()))
    return _back(workspace)


@area.post("/<int:task_id>/skip")
def skip(workspace: Workspace, task_id: int) -> Response:
    """Close the task of a campaign without doing it."""
    try_verb(lambda: campaign_tasks.skip(workspace, task_id), "Skipped. The campaign continues.")
    return _back(workspace)


@area.post("/<int:task_id>/reopen")
def reopen(workspace: Workspace, task_id: int) -> Response:
    tasks.reopen(workspace, task_id)
    return _back(workspace)


@area.post("/<int:task_id>/opt-out")
def opt_out(workspace: Workspace, task_id: int) -> Response:
    """Add the person to the do-not-contact list, because they asked for it."""
    try_verb(lambda: opt_out_questions.decide(workspace, task_id, contact=False), "Added to do-not-contact.")
    return _back(workspace)


@area.post("/<int:task_id>/keep")
def keep(workspace: Workspace, task_id: int) -> Response:
    """Let campaigns contact the person: what they wrote is no opt-out."""
    try_verb(lambda: opt_out_questions.decide(workspace, task_id, contact=True), "Saved. This person can be contacted.")
    return _back(workspace)


@area.post("/<int:task_id>/later")
def later(workspace: Workspace, task_id: int) -> Response:
    """Move the task to another day."""
    day = DayForm.posted().until.data
    try_verb(lambda: tasks.put_off(workspace, task_id, day), "Day saved.")
    return _back(workspace)


@area.post("/<int:task_id>/remove")
def remove(workspace: Workspace, task_id: int) -> Response:
    """Delete a task that was read wrongly."""
    tasks.remove(workspace, task_id)
    show_toast("Removed.")
    return _back(workspace)


@area.get("/referrals/<int:referral_id>")
@may_change
def referral(workspace: Workspace, referral_id: int) -> Response:
    """Show the form that adds the contact."""
    found = referrals.get(workspace, referral_id)
    return _form(workspace, found, ReferralForm.of(**referrals.suggested(found)))


@area.post("/referrals/<int:referral_id>")
def add(workspace: Workspace, referral_id: int) -> Response:
    """Add the contact to the list."""
    found, form = referrals.get(workspace, referral_id), ReferralForm.posted()
    given = {name: form[name].data for name in LABELS}
    try:
        person = referrals.add(workspace, referral_id, number(form["list"].data), given)
    except InvalidRequest as refusal:
        return _form(workspace, found, form.take_errors(refusal), 422)
    except (Conflict, NotFound) as refusal:
        form.form_errors.append(error_text(refusal))
        return _form(workspace, found, form, 422)
    joined = joiners.promise(workspace, number(form["list"].data)) or " No campaign contacts them automatically."
    show_toast(f"{person.name} added.{joined}")
    return redirect_to_path(_next())


def _form(workspace: Workspace, found: Any, form: ReferralForm, status: int = 200) -> Response:
    choices = [(one.id, one.name) for one in session().scalars(lists.people_lists(workspace))]
    return render(
        "tasks/referral.html",
        status=status,
        referral=found,
        named_by=referrals.named_by(found),
        form=form,
        labels=LABELS,
        lists=choices,
        next=_next(),
    )


def _next() -> str:
    return safe_path(request.values.get("next"), "/tasks")


def _back(workspace: Workspace) -> Response:
    """Return to the page of the form; for htmx show the card of tasks as it is now."""
    if htmx().partial and request.values.get("card"):
        seen = {**follow_up.due(workspace, tasks.MOST_SHOWN), "may": follow_up.may_change(), "next": _next()}
        return render("tasks/_due.html", part="tasks/_due.html", **seen)
    return redirect_to_path(_next())
