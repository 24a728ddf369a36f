"""U1, U2, U5 and U13: how long people take, at a person's pace, in a real browser, and what pages weigh."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from standardwebhooks.webhooks import Webhook

from app.domain.workspace import workspaces
from tests.bench import stock
from tests.bench.measure import Report, Target, seconds
from tests.bench.visiting import Person, chromium, filled_site, serving, sign_in
from tests.conftest import PASSWORD
from tests.domain.outreach import email
from tests.domain.reviewing import drafts, held
from tests.support.receivers import Receiver

ADA = "ada@bench.example"
PAGES = {
    "sign-in": "/login",
    "home": "/",
    "approvals": "/approvals",
    "campaign": "/campaigns/1",
    "wizard": "/autopilot/business",
}
COLD, WARM = 100, 25  # kB
DRAFTS = 20
# From the press of a key until the next draft has been painted.
WATCH_DRAFTS = """() => {
  window.painted = [];
  let struck = 0, open = document.querySelector('#open').dataset.draft;
  addEventListener('keydown', () => { struck = performance.now(); }, true);
  new MutationObserver(() => {
    const now = document.querySelector('#open')?.dataset.draft;
    if (now === open) return;
    open = now;
    const began = struck;
    requestAnimationFrame(() => setTimeout(() => window.painted.push(performance.now() - began)));
  }).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of the tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of someone who has never been here."""
    context = browser.new_context(locale="en-GB", timezone_id="UTC", viewport={"width": 1440, "height": 900})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def person(page: Page, quick: bool) -> Person:
    """Someone in front of it."""
    return Person(page, 0.02 if quick else 1)


def test_first_campaign(tmp_path: Path, person: Person, report: Report) -> None:
    """U1: from the first visit to a launched sandbox campaign."""
    page, waited = person.page, 0.0

    def button(name: str) -> None:
        person.press(page.get_by_role("button", name=name).first)

    def machine(what: Callable[[], object]) -> None:
        nonlocal waited
        waited += seconds(what)

    def found() -> None:
        page.goto(address)
        person.type(page.get_by_label("Email"), "ada@tidemark.example")
        person.type(page.get_by_label("Password", exact=True), PASSWORD)
        button("Create workspace")
        person.press(page.locator("main a[href^='/autopilot']").first)
        button("Try a sample company")
        machine(lambda: page.get_by_role("button", name="This is right").wait_for())
        person.read()
        button("This is right")
        expect(page.get_by_role("heading", name="Who do you want to reach first?")).to_be_visible()
        person.read()
        person.press(page.locator("button.customer").first)
        machine(lambda: page.get_by_role("button", name="Use these people").wait_for())
        person.read()
        button("Use these people")
        person.read()
        button("Design plays")
        machine(lambda: page.get_by_role("link", name="Review").first.wait_for())
        person.press(page.get_by_role("link", name="Review").first)
        page.locator("mark").first.wait_for()
        person.read()
        button("Approve play")
        person.read()
        button("Skip for now")
        person.read()
        button("Save notifications")
        person.read()
        button("Launch in sandbox")
        expect(page.get_by_role("heading", name="Your campaign is live")).to_be_visible()

    with serving(stock.empty(tmp_path / "first.db"), tmp_path, ticks=True) as address:
        taken = seconds(found)
    figures = {"first visit to launch": taken, "of it the machine": waited}
    targets = [
        Target("first visit to launch in sandbox, seconds at a person's pace", taken, most=180),
        Target("clicks", person.clicks, most=12),
        Target("typed fields", person.fields, most=3),
        Target("seconds that somebody waits for the machine", waited, most=32),
    ]
    report.add("U1", "A founder's first campaign", figures, "seconds", targets)


def test_twenty_drafts(tmp_path: Path, person: Person, report: Report) -> None:
    """U2: by keyboard, one edited, one skipped, a decision every one and a half seconds."""
    app = stock.empty(tmp_path / "drafts.db")
    with app.app_context():
        workspace = workspaces.create("Bench", ADA, PASSWORD, sandbox=True)
        held(workspace, [f"quiet-person{n}" for n in range(DRAFTS)], [email("Hi {{first_name}}, a question.")])
        ids = [draft.id for draft in drafts(workspace, "pending")][::-1]
    page = person.page

    def reviewed() -> None:
        for place, draft in enumerate(ids):
            expect(page.locator(f"#heading-{draft}")).to_be_focused()
            person.wait(1500)
            if place == 5:
                page.keyboard.press("e")
                page.keyboard.type(" Shall we talk?", delay=100)
                page.keyboard.press("Control+Enter")
            else:
                page.keyboard.press("s" if place == 9 else "a")
        expect(page.get_by_role("heading", name="All caught up")).to_be_visible()

    with serving(app, tmp_path, ticks=False) as address:
        sign_in(page, address, ADA)
        page.goto(address + "/approvals")
        page.evaluate(WATCH_DRAFTS)
        taken = seconds(reviewed)
        painted = sorted(page.evaluate("window.painted"))
    assert len(painted) == DRAFTS
    slow = painted[(len(painted) * 95 - 1) // 100]
    figures = {"all of them": taken, "median key to next draft": painted[len(painted) // 2] / 1000}
    targets = [
        Target("20 drafts, seconds", taken, most=60),
        Target("key to next draft painted, 95th of a hundred, milliseconds", slow, most=100),
    ]
    report.add("U2", "A reviewer's twenty drafts", figures, "seconds", targets)


def test_sizes(tmp_path: Path, browser: Browser, report: Report) -> None:
    """U5: what a first visit and a second one fetch, with every header."""
    cold, warm = {}, {}
    with filled_site(tmp_path) as address:
        for name, path in PAGES.items():
            page = browser.new_context().new_page()
            if name != "sign-in":
                sign_in(page, address)
            cold[name], warm[name] = _fetched(browser, address + path, page)
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


def test_first_delivery(tmp_path: Path, person: Person, report: Report) -> None:
    """U13: from signing in to a test event whose signature the receiver has verified."""
    app, page, receiver = stock.empty(tmp_path / "hooks.db"), person.page, Receiver()
    with app.app_context():
        workspaces.create("Bench", ADA, PASSWORD, sandbox=True)

    secrets: list[str] = []

    def delivered() -> None:
        page.goto(address + "/login")
        person.type(page.get_by_label("Email"), ADA)
        page.get_by_label("Password", exact=True).fill(PASSWORD)  # from a password manager
        person.press(page.get_by_role("button", name="Sign in"))
        person.press(page.get_by_role("link", name="Developers").first)
        person.press(page.get_by_role("main").get_by_role("link", name="Webhooks", exact=True))
        person.press(page.get_by_role("link", name="Add endpoint").first)
        person.type(page.get_by_label("Name"), "CRM")
        page.get_by_label("Address").fill(receiver.url)  # pasted
        person.press(page.get_by_role("button", name="Add endpoint"))
        secrets.append(page.get_by_text(re.compile("^whsec_")).inner_text())
        person.press(page.get_by_role("button", name="Send test event"))
        page.locator("#log-rows").get_by_text("Delivered 200").wait_for()

    with serving(app, tmp_path, ticks=True) as address:
        taken = seconds(delivered)
    receiver.stop()
    (request,) = receiver.requests
    assert json.loads(request.body) == Webhook(secrets[0]).verify(request.body, request.headers)
    targets = [
        Target("sign-in to verified test delivery, seconds at a person's pace", taken, most=60),
        Target("clicks", person.clicks, most=6),
    ]
    report.add("U13", "An integrator's first delivery", {"sign-in to delivery": taken}, "seconds", targets)
