"""U5: what Lighthouse says of five pages on a phone: the median of three runs each.

It is fetched by npx, at the version named here, and drives the Chromium of the tests.
"""

import json
import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests import browser as browsers
from tests.bench.measure import Report, Target
from tests.bench.visiting import Site, chromium, filled_site, sign_in

LIGHTHOUSE = "lighthouse@12.2.3"
KINDS = {"performance": 95, "accessibility": 100, "best-practices": 100}
AGAIN = "Please run Lighthouse again"  # its own words when it did not see the page begin
PAGES = {
    "sign-in": "/login",
    "home": "/",
    "approvals": "/approvals",
    "campaign": "/campaigns/1",
    "wizard": "/autopilot/business",
}
COLD, WARM = 100, 25  # kB


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The filled workspace, served."""
    with filled_site(tmp_path_factory.mktemp("lighthouse")) as made:
        yield made


@pytest.fixture(scope="module")
def cookie(site: Site) -> str:
    """What someone signed in sends."""
    with chromium() as browser:
        page = browser.new_page()
        sign_in(page, site.address)
        return "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())


@pytest.mark.parametrize("name", PAGES)
def test_lighthouse(site: Site, cookie: str, report: Report, tmp_path: Path, quick: bool, name: str) -> None:
    """Performance of 95 at least; accessibility and best practices of 100."""
    if not shutil.which("npx"):
        pytest.skip("npx is not here.")
    headers = tmp_path / "headers.json"
    headers.write_text(json.dumps({} if name == "sign-in" else {"Cookie": cookie}))
    runs = [_run(site.address + PAGES[name], headers, tmp_path / f"{run}.json") for run in range(1 if quick else 3)]
    scores = {kind: statistics.median(run[kind] for run in runs) for kind in KINDS}
    targets = [Target(kind, scores[kind], least=least) for kind, least in KINDS.items()]
    targets.append(Target("layout shift", statistics.median(run["shift"] for run in runs), most=0.02))
    report.add("U5", f"Lighthouse, phone: {name}", scores, "of 100", targets)


def test_sizes(site: Site, report: Report) -> None:
    """What a first visit and a second one fetch, with every header."""
    cold, warm = {}, {}
    with chromium() as browser:
        for name, path in PAGES.items():
            page = browser.new_context().new_page()
            if name != "sign-in":
                sign_in(page, site.address)
            cold[name], warm[name] = _fetched(browser, site.address + path, page)
    for kind, sizes, most in (("cold", cold, COLD), ("warm", warm, WARM)):
        report.add(
            "U5", f"Fetched by a {kind} visit", sizes, "kB", [Target("the largest", max(sizes.values()), most=most)]
        )


def _fetched(browser: Browser, address: str, signed_in: Page) -> tuple[float, float]:
    """kB on the wire of the first and of the second visit."""
    context = browser.new_context(storage_state=signed_in.context.storage_state())
    page, cached, sizes = context.new_page(), set[str](), list[int]()

    def received(event: dict[str, Any]) -> None:
        answer = event["response"]
        if event["requestId"] not in cached and not answer.get("fromDiskCache"):
            length = {name.lower(): value for name, value in answer["headers"].items()}.get("content-length", 0)
            sizes.append(int(length) + len(str(answer["headers"])))

    listener = context.new_cdp_session(page)
    listener.send("Network.enable")
    listener.on("Network.requestServedFromCache", lambda event: cached.add(event["requestId"]))
    listener.on("Network.responseReceived", received)
    taken = []
    for _ in range(2):
        sizes.clear()
        page.goto(address)
        page.wait_for_timeout(500)
        taken.append(sum(sizes) / 1000)
    context.close()
    signed_in.context.close()
    return taken[0], taken[1]


def _run(address: str, headers: Path, out: Path) -> dict[str, float]:
    """The scores of one visit, and how far things moved."""
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={out}"]
    command += [f"--only-categories={','.join(KINDS)}", f"--extra-headers={headers}", "--disable-storage-reset"]
    command += ["--chrome-flags=--headless=new --no-sandbox"]
    surroundings = {**os.environ, "CHROME_PATH": _chromium()}
    for _ in range(3):
        done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=300)
        if AGAIN not in done.stderr:
            break
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(out.read_text())
    failed = [
        f"{one['id']} {one['score']}"
        for one in answer["audits"].values()
        if one["score"] not in (None, 1) and one["scoreDisplayMode"] == "binary"
    ]
    Report.say(f"      {address}: {', '.join(failed) or 'nothing failed'}")
    shift = float(answer["audits"]["cumulative-layout-shift"]["numericValue"])
    return {kind: answer["categories"][kind]["score"] * 100 for kind in KINDS} | {"shift": shift}


def _chromium() -> str:
    """The browser of the tests."""
    with sync_playwright() as playwright:
        return browsers.find() or playwright.chromium.executable_path
