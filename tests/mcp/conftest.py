"""Assistants of acme's, connected over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support import assistants

Ask = Callable[..., Any]


def asking(url: str, key: str) -> Ask:
    """Calls one tool: `ask("find_people", query="Ada")`."""

    def ask(name: str, /, **arguments: Any) -> Any:
        async def work() -> Any:
            async with assistants.over_http(url, key) as assistant:
                return await assistant.call(name, **arguments)

        return assistants.run(work)

    return ask


@pytest.fixture
def with_key(live_server: str, acme: Workspace) -> Callable[..., Ask]:
    """An assistant whose key may do only what is named."""

    def make(*scopes: str, **options: Any) -> Ask:
        return asking(live_server, api_keys.create(acme, "Claude", scopes, **options)[1])

    return make


@pytest.fixture
def ask(with_key: Callable[..., Ask]) -> Ask:
    """An assistant whose key may do everything, with approval."""
    return with_key("all")


@pytest.fixture
def alone(with_key: Callable[..., Ask]) -> Ask:
    """An assistant that contacts people without approval."""
    return with_key("all", without_approval=True)
