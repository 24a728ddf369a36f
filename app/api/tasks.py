"""Tasks: people to write to again, referrals, and what campaigns ask for after a reply."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import Body, Day, Id
from app.api.framework.endpoint import endpoint, id_of, one_of
from app.api.framework.schema_notes import PROFILE, among, any_one_of, case, words
from app.api.leads import people
from app.api.leads.lists import holds
from app.core.paging import Paged
from app.domain.engine import campaign_tasks
from app.domain.rules.step_kinds import TASK_TYPES
from app.domain.tasks import opt_out_questions, referrals, tasks
from app.domain.workspace.workspaces import Workspace

ONE = "/tasks/<id:task_id>"


class TaskDay(Body):
    """The new due date, which must be after today and within five years."""

    until: Day
    """The new due date."""


class NewTask(Body):
    """A task about a person, with its due date."""

    person_id: Id
    """The id of the person the task is about."""
    text: Annotated[str, words(tasks.LONGEST)]
    """What to do."""
    until: Day | None = None
    """The due date, at most five years ahead; null for today."""
    task_type: Annotated[str, among("", *TASK_TYPES)] = ""
    """What to do by hand, such as `call`, or `other` for anything else; leave it out to name nothing."""


class TaskOutcome(Body):
    """The outcome of a task and, optionally, a date to try again."""

    outcome: Annotated[str, words(tasks.LONGEST)] = ""
    """The outcome of the task, in your own words."""
    result: Annotated[str, among(*campaign_tasks.RESULTS)] = campaign_tasks.CONTINUE
    """What came of it: the campaign continues (`continue` or `no_answer`), the person counts as having replied
    positively (`interested`), the campaign stops for them (`not_interested`), or they join the do-not-contact list
    (`do_not_contact`).
    """
    until: Day | None = None
    """The due date of a new task to try again, after today and within five years; null for no new task. With `continue`
    or `no_answer`, the campaign waits for the new task.
    """


class OptOutDecision(Body):
    """Whether the person may still be contacted."""

    contact: bool
    """True if the message was not an opt-out; false to add the person to the do-not-contact list."""


class ReferredPerson(Body):
    """The list to add the person to, and the person's data."""

    model_config = any_one_of(
        case("An `email`.", "email", email={"format": "email", "minLength": 3}),
        case("A `profileUrl`.", "profileUrl", profileUrl={"minLength": 1}),
    )

    list_id: Id
    """The id of the list to add the person to."""
    first_name: Annotated[str, holds("first_name")] = ""
    """The first name."""
    last_name: Annotated[str, holds("last_name")] = ""
    """The last name."""
    position: Annotated[str, holds("position")] = ""
    """The job title."""
    company_name: Annotated[str, holds("company_name")] = ""
    """The name of the company."""
    email: Annotated[str, holds("email", format="email-or-empty")] = ""
    """The email address."""
    phone: Annotated[str, holds("phone")] = ""
    """The phone number."""
    profile_url: Annotated[str, holds("profile_url", **PROFILE)] = ""
    """The URL of the LinkedIn profile. You can also send the public id."""


@endpoint(
    "GET",
    "/tasks",
    scope="conversations:read",
    page_of=resources.Task,
    filters={
        "state": one_of(*tasks.STATES, about="Only tasks in this state."),
        "personId": id_of("a person", "Only tasks about this person."),
    },
)
def page(workspace: Workspace, state: str = "", person_id: int = 0) -> Paged:
    """List tasks, newest first, optionally filtered by state or person."""
    return tasks.Found(workspace, state, person_id)


@endpoint(
    "POST",
    "/tasks",
    scope="conversations:write",
    body=NewTask,
    returns=resources.Task,
    status=201,
    example={"personId": 1204, "text": "Call about the offer.", "until": "2027-03-01"},
)
def create(workspace: Workspace, body: NewTask) -> Any:
    """Create a task about a person, such as a call, which appears in Tasks on its due date.

    Campaigns create such tasks with steps of type `task`.
    """
    return tasks.entry(workspace, tasks.create(workspace, body.person_id, body.text, body.until, body.task_type).id)


@endpoint("GET", ONE, scope="conversations:read", returns=resources.Task)
def show(workspace: Workspace, task_id: int) -> Any:
    """Get a task."""
    return tasks.entry(workspace, task_id)


@endpoint("POST", ONE + "/finish", scope="conversations:write", returns=resources.Task)
def finish(workspace: Workspace, task_id: int) -> Any:
    """Mark a task as done.

    If a campaign is waiting for the task, the person moves on to the next step. Returns 409 for a task of kind
    `opt_out`; use `POST /v1/tasks/{taskId}/decide` instead.
    """
    campaign_tasks.finish(workspace, task_id)
    return tasks.entry(workspace, task_id)


@endpoint(
    "POST",
    ONE + "/outcome",
    scope="conversations:write",
    body=TaskOutcome,
    returns=resources.Task,
    example={"outcome": "Reached. Call again in May.", "result": "continue", "until": "2027-05-03"},
)
def record_outcome(workspace: Workspace, task_id: int, body: TaskOutcome) -> Any:
    """Mark a task as done with its outcome and, optionally, a date to try again.

    A task that is done already stays as it is. Returns 409 if the task asks whether the person may be contacted: decide
    that first.
    """
    campaign_tasks.finish(workspace, task_id, body.outcome, body.until, body.result)
    return tasks.entry(workspace, task_id)


@endpoint("POST", ONE + "/skip", scope="conversations:write", returns=resources.Task)
def skip(workspace: Workspace, task_id: int) -> Any:
    """Skip a task: close the task without doing it.

    If a campaign is waiting for the task, the person moves on to the next step. Returns 409 for a task of kind
    `opt_out`; use `POST /v1/tasks/{taskId}/decide` instead.
    """
    campaign_tasks.skip(workspace, task_id)
    return tasks.entry(workspace, task_id)


@endpoint("POST", ONE + "/reopen", scope="conversations:write", returns=resources.Task)
def reopen(workspace: Workspace, task_id: int) -> Any:
    """Reopen a task that was marked as done.

    Returns 409 for a task of kind `opt_out` that has been decided; change the do-not-contact list instead. Returns 409
    for a campaign's task, too, because the campaign has continued.
    """
    tasks.reopen(workspace, task_id)
    return tasks.entry(workspace, task_id)


@endpoint(
    "POST",
    ONE + "/decide",
    scope="conversations:write",
    body=OptOutDecision,
    returns=resources.Task,
    example={"contact": False},
)
def decide(workspace: Workspace, task_id: int, body: OptOutDecision) -> Any:
    """Decide whether a person opted out, for a task of kind `opt_out`, and mark the task as done.

    If `contact` is false, the person is added to the do-not-contact list. Other people at the person's company are not
    affected. Returns 409 if the task has already been decided.
    """
    opt_out_questions.decide(workspace, task_id, contact=body.contact)
    return tasks.entry(workspace, task_id)


@endpoint(
    "PATCH",
    ONE,
    scope="conversations:write",
    body=TaskDay,
    returns=resources.Task,
    example={"until": "2030-03-01"},
)
def put_off(workspace: Workspace, task_id: int, body: TaskDay) -> Any:
    """Move a task to another day.

    A person who asked to be contacted later is not contacted before that day. Returns 409 for a task of kind `opt_out`;
    use `POST /v1/tasks/{taskId}/decide` instead.
    """
    tasks.put_off(workspace, task_id, body.until)
    return tasks.entry(workspace, task_id)


@endpoint("DELETE", ONE, scope="conversations:write", returns=None)
def delete(workspace: Workspace, task_id: int) -> None:
    """Delete a task created by mistake.

    If the task kept the person from being contacted, the person can be contacted again. Returns 409 while a campaign is
    waiting for the task; skip the task instead.
    """
    tasks.remove(workspace, task_id)


@endpoint(
    "POST",
    "/referrals/<id:referral_id>/add",
    scope="lists:write",
    body=ReferredPerson,
    returns=resources.PersonRecord,
    example={"listId": 7, "firstName": "Anna", "lastName": "Schmidt", "email": "anna@wool.example"},
)
def add_referral(workspace: Workspace, referral_id: int, body: ReferredPerson) -> Any:
    """Add a referred person, who was named in a reply, to a list, and mark the task as done.

    To contact the person, add them to a campaign. The person's record says who made the referral. Returns 409 if the
    person must not be contacted.
    """
    given = body.model_dump(by_alias=True, exclude={"list_id"})
    return people.show(workspace, referrals.add(workspace, referral_id, body.list_id, given).id)
