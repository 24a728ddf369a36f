"""A first-time founder in a real browser: to the first reply in the sandbox, and from there to a live workspace."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Page, expect

from app import ports
from app.core import clock
from app.core.db import end_read, session, transaction
from app.domain.autopilot import setup_state
from app.domain.installation.sandbox import sandbox_clock
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.autopilot import Play, PlayStatus
from app.models.platform.jobs import Job, JobState
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from tests.conftest import PASSWORD
from tests.domain.reviewing import A, drafts, held, sent
from tests.e2e.browsing import fits, focus_is_kept, problems, sign_in
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.nameserver import Nameserver

LONG = 120_000  # a busy machine; an idle one needs a sixth
READ_A_SECOND = 4.0  # words of a text
LOOK = 10  # seconds for whom it goes to, a page


class Founder:
    """Counts what a founder does: presses and fields that are typed in."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.fields, self.typed = page, 0, 0, 0

    def press(self, name: str, role: Any = "button") -> None:
        """One click on what has that name."""
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1

    def type(self, label: str, text: str) -> None:
        """One field is filled in."""
        self.page.get_by_label(label, exact=True).fill(text)
        self.fields += 1
        self.typed += len(text)

    def open_first(self, place: str) -> None:
        """One click on the first of these places."""
        self.page.locator(place).first.click()
        self.clicks += 1

    def seconds(self, steps: int) -> float:
        """How long a human takes without the machine: 1.5 s a press, 40 words a minute, 5 s to read a step."""
        return self.clicks * 1.5 + self.typed / (40 * 5 / 60) + 5 * steps


@pytest.fixture
def servers() -> Iterator[Servers]:
    """A mailbox, and a name server that knows its domain."""
    names = Nameserver({("tidemark.example", "TXT"): ['"v=spf1 include:_spf.google.com ~all"']})
    ports.domain_records.connect(Dns(names.place))
    running = Servers(Post(username="ada@tidemark.example"))
    yield running
    running.close()
    names.close()


def to_the_launch(page: Page) -> Founder:
    """A founder comes for the first time, and is about to launch."""
    founder = Founder(page)
    page.goto("/")
    founder.type("Email", "ada@tidemark.example")
    founder.type("Password", PASSWORD)
    founder.press("Create workspace")
    founder.open_first("main a[href^='/autopilot']")
    founder.press("Try a sample company")
    founder.press("This is right")
    expect(page.get_by_role("heading", name="Who do you want to reach first?")).to_be_visible()
    founder.open_first("button.customer")
    founder.press("Use these people")
    founder.press("Design plays")
    founder.press("Review", role="link")
    expect(page.locator("mark").first).to_be_visible()
    founder.press("Approve and continue")
    founder.press("Skip for now")
    founder.press("Continue")
    return founder


@pytest.mark.browser_context_args(reduced_motion="no-preference")
def test_a_founder_goes_from_the_first_visit_to_the_first_reply(
    page: Page, app: Flask, working: None, complaints: list[str]
) -> None:
    """The days stop for the drafts, which are read on the page, and nothing else is ever sent."""
    founder = to_the_launch(page)
    assert founder.fields <= 3
    founder.press("Launch in sandbox")
    days = page.get_by_role("heading", name="Fast-forwarding to your first reply")
    expect(days.or_(page.locator(".read-foot")).first).to_be_visible(timeout=LONG)
    page.reload()
    read: set[str] = set()
    stops = words = 0
    while stops < 6:
        foot, talk = page.locator(".read-foot"), page.locator(".said-one")
        expect(foot.or_(talk).first).to_be_visible(timeout=LONG)
        if not foot.count():
            break
        stops += 1
        if stops == 1:
            fits(page)
        for text in page.locator(".read-text").all():
            words += len(text.inner_text().split())
        read |= texts_on(page)
        founder.press("Approve and continue")
        expect(page.get_by_role("heading", name="Fast-forwarding to your first reply")).to_be_visible()
        focus_is_kept(page)
    page.wait_for_url("**/conversations/*", timeout=LONG)
    acme = session().scalars(sa.select(Workspace)).one()
    gone = [said for said in sent(acme) if said]
    waits = [one.text for one in drafts(acme, A.PENDING)]
    end_read()
    assert gone
    assert [part for part in gone if not any(_flat(part) in whole for whole in read)] == []
    decided = [_flat(one.text) for status in (A.APPROVED, A.DONE) for one in drafts(acme, status)]
    # An email stands behind its subject.
    assert [text for text in decided if not any(text in whole for whole in read)] == []
    assert len(decided) + len(waits) > len(decided) > 20
    reading = words / READ_A_SECOND + LOOK * stops
    assert founder.clicks <= 16
    human = founder.seconds(steps=8) + reading
    assert round(human) <= 150
    assert complaints == []


def texts_on(page: Page) -> set[str]:
    """Every person's text as it stands on the page, whole."""
    rows = page.locator(".readers > li")
    each = rows.evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.inside .bubble')].map(one => one.textContent).join(' '))"
    )
    return {_flat(text) for text in each}


def _flat(text: str) -> str:
    return " ".join(text.replace("\n---\n", " ").split())


def test_the_first_days_pass_without_javascript(unscripted: Page, acme: Workspace) -> None:
    """Each press is a form; time is stopped, goes on, and stops for drafts, which are read and approved."""
    play = held(acme, ["accepts-ada", "replies-positive-bob"])
    with transaction() as current:
        setup_state.locked(acme).started_at = acme.now()
        made = {"workspace_id": acme.id, "rank": 1, "angle": "growth", "created_at": acme.now(), "name": "Growth"}
        current.add(Play(**made, steps=[], status=PlayStatus.RUNNING, audience=1, campaign_id=play.id))
    end_read()
    page = unscripted
    sign_in(page)
    page.goto("/autopilot/launched")
    page.get_by_role("button", name="Fast-forward to the first reply").click()
    expect(page.get_by_role("heading", name="Fast-forwarding to your first reply")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    found = sandbox_clock.latest_skip(acme)
    assert found
    assert found.stopped
    _work()
    page.goto("/autopilot/launched")
    page.get_by_role("button", name="Fast-forward to the first reply").click()
    _wait(page)
    expect(page.get_by_role("heading", name="Read before it is sent")).to_be_visible()
    assert page.locator(".readers > li").count() == len(drafts(acme, A.PENDING)) == 2
    page.get_by_label("Approve for Ada").uncheck()
    page.get_by_role("button", name="Approve and continue").click()
    _wait(page)
    expect(page.get_by_role("heading", name="Your first reply")).to_be_visible()
    assert [one.lead_id for one in drafts(acme, A.DONE)] != [one.lead_id for one in drafts(acme, A.PENDING)]
    assert len(drafts(acme, A.PENDING)) == 1
    page.get_by_role("link", name="Reply", exact=True).click()
    expect(page.get_by_role("textbox").first).to_be_visible()


def _wait(page: Page) -> None:
    """Press *Check again* until the page has something else to say."""
    again = page.get_by_role("link", name="Check again")
    for _ in range(40):
        _work()
        with page.expect_navigation():
            again.click()
        if not again.count():
            break


def _work() -> None:
    """What is done in the background now."""
    session().expire_all()
    with transaction() as current:
        due = sa.update(Job).where(Job.state == JobState.OPEN).values(due_at=clock.now())
        current.execute(due.execution_options(synchronize_session=False))
    jobs.run_due()
    end_read()


def test_a_founder_goes_live_with_a_mailbox(
    page: Page, app: Flask, working: None, servers: Servers, complaints: list[str]
) -> None:
    """From the sandbox to a live workspace that can send emails."""
    made = workspaces.create("Tidemark", "ada@tidemark.example", PASSWORD, sandbox=True)
    never_contact.add(made, ["rude@blocked.example"])
    end_read()
    sign_in(page, "ada@tidemark.example")
    page.goto("/")
    founder = Founder(page)
    founder.press("Go live", role="link")
    founder.press("Create workspace")
    expect(page.get_by_role("button", name="Switch workspace")).to_contain_text("Tidemark live")
    founder.press("Copy")
    expect(page.get_by_text("Copied: 1 do-not-contact entries")).to_be_visible(timeout=LONG)
    assert problems(page) == []
    founder.press("Keep what was copied")
    founder.press("Skip: a LinkedIn account")
    founder.press("Connect mailbox", role="link")
    founder.type("Address", "ada@tidemark.example")
    page.get_by_role("textbox", name="Password").fill("an app password")
    founder.fields += 1
    page.get_by_text("Name and server settings").click()
    founder.clicks += 1
    for label, value in (
        ("Outgoing server", "127.0.0.1"),
        ("Incoming server", "127.0.0.1"),
        ("Outgoing port", str(servers.smtp_port)),
        ("Incoming port", str(servers.imap_port)),
    ):
        page.get_by_label(label).fill(value)
        founder.fields += 1
    founder.press("Connect mailbox")
    expect(page.get_by_role("heading", name="Email deliverability")).to_be_visible(timeout=LONG)
    page.goto("/go-live")
    founder.clicks += 1
    expect(page.get_by_text("DNS check")).to_be_visible()
    founder.press("Looks right")
    expect(page.get_by_text("All set. Launch when you're ready.")).to_be_visible()
    fits(page)
    assert founder.clicks <= 20
    assert complaints == []
