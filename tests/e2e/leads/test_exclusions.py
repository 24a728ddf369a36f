"""Who is left out, in a real browser: rules of the workspace, of a draft and of a running campaign, and let in."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read, session, transaction
from app.domain.workspace import team
from app.models.people import Person
from app.models.workspaces import User, Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import VIEW, a_campaign, a_list, person_id
from tests.e2e.browsing import SIZES, loaded, overflow, problems, sign_in


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("403", "422")


@pytest.fixture
def replied(acme: Workspace) -> None:
    """The rules of a new workspace hold, and Ada replied once."""
    found = person_id(acme, "ignores-ada")
    with transaction() as current:
        current.merge(acme).contact_rules = None
        current.get_one(Person, found).replied_at = acme.now() - timedelta(days=200)
    end_read()


def test_the_rules_of_the_workspace_are_changed_and_reset(ada: Page, acme: Workspace) -> None:
    """What is wrong stands at its field, and nothing typed is lost."""
    ada.goto("/settings")
    ada.get_by_role("link", name="Contact rules").click()
    loaded(ada, "Contact rules")
    days = ada.get_by_label("Days since another campaign contacted them")
    days.fill("9999")
    ada.get_by_label("Tags").fill("competitor")
    ada.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("Use a number from 0 to 3,650.")).to_be_visible()
    expect(days).to_be_focused()
    expect(ada.get_by_label("Tags")).to_have_value("competitor")
    days.fill("30")
    ada.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("Saved. Campaigns without rules of their own follow")).to_be_visible()
    expect(days).to_have_value("30")
    assert (problems(ada), overflow(ada)) == ([], 0)
    ada.get_by_role("button", name="Reset to defaults").click()
    ada.get_by_role("button", name="Reset", exact=True).click()
    expect(days).to_have_value("90")


def test_how_people_are_added_is_kept_for_the_next_file(ada: Page, acme: Workspace) -> None:
    """Known people and the lawful basis, on a phone."""
    ada.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    ada.goto("/settings")
    ada.get_by_role("link", name="Adding people").click()
    loaded(ada, "Adding people")
    ada.get_by_label("Leave as is").check()
    ada.get_by_label("Lawful basis").fill("consent")
    assert (problems(ada), overflow(ada)) == ([], 0)
    ada.get_by_role("button", name="Save").click()
    expect(ada.locator(".toast")).to_contain_text("Saved.")
    ada.goto("/settings/people")
    expect(ada.get_by_label("Leave as is")).to_be_checked()
    expect(ada.get_by_label("Lawful basis")).to_have_value("consent")


def test_a_draft_says_who_would_be_left_out_and_why(ada: Page, acme: Workspace, replied: None) -> None:
    """In the form while it is typed, and on the page of the draft, by name."""
    a_list(acme, ["ignores-ada", "ignores-bob"], "Customers")
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Spring")
    ada.get_by_label("List", exact=True).select_option(label="Customers (2 people)")
    summary = ada.locator("#summary")
    expect(summary).to_contain_text("1 of 2 is left out")
    expect(summary).to_contain_text("They have replied before: 1")
    ada.locator("summary", has_text="Change").press("Enter")
    ada.get_by_label("Ever replied").uncheck()
    expect(summary).not_to_contain_text("left out")
    ada.get_by_label("Ever replied").check()
    expect(summary).to_contain_text("1 of 2 is left out")
    ada.locator(".step textarea").nth(1).fill("Hello")
    ada.get_by_role("button", name="Save draft").click()
    loaded(ada, "Spring")
    left_out = ada.locator("#left-out")
    expect(left_out).to_contain_text("1 of 2 people")
    left_out.get_by_role("link", name="They have replied before").click()
    loaded(ada, "Who is left out of Spring")
    ada.get_by_role("link", name="Ada").click()
    loaded(ada, "Ada")


def test_a_running_campaign_asks_before_its_rules_change(ada: Page, acme: Workspace) -> None:
    """What the change means stands above the form, with the button that saves it."""
    with transaction() as current:
        current.merge(acme).contact_rules = None
    campaign = a_campaign(acme, ["ignores-bob"], [VIEW])
    a_list(acme, ["ignores-cy"], "A list with a name that is far too long for any phone there is, and goes on " * 2)
    end_read()
    ada.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    ada.goto(f"/campaigns/{campaign.id}/exclusions")
    ada.get_by_label("Ever replied").uncheck()
    ada.get_by_role("button", name="Check the change").click()
    asked = ada.get_by_role("alert").filter(has_text="Save this change?")
    expect(asked).to_contain_text("No longer left out: replied before.")
    expect(ada.get_by_label("Ever replied")).not_to_be_checked()
    assert (problems(ada), overflow(ada)) == ([], 0)
    asked.get_by_role("button", name="Save this change").press("Enter")
    expect(ada.get_by_text("Saved. It applies from the next send on.")).to_be_visible()


def test_an_owner_lets_a_person_in_and_no_one_else_may(
    ada: Page, browser: Browser, live_server: str, acme: Workspace, replied: None
) -> None:
    """An operator sees the reason without the button, a reviewer not even the page."""
    owner = session().scalars(sa.select(User).where(User.email == "ada@acme.example")).one()
    for role in ("operator", "reviewer"):
        _, token = team.invite(acme, owner, f"{role}@acme.example", role)
        team.accept(token, PASSWORD, role.title())
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW])
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/people?show=excluded")
    ada.get_by_role("link", name="Ada").click()
    loaded(ada, "Ada")
    here = ada.url
    for role, sees in (("operator", "They have replied before"), ("reviewer", "You don't have access")):
        context = browser.new_context(base_url=live_server)
        other = context.new_page()
        sign_in(other, f"{role}@acme.example")
        other.goto(here)
        expect(other.locator("main")).to_contain_text(sees)
        expect(other.get_by_role("button", name="Let in")).to_have_count(0)
        context.close()
    ada.get_by_role("button", name="Let in").click()
    ada.get_by_role("dialog").get_by_role("button", name="Let in").click()
    expect(ada.get_by_text("Let in. The audit log says so.")).to_be_visible()
    expect(ada.get_by_role("button", name="Let in")).to_have_count(0)
    expect(ada.locator("h1")).to_contain_text("Not started")
