"""A first-time founder in a real browser: to the first reply in the sandbox, and from there to a live workspace."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app import ports
from app.core.db import end_read
from app.domain.exclusions import never_contact
from app.domain.workspace import workspaces
from app.providers.dns import Dns
from tests.bars import Bar
from tests.conftest import PASSWORD
from tests.e2e.browsing import SIZES, overflow, problems, sign_in
from tests.e2e.founder import Founder
from tests.providers.mailservers import Post, Servers
from tests.providers.nameserver import Nameserver

LONG = 120_000  # a busy machine; an idle one needs a sixth


@pytest.fixture
def servers() -> Iterator[Servers]:
    """A mailbox, and a name server that knows its domain."""
    names = Nameserver({("tidemark.example", "TXT"): ['"v=spf1 include:_spf.google.com ~all"']})
    ports.domain_records.connect(Dns(names.place))
    running = Servers(Post(username="ada@tidemark.example"))
    yield running
    running.close()
    names.close()


@pytest.mark.browser_context_args(reduced_motion="no-preference")
def test_a_founder_sees_the_first_reply(page: Page, app: Flask, working: None, complaints: list[str], bar: Bar) -> None:
    """From the first visit to a reply on the screen, without a press after the launch."""
    founder = Founder(page)
    page.goto("/")
    founder.type("Email", "ada@tidemark.example")
    founder.type("Password", PASSWORD)
    founder.press("Create workspace")
    founder.open_first("main a[href^='/autopilot']")
    founder.press("Try a sample company")
    founder.press("Looks right")
    expect(page.get_by_role("heading", name="Who do you want to reach first?")).to_be_visible()
    founder.open_first("button.customer")
    founder.press("Use these people")
    founder.press("Design plays")
    founder.press("Review", role="link")
    expect(page.locator("mark").first).to_be_visible()
    founder.press("Approve play")
    founder.press("Skip for now")
    founder.press("Save alerts")
    page.get_by_label("Approve each note and message").uncheck()
    founder.clicks += 1
    founder.press("Launch in sandbox")
    expect(page.get_by_role("heading", name="Fast-forwarding to your first reply")).to_be_visible(timeout=LONG)
    page.reload()
    page.wait_for_url("**/conversations/*", timeout=LONG)
    expect(page.get_by_role("textbox").first).to_be_visible()
    bar("U1", "presses from the first visit to the first reply", founder.clicks, most=16)
    bar("U1", "seconds of a human on the way there, without the machine's", round(founder.seconds(steps=8)), most=150)
    assert complaints == []


def test_a_founder_goes_live_with_a_mailbox(
    page: Page, app: Flask, working: None, servers: Servers, complaints: list[str], bar: Bar
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
    founder.press("Skip: a social account")
    founder.press("Connect mailbox", role="link")
    founder.type("Name", "Ada Tide")
    founder.type("Address", "ada@tidemark.example")
    page.get_by_role("textbox", name="Password").fill("an app password")
    founder.fields += 1
    page.get_by_text("Servers and user name").click()
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
    expect(page.get_by_text("All set. Launch when you are.")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert problems(page) == []
    for size in SIZES.values():
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert overflow(page) == 0
    bar("U1", "presses from the sandbox to a live workspace with a mailbox", founder.clicks, most=20)
    assert complaints == []
