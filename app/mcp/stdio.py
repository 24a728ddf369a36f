"""`overture mcp`: MCP over standard input and output, for an assistant that starts a program on its own machine.

It talks to the database itself. The key is checked at each call, so a revoked one stops at once.
"""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from flask import Flask
from mcp.server.stdio import stdio_server

from app.api.framework import authorization
from app.core.actor import SYSTEM, actor
from app.core.errors import Unauthorized
from app.core.logs import request_id
from app.domain.platform import rate_limits, request_log
from app.domain.workspace import api_keys
from app.domain.workspace.api_keys import Caller
from app.mcp import server

RATES = (rate_limits.USUAL, rate_limits.OF_WORKSPACE)


def serve(app: Flask, key: str) -> None:
    """Answer until standard input ends; raise Unauthorized for a key that opens nothing."""
    enter = partial(caller_of, key)
    with app.app_context():
        enter()
    anyio.run(_serve, app, enter)


def caller_of(key: str) -> Caller:
    """Return the caller of a key, who acts from now on in this context."""
    try:
        return authorization.act_as(api_keys.authenticate(f"Bearer {key}"))
    except Unauthorized:
        how = "Set OVERTURE_API_KEY to a valid key of the workspace. Members create keys under Developers → API keys."
        raise Unauthorized("The API key is missing or not valid.", recovery=how) from None


async def _serve(app: Flask, enter: Callable[[], Caller]) -> None:
    async def perform(work: Callable[[], Any]) -> Any:
        return await anyio.to_thread.run_sync(partial(_work, app, work))

    made = server.build(enter, perform, RATES)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


def _work(app: Flask, work: Callable[[], Any]) -> Any:
    """Do the work in a context of its own, as a request has it, and write its line of the request log."""
    actor.set(SYSTEM)
    request_id.set(f"req_{secrets.token_hex(11)}")
    with app.app_context():
        try:
            return work()
        finally:
            request_log.flush()
