"""The tools, by area."""

from app.domain.workspace.api_keys import Caller
from app.mcp.tool import Tool
from app.mcp.tools import approvals, autopilot, campaigns, conversations, people

AREAS = (people, campaigns, conversations, approvals, autopilot)
TOOLS = {one.name: one for area in AREAS for one in vars(area).values() if isinstance(one, Tool)}


def allowed(caller: Caller) -> list[Tool]:
    """Return the tools that the key may use."""
    return [one for one in TOOLS.values() if caller.may(one.scope)]
