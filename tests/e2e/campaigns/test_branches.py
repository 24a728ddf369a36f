"""A split is built, run and read in a real browser; without a mouse, and without scripts."""

from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, Page, expect

from app.core.db import end_read, session, transaction
from app.domain.campaigns import campaigns
from app.domain.leads import tags
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.signals import Signal
from app.models.workspaces import Workspace
from tests.domain.engine.test_branches import started
from tests.domain.outreach import ALWAYS, INVITE, VIEW, a_list, email, everyone, forward, fresh, ledger, message
from tests.e2e.browsing import loaded, sign_in


@pytest.fixture
def refusals() -> tuple[str, ...]:
    """What these tests bring about on purpose."""
    return ("422",)


def press(page: Page, name: str) -> None:
    """Press a button with the keyboard."""
    page.get_by_role("button", name=name, exact=True).press("Enter")


def build(page: Page) -> None:
    """Invite; those who accept within 4 days get a message, the others an email."""
    page.goto("/campaigns/new")
    page.get_by_label("Name", exact=True).fill("Two ways")
    page.get_by_label("List", exact=True).select_option(label="People (2 people)")
    page.locator("textarea").nth(1).fill("Thanks for connecting")
    press(page, "Add a step after step 2")
    press(page, "Email")
    expect(page.get_by_role("heading", name="3 Email")).to_be_visible()
    page.get_by_label("Subject").fill("Hello")
    page.locator("textarea").nth(2).fill("As we did not connect")
    press(page, "Add a step after step 1")
    press(page, "Split in two")
    expect(page.get_by_role("heading", name="Two ways")).to_be_visible()
    page.get_by_role("spinbutton", name="within").fill("4")
    press(page, "Move step 3 down")
    other = page.locator(".branch-side.no")
    expect(other).to_contain_text("Did not accept within 4 days")
    expect(other.get_by_role("heading", name="3 Email")).to_be_visible()


def the_campaign() -> Campaign:
    (found,) = session().query(Campaign).all()
    end_read()
    return found


def test_a_split_is_built_with_the_keyboard_and_people_take_both_sides(ada: Page, acme: Workspace) -> None:
    a_list(acme, ["accepts-ada", "ignores-bo"])
    end_read()
    build(ada)
    press(ada, "Save draft")
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    campaign = the_campaign()
    when = {"is": "accepted", "within": {"value": 4, "unit": "days"}}
    assert campaign.branches == [{"at": 1, "otherwise": 2, "join": 3, "when": when}]
    campaigns.start(acme, campaign.id)
    forward(acme, days=10)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/sequence")
    loaded(ada, "Steps of Two ways")
    expect(ada.locator(".branch-side.yes")).to_contain_text("Accepted within 4 days")
    expect(ada.locator(".branch-side.yes")).to_contain_text("Sent 1")
    expect(ada.locator(".branch-side.no")).to_contain_text("Sent 1")
    ada.locator(".branch-side.no").get_by_role("link", name="1", exact=True).first.click()
    ada.get_by_role("link", name="Bo").first.click()
    expect(ada.locator("#route")).to_contain_text("Did not accept within 4 days")


def test_a_step_for_some_people_and_a_split_without_scripts(
    browser: Browser, browser_context_args: Any, acme: Workspace
) -> None:
    a_list(acme, ["accepts-ada", "ignores-bo"])
    end_read()
    context = browser.new_context(**{**browser_context_args, "java_script_enabled": False})
    page = context.new_page()
    sign_in(page)
    page.goto("/campaigns/new")
    page.get_by_label("Name", exact=True).fill("Some")
    page.get_by_label("List", exact=True).select_option(label="People (2 people)")
    page.locator("textarea").nth(1).fill("Thanks")
    page.get_by_role("button", name="Only for some people").nth(1).click()
    expect(page.get_by_text("Only if the person has an email address")).to_be_visible()
    page.get_by_label("What is asked").select_option("tag")
    page.get_by_role("button", name="Show its fields").click()
    page.get_by_placeholder("Tag").fill("vip")
    page.get_by_label("Applies").select_option("1")
    page.get_by_role("button", name="Save draft").nth(0).click()
    campaign = the_campaign()
    assert campaign.sequence[1]["when"] == {"is": "tag", "value": "vip", "not": True}
    page.goto(f"/campaigns/{campaign.id}")
    expect(page.get_by_text("Only if the person does not have the tag vip")).to_be_visible()
    context.close()


def test_mistakes_are_shown_at_the_split_and_it_can_be_removed(ada: Page, acme: Workspace) -> None:
    """Nothing that was typed is lost."""
    a_list(acme, ["accepts-ada", "ignores-bo"])
    end_read()
    build(ada)
    ada.get_by_role("spinbutton", name="within").fill("30")
    press(ada, "Save draft")
    expect(ada.locator(".forked")).to_contain_text("The invitation is withdrawn after 21 days.")
    ada.get_by_label("Withdraw it after").fill("40")
    press(ada, "Remove split")
    expect(ada.locator(".forked")).to_have_count(0)
    press(ada, "Save draft")
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    campaign = the_campaign()
    assert campaign.branches is None
    assert campaign.sequence[0]["withdrawAfter"] == {"value": 40, "unit": "days"}


def test_a_running_split_keeps_its_places_and_changes_its_texts(ada: Page, acme: Workspace) -> None:
    steps = [INVITE, message("Thanks"), email("No luck"), VIEW]
    campaign = started(acme, ["ignores-bo"], steps)
    forward(acme, days=1)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/sequence/edit")
    expect(ada.get_by_role("button", name="Remove split")).to_have_count(0)
    ada.locator(".branch-side.no textarea").fill("Better luck")
    press(ada, "Save changes")
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    end_read()
    assert fresh(campaign).sequence[2]["message"] == "Better luck"
    assert len(fresh(campaign).branches or []) == 1


def test_rules_after_a_reply_are_added_and_removed(ada: Page, acme: Workspace) -> None:
    campaign = started(acme, ["ignores-bo"])
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/settings")
    ada.locator("#after-reply").get_by_role("link", name="Change").click()
    press(ada, "Add rule")
    expect(ada.get_by_text("Use 1 to 200 characters.")).to_be_visible()
    ada.get_by_label("Tag, task or words of the alert").fill("hot")
    press(ada, "Add rule")
    expect(ada.locator("#rules")).to_contain_text("Positive reply: add the tag hot")
    press(ada, "Remove rule 1")
    expect(ada.locator("#rules")).to_contain_text("No rules yet")


ADA = {"publicId": "accepts-ada", "firstName": "Ada", "email": "ada@acme.example", "customFields": {"tier": "gold"}}
BO = {"publicId": "ignores-bo", "firstName": "Bo"}
BO_BY_EMAIL = {"firstName": "Bo", "email": "bo@other.example"}
FOLLOW, LATER = {"type": "follow"}, {**VIEW, "delay": {"value": 4, "unit": "days"}}
ONE_OF_EACH = {
    "connected": ([INVITE, LATER, FOLLOW], {}, "is connected"),
    "has_email": ([VIEW, FOLLOW], {}, "has an email address"),
    "has_profile": ([email("First"), email("Second", days=1)], {}, "has a profile"),
    "tag": ([VIEW, FOLLOW], {"Tag": "vip"}, "has the tag vip"),
    "custom_field": ([VIEW, FOLLOW], {"Field": "tier", "Value (any when blank)": "gold"}, "has gold as tier"),
    "signal": ([VIEW, FOLLOW], {"Signal": "hiring"}, "has the signal hiring"),
    "sender": ([VIEW, FOLLOW], {"Sender": "sales_navigator"}, "has a sender with Sales Navigator"),
}


def draft_of(workspace: Workspace, kind: str, steps: list[dict[str, Any]]) -> Campaign:
    """A draft to Ada, of whom everything is true that a condition asks for, and Bo, of whom nothing is."""
    listed = a_list(workspace, [ADA, BO_BY_EMAIL if kind == "has_profile" else BO])
    senders = accounts.every(workspace)[:2]
    with transaction() as current:
        ada = current.scalars(sa.select(Lead).where(Lead.list_id == listed).order_by(Lead.id)).first()
        assert ada is not None
        tags.tag(workspace, [ada.id], add=["vip"])
        known: dict[str, Any] = {"workspace_id": workspace.id, "domain": "acme.example", "fingerprint": "f"}
        current.add(Signal(kind="hiring", found=True, credits=2, answer={}, created_at=workspace.now(), **known))
        for sender in senders:
            current.get_one(Account, sender.id).has_sales_navigator = sender == senders[0]
    return campaigns.create(
        workspace,
        name="Some",
        list_id=listed,
        account_ids=[sender.id for sender in senders],
        sequence=steps,
        schedule=ALWAYS,
    )


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_each_condition_is_chosen_in_the_builder_and_decides_who_gets_the_step(
    ada: Page, acme: Workspace, kind: str
) -> None:
    """Who does not get it passes over the step, and their page says why."""
    steps, filled, words = ONE_OF_EACH[kind]
    campaign = draft_of(acme, kind, steps)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/edit")
    ada.get_by_role("button", name="Only for some people").last.click()
    condition = ada.get_by_role("group", name="Condition")
    condition.get_by_label("What is asked").select_option(kind)
    for label, value in filled.items():
        field = condition.get_by_label(label, exact=True)
        if label in ("Signal", "Sender"):
            field.select_option(value)
        else:
            field.fill(value)
    press(ada, "Save draft")
    expect(ada.get_by_text(f"Only if the person {words}")).to_be_visible()
    press(ada, "Start in sandbox")
    expect(ada.get_by_text("Running").first).to_be_visible()
    end_read()
    forward(acme, days=8)
    theirs = {person.id: handle for handle, person in everyone(campaign).items()}
    got = {theirs[row.campaign_lead_id or 0] for row in ledger(acme) if row.step == len(steps) - 1}
    assert got == {"accepts-ada"}
    ada.goto(f"/campaigns/{campaign.id}/people")
    ada.get_by_role("link", name="Bo").first.click()
    expect(ada.locator("#route")).to_contain_text(f"Only if the person {words}")
