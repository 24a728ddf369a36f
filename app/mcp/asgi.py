"""One HTTP request of an assistant, answered by the package's streamable HTTP transport without a server of its own."""

from collections.abc import Callable, Iterable
from typing import Any

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from app.domain.workspace.api_keys import Caller
from app.mcp import server

KEPT = ("content-type", "allow")  # headers of the answer; the length is the web server's to say


def answer(
    enter: Callable[[], Caller], headers: Iterable[tuple[str, str]], body: bytes
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return status, headers and body of the answer."""
    sent: list[Any] = []
    given = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    anyio.run(_run, server.build(enter, _at_once, ()), given, body, sent)
    begun = sent[0]
    found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in begun["headers"]}
    kept = [(name, found[name]) for name in KEPT if name in found]
    return int(begun["status"]), kept, b"".join(part.get("body", b"") for part in sent[1:])


async def _at_once(work: Callable[[], Any]) -> Any:
    """Do the work in this thread, which answers nothing else meanwhile."""
    return work()


async def _run(made: Any, headers: list[tuple[bytes, bytes]], body: bytes, sent: list[Any]) -> None:
    waiting: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if not waiting:
            await anyio.sleep_forever()  # the client stays until it is answered
        return waiting.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }
    manager = StreamableHTTPSessionManager(made, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)
