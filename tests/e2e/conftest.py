"""The browser that the end-to-end tests drive, and what it starts with."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

from app.core.db import transaction
from app.domain.installation.sandbox import demo
from app.domain.rules.limits import FRIDAY
from app.engines.embedded import EmbeddedEngine
from app.engines.units import BY_NAME
from app.models.workspaces import Workspace
from tests import browser
from tests.e2e import filled
from tests.e2e.browsing import SIZES, sign_in

expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
HEARD = pytest.StashKey[list[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """A failure says what the browser had to say: what was refused, did not come, or broke in a script."""
    if call.excinfo and (heard := item.stash.get(HEARD, [])):
        item.add_report_section(call.when, "browser", "\n".join(heard))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Playwright starts the browser that `make test` found."""
    program = browser.find()
    return {**browser_type_launch_args, **({"executable_path": program} if program else {})}


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any], live_server: str) -> dict[str, Any]:
    """Pages are opened by path alone: `page.goto("/people")`; nothing moves, unless a test is marked to see it move."""
    ours = {"base_url": live_server, "locale": "en-GB", "timezone_id": "UTC"}
    return {"reduced_motion": "reduce", **browser_context_args, **ours}


@pytest.fixture
def page(page: Page, request: pytest.FixtureRequest) -> Page:
    """A page that is listened to."""
    heard = request.node.stash.setdefault(HEARD, [])
    page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("requestfailed", lambda failed: heard.append(f"{failed.method} {failed.url}: {failed.failure}"))
    return page


@pytest.fixture
def unscripted(new_context: Callable[..., BrowserContext]) -> Page:
    """A page of a browser without JavaScript."""
    return new_context(java_script_enabled=False).new_page()


@pytest.fixture
def phone(new_context: Callable[..., BrowserContext], acme: Workspace) -> Page:
    """Ada's phone, on which she is signed in."""
    page = new_context(viewport=SIZES["phone"], has_touch=True).new_page()
    sign_in(page)
    return page


@pytest.fixture
def acme(acme: Workspace) -> Workspace:
    """Senders rest at weekends, and stories here are told in days: at the end of a week it is Monday already."""
    now = acme.now()
    if (now + timedelta(hours=12)).isoweekday() > FRIDAY:
        with transaction() as current:
            monday = now + timedelta(days=8 - now.isoweekday())
            current.get_one(Workspace, acme.id).clock_offset = round((monday - now).total_seconds())
    return acme


@pytest.fixture
def full(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with something of everything, much of it too long."""
    monkeypatch.setattr(demo, "PEOPLE", 120)
    return filled.fill()


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """The statuses that the tests of a file bring about on purpose, so that the browser may report them."""
    return ("404", "409", "422")


@pytest.fixture
def complaints(page: Page, refusals: tuple[str, ...]) -> list[str]:
    """What the browser complains about: refused styles or scripts, errors in our script, other refusals."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(status in message.text for status in refusals):
            found.append(f"{page.url}: {message.text}")

    page.on("console", hear)
    page.on("pageerror", lambda error: found.append(f"{page.url}: {error}"))
    return found


@pytest.fixture
def ada(page: Page, acme: Workspace, complaints: list[str]) -> Iterator[Page]:
    """Ada is signed in; at the end nothing was complained about."""
    sign_in(page)
    yield page
    assert complaints == []


@pytest.fixture
def working(app: Flask) -> Iterator[None]:
    """Background work is done while the browser looks on."""
    engine = EmbeddedEngine(app, kinds=[BY_NAME["job"], BY_NAME["message"]], upkeep=[])
    engine.start()
    yield
    engine.stop()
