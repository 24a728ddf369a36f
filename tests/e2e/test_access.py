"""Every page is for everyone: by the rules of axe, light and dark, on a desk and a phone, with dialogs and errors."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Browser, expect

from app.core.db import end_read, session
from app.domain.autopilot import plays
from app.domain.enrichment.crm import lists as crm_lists
from app.domain.operations import demo
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign
from tests.domain.tasks.meetings.test_meetings import unmatched
from tests.e2e import filled
from tests.e2e.browsing import titled
from tests.e2e.conftest import sign_in
from tests.e2e.walking import Walk
from tests.support.crms import tame

# The same pages when they have nothing to show, or something else than usual.
MORE = (
    "/nothing-here",
    "/approvals?show=approved",
    "/approvals?kind=inmail",
    "/campaigns?status=failed",
    "/campaigns/{campaign}/people?q=nobody",
    "/conversations?q=nobody",
    "/developers/requests?state=refused",
    "/search?q=nobody-at-all",
    "/plays/{play}?as=template",
)
# What leads to a page that is opened anyway.
PASSED_BY = {
    *filled.PIECES,
    "pages.auth.login",
    "pages.auth.second_step",
    "pages.autopilot.index",
    "pages.campaigns.edit",
}
# Forms that are sent empty, so that they come back with what is wrong.
FORMS = (
    "/lists/new",
    "/campaigns/new",
    "/senders/new",
    "/developers/keys/new",
    "/developers/webhooks/new",
    "/settings/profile",
    "/settings/team",
    "/settings/billing/cancel",
    "/never-contact",
    "/signals",
)
LONG_WORD = "unbroken" * 20
SEND_EMPTY = """() => {
  const form = document.querySelector('main form[method=post]:not([data-sent])');
  form.noValidate = true;
  const typed = 'input:not([type=hidden], [type=radio], [type=checkbox]), textarea';
  form.querySelectorAll(typed).forEach(field => { field.value = ''; });
  form.requestSubmit();
}"""


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Iterator[Flask]:
    """The application as developers run it, so that the components can be seen."""
    app = make_app(OVERTURE_DEVELOPMENT=True)
    with app.app_context():
        yield app


@pytest.fixture
def addresses(app: Flask, full: Workspace) -> list[str]:
    """Every page of a workspace that has everything, with one play approved, so that every step can be opened."""
    play = plays.every(full)[0].id
    plays.approve(full, play)
    campaign = session().scalar(sa.select(sa.func.min(Campaign.id)).where(Campaign.workspace_id == full.id))
    pages = filled.signed_in_pages(app, full)
    end_read()
    more = [address.format(campaign=campaign, play=play) for address in MORE]
    return [some[0] for endpoint, some in pages.items() if endpoint not in PASSED_BY] + more


def test_every_page_is_accessible(browser: Browser, browser_context_args: Any, addresses: list[str]) -> None:
    """One walk through all of it."""
    context = browser.new_context(**browser_context_args)
    walk = Walk(context)
    page = walk.page
    page.goto("/login")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="Wrong email or password.")).to_be_visible()
    walk.everywhere()
    page.get_by_label("Email").fill(demo.EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    titled(page, "Home")
    for number, address in enumerate(addresses):
        walk.open(address, whole=number < 2)
    page.goto("/dev/components")
    walk.everywhere(whole=True)
    for address in FORMS:
        page.goto(address)
        page.evaluate(SEND_EMPTY)
        wrong = page.locator("main [aria-invalid=true], main [role=alert]").locator("visible=true")
        expect(wrong.first).to_be_visible()
        walk.look(whole=False)
    context.close()
    assert walk.looks >= 2 * len(addresses)
    assert walk.found == []
    assert walk.complaints == []
    assert walk.sideways == []
    assert walk.mouse_only == []


def test_the_pages_of_a_connected_crm_and_of_meetings_are_accessible(
    browser: Browser, browser_context_args: Any, acme: Workspace
) -> None:
    """Only a live workspace has them: with a failed activity, a list that is followed, and meetings of no one known."""
    a_campaign(acme, ["accepts-ada"], name="Founders " * 12)
    tame(acme)
    crm_lists.follow(workspaces.get(acme.id), "31")
    for number in range(3):
        unmatched(acme, f"{LONG_WORD}-{number}")
    end_read()
    context = browser.new_context(**browser_context_args)
    walk = Walk(context)
    sign_in(walk.page)
    for address in ("/settings/crm", "/settings/crm/lists", "/settings/services", "/settings/meetings"):
        walk.open(address, whole=True)
    context.close()
    assert walk.found == []
    assert walk.complaints == []
    assert walk.sideways == []
    assert walk.mouse_only == []
