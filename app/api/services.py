"""Services connected with your own keys: their purpose, key, usage and health."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import within
from app.domain.platform import services
from app.domain.workspace.workspaces import Workspace

ONE = "/services/<name>"
NAMES: dict[str, tuple[str, ...]] = {"name": ()}


class Connected(Body):
    """The settings and daily budget of the service.

    A secret you leave out stays the same. To change other values, send the secrets again.
    """

    values: dict[str, str]
    """The value of each setting, by the `name` in the service's `fields`."""
    daily_budget: Annotated[float, within(0, services.MOST_BUDGET // services.MILLION)] | None = None
    """The maximum to spend per day, in US dollars; null for no limit."""


class Place(Body):
    """The new position of the service."""

    position: Annotated[int, Field(ge=1, le=1000)]
    """The new position among services for the same purpose, starting at 1. Services are used in the order of their
    positions.
    """


@endpoint("GET", "/services", scope="sources:read", returns=resources.Services)
def every(workspace: Workspace) -> Any:
    """List the services you can connect, with the health of connected services; secrets are masked."""
    return services.states(workspace)


@endpoint(
    "PUT",
    ONE,
    words=NAMES,
    scope="sources:write",
    body=Connected,
    returns=resources.Service,
    outside=True,
    costly=True,
    example={"values": {"api_key": "3f7c0ffee"}, "dailyBudget": 5},
)
def connect(workspace: Workspace, name: str, body: Connected) -> Any:
    """Connect a service; the key is tested, stored encrypted and never returned.

    If the key does not work, the error contains the service's response and nothing is stored. Returns 409 in a sandbox,
    because sandboxes use sample data, and for a second CRM; disconnect the first CRM before you connect another.
    """
    budget = None if body.daily_budget is None else services.to_micro_usd(body.daily_budget)
    services.connect(workspace, name, body.values, budget)
    return services.state(workspace, name)


@endpoint("DELETE", ONE, words=NAMES, scope="sources:write", returns=None)
def disconnect(workspace: Workspace, name: str) -> None:
    """Disconnect a service and delete its key; data from the service is kept.

    Running lookups continue with your other services for the same purpose, if you have any.
    """
    services.disconnect(workspace, name)


@endpoint(
    "POST",
    ONE + "/check",
    words=NAMES,
    scope="sources:write",
    returns=resources.Service,
    outside=True,
    costly=True,
)
def check(workspace: Workspace, name: str) -> Any:
    """Test a connected service's key; `health` and `failure` in the response give the result.

    The test is one small request to the service, which may count towards your quota there.
    """
    services.fetch_status(workspace, name)
    return services.state(workspace, name)


@endpoint(
    "POST",
    ONE + "/move",
    words=NAMES,
    scope="sources:write",
    body=Place,
    returns=resources.Services,
    example={"position": 1},
)
def move(workspace: Workspace, name: str, body: Place) -> Any:
    """Change the order in which services for the same purpose are used.

    Services for other purposes are not affected.
    """
    services.move(workspace, name, body.position)
    return services.states(workspace)
