"""Real servers, visited by a real browser, with a person's pace or without."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from app.domain.operations import demo
from tests import browser
from tests.bench import stock
from tests.conftest import PASSWORD
from tests.e2e import filled
from tests.support import processes

ALONE = {"OVERTURE_RATE_LIMIT": "off", "OVERTURE_LOG_LEVEL": "error", "OVERTURE_ALLOW_PRIVATE_NETWORK": "1"}
DECISION, READING, LETTER = 1500, 5000, 300  # milliseconds: a click, a page, a letter at 40 words a minute


@contextmanager
def serving(app: Flask, folder: Path, *, ticks: bool) -> Iterator[str]:
    """The address of a server on that application's database; with `ticks`, background work is done too."""
    stock.let_go(app)
    port = processes.free_port()
    url = f"http://127.0.0.1:{port}"
    settings = ALONE | {"OVERTURE_SCHEDULER": str(int(ticks)), "BASE_URL": url}
    environment = processes.environment(str(app.config["DATABASE_URL"]), folder, **settings)
    with processes.serve(environment, port):
        yield url


@contextmanager
def filled_site(folder: Path) -> Iterator[str]:
    """The address of a server on a workspace with something of everything."""
    app = stock.empty(folder / "pages.db")
    with stock.at_work(app):
        filled.fill()
    with serving(app, folder, ticks=False) as address:
        yield address


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of the tests."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser.find())
        yield started
        started.close()


def sign_in(page: Page, address: str, email: str = demo.EMAIL) -> None:
    """Someone has signed in by the form."""
    page.goto(address + "/login")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/login" not in url)


class Person:
    """Decides, types and reads as fast as people do (`pace` 0: at once), and counts what they do."""

    def __init__(self, page: Page, pace: float) -> None:
        self.page, self._pace = page, pace
        self.clicks, self.fields = 0, 0

    def press(self, what: Locator) -> None:
        """One click, after a moment."""
        what.wait_for()
        self.wait(DECISION)
        what.click()
        self.clicks += 1

    def type(self, field: Locator, text: str) -> None:
        """One field is filled in, letter by letter."""
        field.press_sequentially(text, delay=LETTER * self._pace)
        self.fields += 1

    def read(self) -> None:
        """A page is read."""
        self.wait(READING)

    def wait(self, milliseconds: float) -> None:
        """So long, at this person's pace."""
        self.page.wait_for_timeout(milliseconds * self._pace)
