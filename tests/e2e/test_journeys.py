"""Whole journeys in a real browser, from the first page to the last: founder, reviewer, operator, integrator.

The founder's and the reviewer's are gone once more without scripts.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect
from standardwebhooks.webhooks import Webhook

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.campaign_leads import campaign_leads
from app.domain.webhooks import dispatcher
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import work
from tests.domain.outreach import email, forward
from tests.domain.reviewing import drafts, held, sent
from tests.e2e.browsing import focus_is_kept, loaded, problems, sign_in, titled
from tests.e2e.founder import Founder
from tests.support.receivers import Receiver

NAMES = "ada bob cleo dan eve finn gail hugo iris jon kim leo mia noah olga pia quin rosa saul tara".split()
# Whose public ids say how they behave: two answer, four accept, six do not; and one row names no one.
BEHAVIOUR = ["replies-positive", "replies-question", *["accepts"] * 4, *["ignores"] * 6]
COLUMNS = "First Name,Last Name,Company,Person Linkedin Url,Email\n"
FIRST = "Aoife Bo Cleo Dan Eve Finn Gail Hugo Iris Jon Kim Leo".split()


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("409", "422")


@pytest.mark.browser_context_args(reduced_motion="no-preference")
def test_founder(page: Page, app: Flask, working: None, complaints: list[str]) -> None:
    """From the first visit to a launched sandbox campaign."""
    founder = Founder(page)
    page.goto("/")
    founder.type("Email", "ada@tidemark.example")
    founder.type("Password", PASSWORD)
    founder.press("Create workspace")
    page.locator("main a[href^='/autopilot']").first.click()
    founder.clicks += 1
    founder.press("Try a sample company")
    founder.press("Looks right")
    expect(page.get_by_role("heading", name="Who do you want to reach first?")).to_be_visible()
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
    expect(page.get_by_role("heading", name="Your campaign is live")).to_be_visible()
    assert founder.clicks <= 12
    assert founder.fields <= 3
    page.get_by_role("link", name="Open campaign").click()
    expect(page.get_by_text("Running").first).to_be_visible()
    assert complaints == []


def test_founder_without_scripts(browser: Browser, browser_context_args: Any, app: Flask) -> None:
    """Every step is a form; progress is seen by looking again."""
    context = browser.new_context(**{**browser_context_args, "java_script_enabled": False})
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Email").fill("ada@tidemark.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create workspace").click()
    titled(page, "Home")
    page.context.clear_cookies()
    page.goto("/autopilot")
    page.get_by_label("Email").fill("ada@tidemark.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Try a sample company").click()
    _look_again(page, "Understanding your business", "/autopilot/business")
    page.get_by_role("button", name="Looks right").click()
    page.locator("button.customer").first.click()
    _look_again(page, "Defining your target audience", "/autopilot/targeting")
    page.get_by_role("button", name="Use these people").click()
    page.get_by_role("button", name="Design plays").click()
    _look_again(page, "Designing your plays", "/autopilot/plays")
    page.get_by_role("link", name="Review").first.click()
    page.get_by_role("button", name="Approve play").click()
    page.get_by_role("button", name="Skip for now").click()
    page.get_by_role("button", name="Save alerts").click()
    page.get_by_role("button", name="Launch in sandbox").click()
    expect(page.get_by_role("link", name="Open campaign")).to_be_visible()
    work()
    page.get_by_role("link", name="Open campaign").click()
    running = page.get_by_text("Running")
    expect(running.first).to_be_visible()
    assert running.count() >= 1
    context.close()


def _look_again(page: Page, meanwhile: str, path: str) -> None:
    """The page, once the work behind it has been done; `meanwhile` is what it says until then."""
    expect(page.get_by_role("heading", name=meanwhile, level=1)).to_be_visible()
    work()
    page.goto(path)


def waits(workspace: Workspace, names: list[str]) -> list[int]:
    """The drafts of first emails to these people, as they stand in the list: the newest first."""
    held(workspace, [f"quiet-{name}" for name in names], [email("Hi {{first_name}}, a question.", "A question")])
    return [draft.id for draft in drafts(workspace, "pending")][::-1]


def decided(workspace: Workspace) -> list[int]:
    """How many drafts are approved, skipped, and still wait."""
    found = [approvals.count(workspace, Filters(status=status)) for status in ("approved", "skipped", "pending")]
    end_read()
    return found


def opened(page: Page, draft: int) -> None:
    """That draft is open, its heading has the focus, and its row is the marked one."""
    expect(page.locator(f"#heading-{draft}")).to_be_focused()
    expect(page.locator(f"#row-{draft} a.nm")).to_have_attribute("aria-current", "true")


def test_reviewer(ada: Page, acme: Workspace) -> None:
    """Twenty drafts by keyboard: one edited, one skipped, one taken back, one stale."""
    ids = waits(acme, NAMES)
    ada.goto("/")
    ada.keyboard.type("ga")
    loaded(ada, f"Approvals ({len(ids)})")
    campaign_id = drafts(acme)[0].campaign_id
    for place, draft in enumerate(ids):
        opened(ada, draft)
        if place == 3:
            ada.keyboard.press("s")
        elif place == 5:
            ada.keyboard.press("e")
            ada.keyboard.type(" And one more.")
            ada.keyboard.press("Control+Enter")
        elif place == 8:
            ada.keyboard.press("a")
            opened(ada, ids[9])
            ada.keyboard.press("z")
            opened(ada, draft)
            ada.keyboard.press("a")
        elif place == 12:
            stale = next(one for one in drafts(acme) if one.id == draft)
            campaign_leads.stop(acme, campaign_id, stale.campaign_lead_id)
            ada.keyboard.press("a")
            expect(ada.locator(".toast")).to_contain_text("No longer needed,")
        else:
            ada.keyboard.press("a")
    expect(ada.get_by_role("heading", name="All caught up")).to_be_visible()
    focus_is_kept(ada)
    expect(ada.locator("#count-a")).to_be_hidden()
    assert decided(acme) == [18, 2, 0]
    forward(acme, days=10)
    texts = sent(acme)
    assert len(texts) == 18
    assert [text for text in texts if "one more" in text] == [f"Hi {NAMES[-6].title()}, a question. And one more."]


def test_reviewer_without_scripts(browser: Browser, browser_context_args: Any, acme: Workspace) -> None:
    """Approved as it stands in the box, taken back, skipped, a stale one refused, and the picked ones at once."""
    ids = waits(acme, ["ada", "bob", "cleo", "dan"])
    context = browser.new_context(**{**browser_context_args, "java_script_enabled": False})
    page = context.new_page()
    sign_in(page)
    page.goto("/approvals")
    page.locator(f"#text-{ids[0]}").fill("Hi Dan, without scripts.")
    page.get_by_role("button", name="Approve", exact=True).last.click()
    expect(page.get_by_text("Decision recorded.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page).to_have_url(re.compile(f"/approvals/{ids[0]}$"))
    expect(page.locator(f"#text-{ids[0]}")).to_have_value("Hi Dan, without scripts.")
    page.get_by_role("button", name="Approve", exact=True).last.click()
    expect(page.locator("#count")).to_have_text("3 waiting")
    page.get_by_role("button", name="Skip", exact=True).last.click()
    expect(page.locator("#count")).to_have_text("2 waiting")
    stale = next(one for one in drafts(acme) if one.id == ids[2])
    campaign_leads.stop(acme, stale.campaign_id, stale.campaign_lead_id)
    end_read()
    page.get_by_role("button", name="Approve", exact=True).last.click()
    expect(page.locator(".toast")).to_contain_text("No longer needed,")
    page.get_by_label("Select the draft for Ada").check()
    page.get_by_role("group", name="Selected drafts").get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", name="All caught up")).to_be_visible()
    done = decided(acme)
    assert done == [2, 2, 0]
    assert sum(done) >= 4
    context.close()


def test_operator(ada: Page, acme: Workspace, working: None, tmp_path: Path) -> None:
    """People are imported, a campaign is built, started, paused and resumed, one is stopped, and a reply answered."""
    _import(ada, tmp_path)
    _build_and_start(ada)
    ada.get_by_role("button", name="Pause").click()
    expect(ada.locator("h1")).to_contain_text("Paused")
    ada.get_by_role("button", name="Resume").click()
    expect(ada.locator("h1")).to_contain_text("Running")
    ada.locator(".tabs").get_by_role("link", name="People").click()
    loaded(ada, "People of New heads of support")
    ada.get_by_role("button", name="Stop Leo").click()
    ada.locator("#confirm").get_by_role("button", name="Stop").click()
    expect(ada.locator("#people-rows .badge").filter(has_text="Stopped")).to_have_count(1)
    ada.locator(".tabs").get_by_role("link", name="Overview").click()
    ada.get_by_role("button", name="More actions").click()
    ada.get_by_role("button", name="Fast-forward 2 weeks").click()
    expect(ada.get_by_role("heading", name="Fast-forwarding")).to_be_visible()
    expect(ada.get_by_role("heading", name="Fast-forwarding")).to_be_hidden(timeout=120_000)
    expect(ada.locator(".sidebar-foot")).to_contain_text("Sandbox time:")
    _numbers_add_up(ada)
    ada.keyboard.type("gc")
    loaded(ada, "Conversations")
    ada.get_by_role("link", name="Aoife Gallagher").click()
    expect(ada.get_by_role("heading", name="Aoife Gallagher").first).to_be_focused()
    ada.keyboard.press("r")
    expect(ada.get_by_placeholder("Write to Aoife")).to_be_focused()
    ada.keyboard.type("Tuesday at ten?")
    theirs = ada.url
    with ada.expect_response(lambda answer: answer.request.method == "POST"):
        ada.keyboard.press("Control+Enter")
    ada.goto(theirs)  # the next conversation, if there is one, has opened
    mine = ada.locator(".said-one.mine").last
    expect(mine).to_contain_text("Tuesday at ten?")
    expect(mine).to_have_class(re.compile("is-sent"))


def _import(ada: Page, folder: Path) -> None:
    """A list is made and filled from a file; the page is loaded once for progress and result."""
    rows = [
        f"{first},Gallagher,Quillstack,https://network.example/in/{kind}-{first.lower()}/,{first}@q.example"
        for first, kind in zip(FIRST, BEHAVIOUR, strict=True)
    ]
    file = folder / "people.csv"
    file.write_text(COLUMNS + "\n".join([*rows, "Nobody,,,,"]) + "\n")
    ada.goto("/lists")
    ada.get_by_label("Name", exact=True).fill("Heads of support")
    ada.get_by_role("button", name="Create list").click()
    ada.get_by_label("CSV file", exact=True).set_input_files(file)
    ada.get_by_role("button", name="Upload").click()
    expect(ada.get_by_label("Import Person Linkedin Url as")).to_have_value("profileUrl")
    ada.get_by_role("button", name="Import 13 rows").click()
    expect(ada.get_by_role("heading", name="Errors")).to_be_visible()
    expect(ada.locator(".tiles")).to_contain_text("12")
    expect(ada.locator("main [hx-trigger^=every]")).to_have_count(0)
    assert problems(ada) == []
    with ada.expect_download() as download:
        ada.get_by_role("link", name="Download all errors").click()
    saved = folder / "refused.csv"
    download.value.save_as(saved)
    header, refused = csv.reader(io.StringIO(saved.read_bytes().decode("utf-8-sig"), newline=""))
    assert header[-2:] == ["Row", "Reason"]
    assert refused[-1]
    ada.get_by_role("link", name="Open list").click()
    expect(ada.get_by_text("12 people", exact=True)).to_be_visible()


def _build_and_start(ada: Page) -> None:
    """A campaign of four steps and a view before them, seen as its first person will get it."""
    ada.get_by_role("link", name="Start a campaign").click()
    loaded(ada, "New campaign")
    ada.get_by_label("Name", exact=True).fill("New heads of support")
    expect(ada.locator("#preview")).to_contain_text("12 in “Heads of support”")
    ada.get_by_role("button", name="Add a step at the start").click()
    ada.locator("#add-0").get_by_role("button", name="View profile").click()
    expect(ada.get_by_role("heading", name="1 View profile")).to_be_visible()
    ada.get_by_role("button", name="Add a step after step 3").click()
    ada.locator("#add-3").get_by_role("button", name="Email").click()
    expect(ada.locator(".step")).to_have_count(4)
    texts = ada.locator(".step textarea")
    texts.nth(1).fill("Hi {{first_name}}\n---\nA second bit")
    texts.nth(2).fill("Dear {{first_name}}")
    ada.get_by_label("Subject").fill("A question")
    expect(ada.locator("#preview")).to_contain_text("Hi Aoife")
    expect(ada.locator("#preview .bubble").filter(has_text="A second bit")).to_have_count(1)
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_role("heading", name="New heads of support")).to_contain_text("Draft")
    ada.get_by_role("button", name="Start in sandbox").click()
    expect(ada.get_by_text("Started with 12 people.")).to_be_visible()


def _numbers_add_up(ada: Page) -> None:
    """What the page counts is what its links lead to, and everyone who waits says why."""
    states = ada.locator("#states-rows tr")
    expect(states.first).to_be_visible()
    assert sum(int(states.nth(n).locator("td.side a").inner_text()) for n in range(states.count())) == 12
    ada.get_by_role("link", name="12 people").last.click()
    rows = ada.locator("#people-rows tr")
    expect(rows).to_have_count(12)
    assert all(why.strip() for why in rows.locator(".why").all_inner_texts())
    ada.go_back()
    loaded(ada, "New heads of support")
    accepted = ada.locator(".funnel tr").filter(has_text="Accepted").get_by_role("link")
    number = int(accepted.inner_text())
    accepted.click()
    loaded(ada, "People of New heads of support")
    expect(ada.locator("#people-rows tr")).to_have_count(number)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


def test_integrator(ada: Page, acme: Workspace, receiver: Receiver) -> None:
    """A key, a call with it, an endpoint, a test event that it verifies, and the same event once more."""
    clicks = 0

    def press(role: Any, name: str) -> None:
        nonlocal clicks
        ada.get_by_role(role, name=name, exact=True).first.click()
        clicks += 1

    ada.goto("/developers")
    ada.keyboard.press("c")
    ada.get_by_role("dialog").get_by_label("Name").fill("CRM sync")
    ada.get_by_role("dialog").get_by_role("button", name="Create key").click()
    key = ada.get_by_role("dialog").get_by_text(re.compile(r"^ovt_test_\w+$")).inner_text()
    assert ada.request.get("/v1/me", headers={"Authorization": f"Bearer {key}"}).status == 200
    ada.goto("/developers")
    clicks = 2  # signing in, and the way to this page
    press("link", "Webhooks")
    press("link", "Add endpoint")
    ada.get_by_label("Name").fill("CRM")
    ada.get_by_label("Address").fill(receiver.url)
    press("button", "Add endpoint")
    expect(ada.get_by_role("button", name="Copy").first).to_be_focused()
    signed = Webhook(ada.get_by_text(re.compile("^whsec_")).inner_text())
    press("button", "Send test event")
    line = ada.locator("#log-rows summary").first
    expect(line).to_contain_text("Pending")
    ada.evaluate("window.notReloaded = true")
    _deliver()
    expect(line).to_contain_text("Delivered 200")
    assert clicks <= 6
    line.click()
    expect(ada.get_by_text("webhook-signature: v1,")).to_be_visible()
    expect(ada.get_by_text("noted")).to_be_visible()
    press("button", "Resend")
    expect(ada.get_by_text("The event is being sent again.")).to_be_visible()
    _deliver()
    expect(line).to_contain_text("Delivered 200")
    assert ada.evaluate("window.notReloaded")
    first, again = receiver.requests
    assert (
        signed.verify(first.body, first.headers) == signed.verify(again.body, again.headers) == json.loads(first.body)
    )
    assert first.headers["webhook-id"] == again.headers["webhook-id"]


def _deliver() -> None:
    """What the scheduler does."""
    dispatcher.deliver_due()
    end_read()
