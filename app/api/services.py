"""Services that the workspace connects with keys of its own: what each is for, its key, and how it fares."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import within
from app.domain.platform import services
from app.domain.workspace.workspaces import Workspace

ONE = "/services/<name>"
NAMES: dict[str, tuple[str, ...]] = {"name": ()}


class Connected(Body):
    """What opens the service, by the names of its fields, and how many dollars it may cost in a day.

    Secrets that are left out stay what they were, unless another field changes.
    """

    values: dict[str, str]
    daily_budget: Annotated[float, within(0, services.MOST_BUDGET // services.MILLION)] | None = None


@endpoint("GET", "/services", scope="sources:read", returns=resources.Services, errors="E0")
def every(workspace: Workspace) -> Any:
    """Every service that can be connected, and how those fare that are; secrets are masked."""
    return services.states(workspace)


@endpoint(
    "PUT",
    ONE,
    words=NAMES,
    scope="sources:write",
    body=Connected,
    returns=resources.Service,
    errors="E404+409",
    outside=True,
    costly=True,
    example={"values": {"api_key": "3f7c0ffee"}, "dailyBudget": 5},
)
def connect(workspace: Workspace, name: str, body: Connected) -> Any:
    """The service is connected; its key was tried, is sealed and never returned."""
    budget = None if body.daily_budget is None else services.to_micro_usd(body.daily_budget)
    services.connect(workspace, name, body.values, budget)
    return services.state(workspace, name)


@endpoint("DELETE", ONE, words=NAMES, scope="sources:write", returns=None, status=204, errors="E404")
def disconnect(workspace: Workspace, name: str) -> None:
    """The service is not connected any more, and its key is gone; what it brought stays."""
    services.disconnect(workspace, name)


@endpoint(
    "POST",
    ONE + "/check",
    words=NAMES,
    scope="sources:write",
    returns=resources.Service,
    errors="E404+409",
    outside=True,
    costly=True,
)
def check(workspace: Workspace, name: str) -> Any:
    """The service was asked whether its key works; `health`, `about` and `failure` are what it said."""
    services.fetch_status(workspace, name)
    return services.state(workspace, name)
