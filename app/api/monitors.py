"""Monitors: searches and signals watched for new people, the people found, and the decision about them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import among, any_one_of, case, described_as, entries, up_to, within
from app.api.leads.imports import ADDRESS
from app.core.paging import Paged
from app.core.text import LONGEST_NAME
from app.domain.autopilot.monitors import found_people, monitors, shown, watched_signals
from app.domain.workspace.workspaces import Workspace

MONITOR = "/monitors/<id:monitor_id>"
WORD: Any = up_to(monitors.LONGEST_WORD)
WORDS: Any = entries(0, monitors.MOST_WORDS)
NAME: Any = up_to(LONGEST_NAME)
MOST: Any = within(1, monitors.MOST_PER_DAY)
Words = Annotated[list[Annotated[str, WORD]], AtMost(monitors.MOST_WORDS)]


class Targeting(Body):
    """The people to look for.

    A person must match at least one value of each kind.
    """

    titles: Words = []
    """Job titles to look for."""
    company_type: Words = []
    """Kinds of company, or industries, to look for."""
    size: Words = []
    """Company sizes to look for."""
    location: Words = []
    """Places to look in."""

    def by_row(self) -> dict[str, list[str]]:
        """Return the words by the name of the row."""
        return self.model_dump(by_alias=True)


class NewMonitor(Body):
    """What to watch, and what to do with the people who are found."""

    model_config = any_one_of(
        case(
            "`search`, with `address` and `accountId`.",
            "address",
            "accountId",
            kind={"const": "search"},
            address={"type": "string"},
            accountId={"type": "integer"},
        ),
        case(
            "`signal`, with the name of the `signal`.",
            "signal",
            kind={"const": "signal"},
            signal={"enum": list(watched_signals.SIGNALS)},
        ),
    )

    kind: Literal["search", "signal"]
    """Whether to watch a search or a signal."""
    address: Annotated[str, ADDRESS] | None = None
    """The URL of the search; only for monitors of kind `search`."""
    account_id: Id | None = None
    """The id of the LinkedIn account that loads the results; only for monitors of kind `search`."""
    signal: Annotated[str, among(*watched_signals.SIGNALS)] | None = None
    """The signal to watch; only for monitors of kind `signal`."""
    targeting: Targeting | None = None
    """The people to look for, also used to measure how well people fit; null for the autopilot's targeting."""
    name: Annotated[str, NAME] = ""
    """The name of the monitor; empty to name it after its search or signal."""
    list_id: Id
    """The id of the list to which people are added."""
    campaign_id: Id | None = None
    """The id of the campaign to which people are added; null to add people only to the list."""
    every: Annotated[str, among(*monitors.EVERY)] = "day"
    """How often the monitor runs."""
    most_per_day: Annotated[int, MOST] = monitors.USUAL
    """The maximum number of new people per day."""


class MonitorChange(Body):
    """The fields to change.

    Changing `automatic` only affects people found later.
    """

    address: Annotated[str, ADDRESS] | None = None
    """The URL of the search; only for monitors of kind `search`."""
    account_id: Id | None = None
    """The id of the LinkedIn account that loads the results; only for monitors of kind `search`."""
    signal: Annotated[str, among(*watched_signals.SIGNALS)] | None = None
    """The signal to watch; only for monitors of kind `signal`."""
    targeting: Targeting | None = None
    """The people to look for, also used to measure how well people fit; null for the autopilot's targeting."""
    name: Annotated[str, NAME] | None = None
    """The name of the monitor; empty to name it after its search or signal."""
    list_id: Id | None = None
    """The id of the list to which people are added."""
    campaign_id: Id | None = None
    """The id of the campaign to which people are added; null to add people only to the list."""
    every: Annotated[str, among(*monitors.EVERY)] | None = None
    """How often the monitor runs."""
    most_per_day: Annotated[int, MOST] | None = None
    """The maximum number of new people per day."""
    automatic: bool | None = None
    """Whether people are added automatically, without waiting for a decision."""


class Decision(Body):
    """The people to accept or decline: those in `ids`, or everyone who is waiting; at most 500 at once."""

    decision: Literal["accept", "decline"]
    """Whether to accept or decline the people."""
    ids: Annotated[list[Id] | None, Field(min_length=1), described_as(maxItems=found_people.MOST_DECIDED)] = None
    """The ids of the entries from `GET /v1/monitors/{monitorId}/people`; null for everyone who is waiting."""


@endpoint("GET", "/monitors", scope="monitors:read", page_of=resources.Monitor)
def page(workspace: Workspace) -> Paged:
    """List monitors, newest first."""
    return shown.Monitors(workspace)


@endpoint(
    "POST",
    "/monitors",
    scope="monitors:write",
    body=NewMonitor,
    returns=resources.Monitor,
    status=201,
    example={
        "kind": "search",
        "address": "https://www.linkedin.com/search/results/people/?keywords=founder",
        "accountId": 1,
        "listId": 12,
        "mostPerDay": 20,
    },
)
def create(workspace: Workspace, body: NewMonitor) -> Any:
    """Create a monitor, which watches a search or a signal for new people.

    The first run starts immediately. Unless the monitor is `automatic`, new people wait for your decision. Returns 409
    if the workspace has reached its limit of monitors; delete a monitor first.
    """
    return shown.of(monitors.create(workspace, **_given(body)))


@endpoint("GET", MONITOR, scope="monitors:read", returns=resources.Monitor)
def show(workspace: Workspace, monitor_id: int) -> Any:
    """Get a monitor with its last and next run, and the number of people found."""
    return shown.of(monitors.get(workspace, monitor_id))


@endpoint(
    "PATCH",
    MONITOR,
    scope="monitors:write",
    body=MonitorChange,
    returns=resources.Monitor,
    example={"mostPerDay": 30},
)
def change(workspace: Workspace, monitor_id: int, body: MonitorChange) -> Any:
    """Change a monitor; a new search or signal is read from the beginning.

    People already found keep their state. Returns 409 if the monitor's list or campaign has been deleted; choose
    another list or campaign.
    """
    given = _given(body)
    automatic = given.pop("automatic", None)
    monitor = monitors.change(workspace, monitor_id, **given) if given else monitors.get(workspace, monitor_id)
    if automatic is not None:
        monitor = monitors.set_automatic(workspace, monitor_id, automatic)
    return shown.of(monitor)


def _given(body: NewMonitor | MonitorChange) -> dict[str, Any]:
    """Return what the body says; null leaves as it is, but for the campaign."""
    said = {name: getattr(body, name) for name in body.model_fields_set}
    if body.targeting is not None:
        said["targeting"] = body.targeting.by_row()
    return {name: value for name, value in said.items() if value is not None or name == "campaign_id"}


@endpoint("DELETE", MONITOR, scope="monitors:write", returns=None)
def delete(workspace: Workspace, monitor_id: int) -> None:
    """Delete a monitor and its people who are waiting for a decision; people who were added to the list are kept."""
    monitors.delete(workspace, monitor_id)


@endpoint("POST", MONITOR + "/pause", scope="monitors:write", returns=resources.Monitor)
def pause(workspace: Workspace, monitor_id: int) -> Any:
    """Pause a monitor.

    You can still decide on people found earlier. Returns 409 if the monitor is already paused.
    """
    return shown.of(monitors.pause(workspace, monitor_id))


@endpoint("POST", MONITOR + "/resume", scope="monitors:write", returns=resources.Monitor)
def resume(workspace: Workspace, monitor_id: int) -> Any:
    """Resume a monitor; the next run starts immediately.

    Returns 409 unless the monitor is paused.
    """
    return shown.of(monitors.resume(workspace, monitor_id))


@endpoint("POST", MONITOR + "/run", scope="monitors:write", returns=resources.Monitor, status=202)
def run(workspace: Workspace, monitor_id: int) -> Any:
    """Run a monitor now, in the background, within its daily limit.

    To see the result, poll the monitor's `lastRun`. Returns 409 while the monitor is paused.
    """
    return shown.of(monitors.run_now(workspace, monitor_id))


@endpoint(
    "GET",
    MONITOR + "/people",
    scope="monitors:read",
    page_of=resources.MonitorPerson,
    filters={"state": one_of(*resources.FOUND_STATES, about="Only people in this state.")},
)
def people_page(workspace: Workspace, monitor_id: int, state: str = "") -> Paged:
    """List the people that a monitor found, newest first, optionally only people in one state."""
    return shown.People(workspace, monitors.get(workspace, monitor_id), state)


@endpoint(
    "POST",
    MONITOR + "/people/decide",
    scope="monitors:write",
    body=Decision,
    returns=resources.MonitorDecision,
    dry=True,
    example={"decision": "accept", "ids": [71, 72]},
)
def decide(workspace: Workspace, monitor_id: int, body: Decision) -> Any:
    """Accept or decline people who are waiting for a decision.

    Accepted people are added to the list and campaign, if no rule excludes them. Declined people are not found again,
    but you can still accept them. People who were already decided on are skipped; `skipped` says how many. Returns 409
    if the monitor's list has been deleted.
    """
    done = found_people.decide(workspace, monitor_id, body.decision == "accept", body.ids)
    return done.changed, done.skipped, shown.reasons(done.left_out)
