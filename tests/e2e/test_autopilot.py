"""The founder's way in a real browser: first visit to a launched play, in few clicks; and without scripts."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from app.core.db import leave_database
from app.domain import jobs
from app.domain.autopilot import plays, setup
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from app.pages.autopilot import SAMPLE
from app.scheduler import Scheduler, Tick
from tests.conftest import PASSWORD
from tests.e2e.browsing import sign_in

MOST_CLICKS, MOST_FIELDS = 12, 3


@pytest.fixture
def working(app: Flask) -> Iterator[None]:
    """Background work is done while the browser looks on."""
    scheduler = Scheduler(app, [Tick("jobs", jobs.run_due, 0.2)])
    scheduler.start()
    yield
    scheduler.stop()


@pytest.fixture
def play(acme: Workspace) -> Play:
    """The wizard is gone through, up to plays that can be reviewed; the best one."""
    setup.analyze(acme, description=SAMPLE)
    _work()
    setup.save(acme, customer_type_id=setup.view(acme).setup.customer_types[0]["id"])
    _work()
    setup.save(acme, channel="social_email", country="", offer={"kind": "call"})
    _work()
    best = plays.every(acme)[0]
    leave_database()
    return best


def _work() -> None:
    leave_database()
    while jobs.run_due():
        pass


class Founder:
    """Counts what a founder does: presses and fields that are typed in."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.fields = page, 0, 0

    def press(self, name: str, role: str = "button") -> None:
        """One click on what has that name."""
        self.page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]
        self.clicks += 1

    def type(self, label: str, text: str) -> None:
        """One field is filled in."""
        self.page.get_by_label(label, exact=True).fill(text)
        self.fields += 1


def test_it_works(page: Page, app: Flask, working: None) -> None:
    """From the first visit to a launched sandbox campaign: at most 12 clicks and 3 typed fields."""
    founder = Founder(page)
    page.goto("/")
    founder.type("E-mail", "ada@tidemark.example")
    founder.type("Password", PASSWORD)
    founder.press("Create workspace")
    page.goto("/autopilot")
    founder.press("Try a sample company")
    founder.press("Looks right")
    expect(page.get_by_role("heading", name="Who should hear from you first?")).to_be_visible()
    page.locator("button.customer").first.click()
    founder.clicks += 1
    founder.press("Use these people")
    founder.press("Design plays")
    founder.press("Review", role="link")
    expect(page.get_by_role("button", name="Approve play")).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()
    founder.press("Approve play")
    founder.press("Skip for now")
    founder.press("Save alerts")
    founder.press("Launch in sandbox")
    expect(page.get_by_role("heading", name="It is running")).to_be_visible()
    assert founder.clicks <= MOST_CLICKS
    assert founder.fields <= MOST_FIELDS
    page.get_by_role("link", name="See the campaign").click()
    expect(page.get_by_text("Running").first).to_be_visible()


def test_the_same_without_scripts(browser: Browser, live_server: str, acme: Workspace) -> None:
    """Every step is a form; progress is seen by looking again."""
    context = browser.new_context(base_url=live_server, java_script_enabled=False)
    page = context.new_page()
    sign_in(page)
    page.goto("/autopilot")
    page.get_by_role("button", name="Try a sample company").click()
    _look_again(page, "/autopilot/business")
    page.get_by_role("button", name="Looks right").click()
    page.locator("button.customer").first.click()
    _look_again(page, "/autopilot/targeting")
    page.get_by_role("button", name="Use these people").click()
    page.get_by_role("button", name="Design plays").click()
    _look_again(page, "/autopilot/plays")
    page.get_by_role("link", name="Review").first.click()
    page.get_by_role("button", name="Approve play").click()
    page.get_by_role("button", name="Skip for now").click()
    page.get_by_role("button", name="Save alerts").click()
    page.get_by_role("button", name="Launch in sandbox").click()
    expect(page.get_by_role("link", name="See the campaign")).to_be_visible()
    context.close()
    leave_database()
    assert setup.view(acme).setup.status == "active"


def _look_again(page: Page, path: str) -> None:
    """The page, once the work behind it has been done."""
    _work()
    leave_database()
    page.goto(path)


def test_a_play_is_judged_and_changed(page: Page, play: Play, working: None) -> None:
    """By keyboard and in plain words, without the page being loaded again; the focus is never lost."""
    sign_in(page)
    page.goto(f"/plays/{play.id}")
    page.evaluate("window.kept = true")
    page.keyboard.press("y")
    expect(page.get_by_text("1 good, 0 bad")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("What to change")).to_be_focused()
    page.keyboard.type("Drop the e-mail")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".say.me")).to_contain_text("Drop the e-mail")
    expect(page.locator(".tl .node.email")).to_have_count(0)
    assert page.evaluate("window.kept")
    assert page.evaluate("document.activeElement !== document.body")
