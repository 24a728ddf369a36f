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
from app.domain.monitors import found_people, monitors, shown, watched_signals
from app.domain.workspace.workspaces import Workspace

MONITOR = "/monitors/<id:monitor_id>"
WORD: Any = up_to(monitors.LONGEST_WORD)
WORDS: Any = entries(0, monitors.MOST_WORDS)
NAME: Any = up_to(LONGEST_NAME)
MOST: Any = within(1, monitors.MOST_PER_DAY)
Words = Annotated[list[Annotated[str, WORD]], AtMost(monitors.MOST_WORDS)]


class Targeting(Body):
    """Words by row, used for a signal's search and every person's fit. Words in a row are alternatives.

    By default the autopilot's targeting is used.
    """

    titles: Words = []
    """Job titles."""
    company_type: Words = []
    """Kinds of company or industries."""
    size: Words = []
    """Company sizes."""
    location: Words = []
    """Places."""

    def by_row(self) -> dict[str, list[str]]:
        """Return the words by the name of the row."""
        return self.model_dump(by_alias=True)


class NewMonitor(Body):
    """What to watch, where people go, how often to look, and the most new people a day.

    A search is an address on LinkedIn and the LinkedIn account to read it through; a signal is one of those listed.
    """

    model_config = any_one_of(
        case(
            "A search.",
            "address",
            "accountId",
            kind={"const": "search"},
            address={"type": "string"},
            accountId={"type": "integer"},
        ),
        case("A signal.", "signal", kind={"const": "signal"}, signal={"enum": list(watched_signals.SIGNALS)}),
    )

    kind: Literal["search", "signal"]
    """What to watch: a search or a signal."""
    address: Annotated[str, ADDRESS] | None = None
    """The address of the search; only for a search."""
    account_id: Id | None = None
    """The LinkedIn account that reads the search; only for a search."""
    signal: Annotated[str, among(*watched_signals.SIGNALS)] | None = None
    """The signal; only for a signal."""
    targeting: Targeting | None = None
    """What people are compared with; null for the targeting of the autopilot."""
    name: Annotated[str, NAME] = ""
    """The name of the monitor; empty for one made from what is watched."""
    list_id: Id
    """The list people are added to."""
    campaign_id: Id | None = None
    """The campaign people are added to; null for none."""
    every: Annotated[str, among(*monitors.EVERY)] = "day"
    """How often it runs."""
    most_per_day: Annotated[int, MOST] = monitors.USUAL
    """The most new people a day."""


class MonitorChange(Body):
    """The fields to change; `campaignId` null fills the list only.

    `automatic` true adds people found later without a decision.
    """

    address: Annotated[str, ADDRESS] | None = None
    """The address of the search; only for a search."""
    account_id: Id | None = None
    """The LinkedIn account that reads the search; only for a search."""
    signal: Annotated[str, among(*watched_signals.SIGNALS)] | None = None
    """The signal; only for a signal."""
    targeting: Targeting | None = None
    """What people are compared with; null for the targeting of the autopilot."""
    name: Annotated[str, NAME] | None = None
    """The name of the monitor; empty for one made from what is watched."""
    list_id: Id | None = None
    """The list people are added to."""
    campaign_id: Id | None = None
    """The campaign people are added to; null for none."""
    every: Annotated[str, among(*monitors.EVERY)] | None = None
    """How often it runs."""
    most_per_day: Annotated[int, MOST] | None = None
    """The most new people a day."""
    automatic: bool | None = None
    """Whether people are added without a decision."""


class Decision(Body):
    """Accept or decline these people, or without `ids` everyone who waits; at most 500 at once."""

    decision: Literal["accept", "decline"]
    """What to do with them."""
    ids: Annotated[list[Id] | None, Field(min_length=1), described_as(maxItems=found_people.MOST_DECIDED)] = None
    """The monitor's ids of the people; null for everyone waiting."""


@endpoint("GET", "/monitors", scope="monitors:read", page_of=resources.Monitor, errors="E0")
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
    errors="E409",
    example={
        "kind": "search",
        "address": "https://www.linkedin.com/search/results/people/?keywords=founder",
        "accountId": 1,
        "listId": 12,
        "mostPerDay": 20,
    },
)
def create(workspace: Workspace, body: NewMonitor) -> Any:
    """Watch a search or a signal; people found wait for a decision unless the monitor adds them automatically.

    The first run starts immediately. Returns 409 when the workspace can have no more monitors. Delete one first.
    """
    return shown.of(monitors.create(workspace, **_given(body)))


@endpoint("GET", MONITOR, scope="monitors:read", returns=resources.Monitor, errors="E404")
def show(workspace: Workspace, monitor_id: int) -> Any:
    """Get a monitor with its last and next run, and how many people it found."""
    return shown.of(monitors.get(workspace, monitor_id))


@endpoint(
    "PATCH",
    MONITOR,
    scope="monitors:write",
    body=MonitorChange,
    returns=resources.Monitor,
    errors="E404+409",
    example={"mostPerDay": 30},
)
def change(workspace: Workspace, monitor_id: int, body: MonitorChange) -> Any:
    """Change a monitor; a new search or signal is read from the beginning.

    People found before stay in their state. Returns 409 when its list or campaign was deleted. Choose another.
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


@endpoint("DELETE", MONITOR, scope="monitors:write", returns=None, status=204, errors="E404")
def delete(workspace: Workspace, monitor_id: int) -> None:
    """Delete a monitor and people waiting for a decision; added people stay."""
    monitors.delete(workspace, monitor_id)


@endpoint("POST", MONITOR + "/pause", scope="monitors:write", returns=resources.Monitor, errors="E404+409")
def pause(workspace: Workspace, monitor_id: int) -> Any:
    """Pause a monitor.

    People who wait for a decision can still be decided. Returns 409 when it is paused already.
    """
    return shown.of(monitors.pause(workspace, monitor_id))


@endpoint("POST", MONITOR + "/resume", scope="monitors:write", returns=resources.Monitor, errors="E404+409")
def resume(workspace: Workspace, monitor_id: int) -> Any:
    """Resume a monitor; it runs immediately.

    Returns 409 unless it is paused.
    """
    return shown.of(monitors.resume(workspace, monitor_id))


@endpoint("POST", MONITOR + "/run", scope="monitors:write", returns=resources.Monitor, status=202, errors="E404+409")
def run(workspace: Workspace, monitor_id: int) -> Any:
    """Run a monitor now, within the same limits.

    This doesn't wait for the result; read the monitor's `lastRun`. Returns 409 while it is paused.
    """
    return shown.of(monitors.run_now(workspace, monitor_id))


@endpoint(
    "GET",
    MONITOR + "/people",
    scope="monitors:read",
    page_of=resources.MonitorPerson,
    errors="E404",
    filters={"state": one_of(*resources.FOUND_STATES, about="Only people in this state.")},
)
def people_page(workspace: Workspace, monitor_id: int, state: str = "") -> Paged:
    """List the people a monitor found, newest first, optionally in one state."""
    return shown.People(workspace, monitors.get(workspace, monitor_id), state)


@endpoint(
    "POST",
    MONITOR + "/people/decide",
    scope="monitors:write",
    body=Decision,
    returns=resources.MonitorDecision,
    errors="E404+409",
    dry=True,
    example={"decision": "accept", "ids": [71, 72]},
)
def decide(workspace: Workspace, monitor_id: int, body: Decision) -> Any:
    """Accept or decline people who wait for a decision.

    Accepted people join the list and campaign under the usual rules; declined people aren't found again, but you can
    still accept them.

    People who were decided already are skipped and counted. Returns 409 when the list of the monitor was deleted.
    """
    done = found_people.decide(workspace, monitor_id, body.decision == "accept", body.ids)
    return done.changed, done.skipped, shown.reasons(done.left_out)
