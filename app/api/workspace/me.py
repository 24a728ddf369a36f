"""The caller, the quickest way to test an API key; and the days on which its workspace sends nothing."""

from collections.abc import Sequence
from typing import Annotated, Any

from flask import g

from app import resources
from app.api.campaigns import campaigns
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import entries
from app.domain.campaigns import workspace_blackouts
from app.domain.rules.schedules import day_ranges
from app.domain.workspace.workspaces import Workspace

MOST: Any = entries(0, day_ranges.MOST)
EXAMPLE = {"blackouts": [{"name": "Company retreat", "firstDay": "2027-05-03", "lastDay": "2027-05-07"}]}


class Blackout(campaigns.Blackout):
    """A period in which nothing is sent, in each campaign's time zone."""


class Blackouts(Body):
    """The workspace's blackout dates."""

    blackouts: Annotated[list[Blackout], AtMost(1000), MOST]
    """All blackout dates; blackout dates you leave out are removed."""


@endpoint("GET", "/me", scope=None, returns=resources.Me)
def show(workspace: Workspace) -> tuple[Workspace, int, list[str]]:
    """Get the workspace and scopes of your API key."""
    return workspace, g.caller.key_id, sorted(g.caller.scopes)


@endpoint("GET", "/blackouts", scope="campaigns:read", returns=resources.Blackouts)
def show_blackouts(workspace: Workspace) -> Sequence[Any]:
    """Get the workspace's blackout dates."""
    return workspace.blackouts or []


@endpoint("PUT", "/blackouts", scope="campaigns:write", body=Blackouts, returns=resources.Blackouts, example=EXAMPLE)
def replace_blackouts(workspace: Workspace, body: Blackouts) -> Sequence[Any]:
    """Replace the workspace's blackout dates, immediately and for all campaigns.

    Nothing is sent on blackout dates. Messages planned for a blackout date move to the campaign's next sending day.
    """
    return workspace_blackouts.replace(workspace, [one.model_dump(by_alias=True) for one in body.blackouts])
