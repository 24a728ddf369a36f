"""Variants in a real browser: written in the builder, compared, chosen and taken back."""

import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.campaigns.test_variants import ended, got
from tests.domain.outreach import a_list, forward, fresh
from tests.e2e.campaigns.editor import select


def test_two_texts_are_written_compared_chosen_and_taken_back(ada: Page, acme: Workspace) -> None:
    """From the builder to the winner and its undo; an error names the variant, and shares change on the way."""
    a_list(acme, [f"accepts-{number}" for number in range(10)], "Heads of support")
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Two texts")
    ada.get_by_label("List", exact=True).select_option(index=1)
    step, second = select(ada, 2), ada.get_by_role("group", name="Variant B")
    step.get_by_role("textbox", name="Text").fill("Alpha {{first_name}}")
    step.get_by_role("button", name="Compare with another version").click()
    expect(second.get_by_label("Text")).to_have_value("Alpha {{First name}}")
    expect(second.get_by_label("Text")).to_be_focused()
    second.get_by_label("Text").fill("Beta {{frist_name}}")
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_text("Step 2, variant B")).to_be_visible()
    second.get_by_label("Text").fill("Beta {{first_name}}")
    for said in ("Alpha 0", "Beta 0"):  # as a person would get it, while it is typed
        expect(ada.locator(".said.open")).to_contain_text(said)
    step.get_by_role("button", name="Add a variant").click()
    expect(ada.get_by_role("group", name="Variant C").get_by_label("Share")).to_have_value("33")
    ada.get_by_role("button", name="Remove variant C").click()
    expect(second.get_by_label("Share")).to_have_value("50")
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_role("heading", name="Two texts")).to_be_visible()
    campaign = session().scalars(sa.select(Campaign)).one()
    written = [one["message"] for one in campaign.sequence[1]["variants"]]
    assert written == ["Alpha {{first_name}}", "Beta {{first_name}}"]
    ada.get_by_role("button", name="Start in sandbox").click()
    expect(ada.get_by_text("Running").first).to_be_visible()
    end_read()
    forward(acme, days=4)
    ended(fresh(campaign), {"A": (300, 30, 6), "B": (300, 66, 20)})
    ada.goto(f"/campaigns/{campaign.id}")
    ada.get_by_role("link", name="Compare").click()
    columns = ada.locator(".variants .variant")
    expect(columns).to_have_count(2)
    expect(columns.nth(1)).to_contain_text("Winner")
    expect(columns.nth(1)).to_contain_text("22.0%")
    expect(columns.nth(0)).to_contain_text("10.0%")
    before = got(acme)
    columns.nth(1).get_by_role("button", name="Use B for everyone else").click()
    ada.get_by_role("dialog").get_by_role("button", name="Use variant B").click()
    expect(ada.get_by_text("Variant B is used for everyone else.")).to_be_visible()
    expect(columns.nth(0)).to_contain_text("Share of new people: none")
    assert got(acme) == before
    ada.locator("#variants-1").get_by_role("button", name="Undo").click()
    expect(columns.nth(0)).to_contain_text("Share of new people: 50%")
    end_read()
    ada.goto(f"/campaigns/{campaign.id}/sequence/edit")
    select(ada, 2).get_by_role("group", name="Variant A").get_by_label("Share").fill("0")
    second.get_by_label("Share").fill("0")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.get_by_text("Give at least one variant a share above 0.").first).to_be_visible()
    second.get_by_label("Share").fill("30")
    ada.get_by_role("button", name="Save changes").click()
    expect(ada.get_by_text("Changes saved.")).to_be_visible()
    end_read()
    assert [one["share"] for one in fresh(campaign).sequence[1]["variants"]] == [0, 30]
    ada.goto(f"/campaigns/{campaign.id}/settings")
    ada.get_by_role("button", name="Choose winners automatically").click()
    expect(ada.get_by_text("Winners are chosen automatically", exact=True)).to_be_visible()
