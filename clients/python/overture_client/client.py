"""The clients, sync and async: the operations of the core, on connections that retry and raise."""

import asyncio
import time
from typing import Any, Self

import httpx

from .core.api import AsyncOperations, Operations
from .core.client import AuthenticatedClient
from .errors import ConnectionFailed, error_of
from .retries import IDEMPOTENCY_KEY, Retries, prepare

TIMEOUT = httpx.Timeout(30, connect=10)


class Overture(Operations):
    """One server with one API key: `overture.lists.create(…)` is the operation `lists.create`.

    `options` are those of `httpx.Client`, such as `timeout`, `verify` or `proxy`.
    """

    def __init__(self, base_url: str, key: str, *, retries: Retries | None = None, **options: Any) -> None:
        self._http = _Client(retries or Retries(), **_options(base_url, key, options))
        super().__init__(AuthenticatedClient(base_url, key).set_httpx_client(self._http))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


class AsyncOverture(AsyncOperations):
    """An `Overture` for asyncio: `await overture.lists.create(…)`, `async for lead in overture.leads.page()`.

    `options` are those of `httpx.AsyncClient`, such as `timeout`, `verify` or `proxy`.
    """

    def __init__(self, base_url: str, key: str, *, retries: Retries | None = None, **options: Any) -> None:
        self._http = _AsyncClient(retries or Retries(), **_options(base_url, key, options))
        super().__init__(AuthenticatedClient(base_url, key).set_async_httpx_client(self._http))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _options(base_url: str, key: str, given: dict[str, Any]) -> dict[str, Any]:
    headers = {"User-Agent": "overture-client", **given.pop("headers", {}), "Authorization": f"Bearer {key}"}
    return {"base_url": base_url, "timeout": TIMEOUT, "headers": headers, **given}


class _Client(httpx.Client):
    """Sends again what may be, and raises what was refused."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self._retries = retries

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        prepare(request)
        tried = 0
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = super().send(request, **options)
            except httpx.TransportError as lost:
                outcome = lost
            tried += 1
            pause = self._retries.pause(request, outcome, tried)
            if pause is None:
                return _checked(request, outcome)
            time.sleep(pause)


class _AsyncClient(httpx.AsyncClient):
    """The same for asyncio."""

    def __init__(self, retries: Retries, **options: Any) -> None:
        super().__init__(**options)
        self._retries = retries

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        prepare(request)
        tried = 0
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await super().send(request, **options)
            except httpx.TransportError as lost:
                outcome = lost
            tried += 1
            pause = self._retries.pause(request, outcome, tried)
            if pause is None:
                return _checked(request, outcome)
            await asyncio.sleep(pause)


def _checked(request: httpx.Request, outcome: httpx.Response | httpx.TransportError) -> httpx.Response:
    if isinstance(outcome, httpx.TransportError):
        message = f"No response from {request.url.host}: {outcome or type(outcome).__name__}."
        raise ConnectionFailed(message, request.headers.get(IDEMPOTENCY_KEY, "")) from outcome
    if outcome.is_success:
        return outcome
    raise error_of(outcome)
