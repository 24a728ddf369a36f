"""The browser that the end-to-end tests drive, and what it starts with."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserType, expect

from tests import browser

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], browser_type: BrowserType) -> dict[str, Any]:
    """Playwright starts the browser that `make test` found."""
    program = browser.find(Path(browser_type.executable_path))
    return {**browser_type_launch_args, **({"executable_path": program} if program else {})}


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any], live_server: str) -> dict[str, Any]:
    """Pages are opened by path alone: `page.goto("/people")`."""
    return {**browser_context_args, "base_url": live_server, "locale": "en-GB", "timezone_id": "UTC"}
