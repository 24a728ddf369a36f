"""The browser that the end-to-end tests drive, and what it starts with."""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import ConsoleMessage, Page, expect

from app.core.db import transaction
from app.domain.rules.limits import FRIDAY
from app.engines.embedded import EmbeddedEngine
from app.engines.units import BY_NAME
from app.models.workspaces import Workspace
from tests import browser
from tests.e2e import filled
from tests.e2e.browsing import sign_in

expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
# What Chromium leaves out: the list below its address bar, which no one sees here and which costs each tab a third of
# its time, and what Playwright leaves out by itself, because a second list replaces its own.
LEFT_OUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "LensOverlay", "MediaRouter"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints", "AimEnabled"),
    *("NetworkTimeServiceQuerying", "PreconnectToSearch"),
)
HEARD = pytest.StashKey[list[str]]()
LONGEST = ("test_access.py", "test_bars.py", "test_every_page.py", "test_journeys.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker begins with some of the longest tests, so that none of them is what everyone waits for at the end.

    pytest-xdist gives each worker an equal share of tests that stand together; one that has finished takes from the
    end of another's.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    share = max(len(items) // workers, 2)
    here = Path(__file__).parent
    longest = [item for name in LONGEST for item in items if item.path == here / name]
    others = [item for item in items if item not in set(longest)]
    begun: list[pytest.Item] = []
    for worker in range(workers):
        own = longest[worker::workers]
        begun += own + [others.pop(0) for _ in range(min(share - len(own), len(others)))]
    items[:] = begun + others


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """A failure says what the browser had to say: what was refused, did not come, or broke in a script."""
    if call.excinfo and (heard := item.stash.get(HEARD, [])):
        item.add_report_section(call.when, "browser", "\n".join(heard))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Playwright starts the browser that `make test` found."""
    program = browser.find()
    chosen = {"executable_path": program} if program else {}
    return {**browser_type_launch_args, "args": [f"--disable-features={','.join(LEFT_OUT)}"], **chosen}


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
def acme(acme: Workspace) -> Workspace:
    """Senders rest at weekends, and stories here are told in days: at the end of a week it is Monday already."""
    now = acme.now()
    if (now + timedelta(hours=12)).isoweekday() > FRIDAY:
        with transaction() as current:
            monday = now + timedelta(days=8 - now.isoweekday())
            current.get_one(Workspace, acme.id).clock_offset = round((monday - now).total_seconds())
    return acme


@pytest.fixture
def full(app: Flask, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with something of everything, much of it too long."""
    folder = tmp_path_factory.getbasetemp()
    return filled.fill_once(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """The statuses that the tests of a file bring about on purpose, so that the browser may report them."""
    return ("404", "422")


@pytest.fixture
def complaints(page: Page, refusals: tuple[str, ...]) -> list[str]:
    """What the browser complains about: refused styles or scripts, errors in our script, other refusals."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(status in message.text for status in refusals):
            found.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: found.append(str(error)))
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
