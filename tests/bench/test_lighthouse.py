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

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import sync_playwright

from app.core.db import db
from app.domain import demo
from tests import browser, processes
from tests.bench import stock
from tests.bench.measure import Report, Target
from tests.bench.test_pages import sign_in
from tests.e2e import filled

LIGHTHOUSE = "lighthouse@12.2.3"
KINDS = {"performance": 95, "accessibility": 100, "best-practices": 100}
PAGES = {
    "sign-in": "/login",
    "home": "/",
    "approvals": "/approvals",
    "campaign": "/campaigns/1",
    "wizard": "/autopilot/business",
}
SILENT = {"OVERTURE_SCHEDULER": "0", "OVERTURE_RATE_LIMIT": "off", "OVERTURE_LOG_LEVEL": "error"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The filled workspace, served; its address and the cookie of somebody signed in."""
    folder = tmp_path_factory.mktemp("lighthouse")
    app = stock.empty(folder / "pages.db")
    with app.app_context():
        filled.fill()
        client = app.test_client()
        sign_in(client)
        cookie = _cookie(client)
        db.session.remove()
        db.engine.dispose()
    port = processes.free_port()
    with processes.serve(processes.environment(f"sqlite:///{folder / 'pages.db'}", folder, **SILENT), port):
        yield f"http://127.0.0.1:{port}", cookie


def _cookie(client: FlaskClient) -> str:
    found = client.get_cookie(client.application.config["SESSION_COOKIE_NAME"])
    assert found, demo.EMAIL
    return f"{found.key}={found.value}"


@pytest.mark.parametrize("name", PAGES)
def test_lighthouse(site: tuple[str, str], report: Report, tmp_path: Path, quick: bool, name: str) -> None:
    """Performance of 95 at least; accessibility and best practices of 100."""
    if not shutil.which("npx"):
        pytest.skip("npx is not here.")
    address, cookie = site
    headers = tmp_path / "headers.json"
    headers.write_text(json.dumps({} if name == "sign-in" else {"Cookie": cookie}))
    runs = [_run(address + PAGES[name], headers, tmp_path / f"{run}.json") for run in range(1 if quick else 3)]
    scores = {kind: statistics.median(run[kind] for run in runs) for kind in KINDS}
    targets = [Target(kind, scores[kind], least=least) for kind, least in KINDS.items()]
    targets.append(Target("layout shift", statistics.median(run["shift"] for run in runs), most=0.02))
    report.add("U5", f"Lighthouse, phone: {name}", scores, "of 100", targets)


def _run(address: str, headers: Path, out: Path) -> dict[str, float]:
    """The scores of one visit, and how far things moved."""
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={out}"]
    command += [f"--only-categories={','.join(KINDS)}", f"--extra-headers={headers}", "--disable-storage-reset"]
    command += ["--chrome-flags=--headless=new --no-sandbox"]
    done = subprocess.run(
        command, env={**os.environ, "CHROME_PATH": _chromium()}, capture_output=True, text=True, timeout=300
    )
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
        own = Path(playwright.chromium.executable_path)
    return browser.find(own) or str(own)
