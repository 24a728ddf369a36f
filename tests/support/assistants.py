"""An assistant: the official MCP client, connected over HTTP or to a program that it starts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

Json = dict[str, Any]
T = TypeVar("T")


@dataclass
class Refused(Exception):
    """The tool refused: the error as an object, and what the model reads."""

    error: Json
    text: str


@dataclass
class Assistant:
    """A connection: it lists tools and calls them."""

    client: Client

    async def tools(self) -> list[types.Tool]:
        """Every tool that is offered."""
        return (await self.client.list_tools()).tools

    async def call(self, name: str, /, **arguments: Any) -> Json:
        """What the tool found."""
        return (await self.answer(name, **arguments)).structured_content  # type: ignore[no-any-return]

    async def answer(self, name: str, /, **arguments: Any) -> types.CallToolResult:
        """The whole result; Refused when it is an error."""
        found = await self.client.call_tool(name, arguments)
        assert isinstance(found, types.CallToolResult)
        (block,) = found.content
        assert isinstance(block, types.TextContent)
        if found.is_error:
            raise Refused(found.structured_content["error"], block.text)
        return found


@asynccontextmanager
async def over_http(url: str, key: str, mode: str = "auto") -> AsyncIterator[Assistant]:
    """Connected to a server that runs."""
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {key}"}) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield Assistant(client)


@asynccontextmanager
async def over_stdio(command: str, env: dict[str, str], mode: str = "auto") -> AsyncIterator[Assistant]:
    """Connected to a program that it starts."""
    async with Client(StdioServerParameters(command=command, args=["mcp"], env=env), mode=mode) as client:
        yield Assistant(client)


def apart(work: Callable[..., T], /, *given: Any, **named: Any) -> T:
    """Do in a thread what starts an event loop: a browser's test may have left one running in this thread.

    It has this thread's context, so the application and its session are the same.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, work, *given, **named).result()


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """Do it in an event loop of its own; what breaks in it comes out as it is."""
    try:
        return apart(anyio.run, work)
    except BaseExceptionGroup as group:
        cause: BaseException = group
        while isinstance(cause, BaseExceptionGroup) and len(cause.exceptions) == 1:
            (cause,) = cause.exceptions
        raise cause from None
