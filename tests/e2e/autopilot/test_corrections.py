"""A correction of the offer after a launch, in a real browser: the preview, the campaign, a waiting draft, the undo."""

import re

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.approvals import approvals
from app.domain.operations import sandbox_clock
from app.models.approvals import Approval
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, the_setup, work

DUCKS = "rubber ducks"


@pytest.fixture
def play(acme: Workspace) -> Play:
    """A play was launched, and the notes of its invitations wait for approval."""
    found = launched(acme, approval=True)
    sandbox_clock.advance(acme, 24)
    work()
    return found


def test_a_corrected_offer_is_read_everywhere(ada: Page, acme: Workspace, play: Play) -> None:
    page, profile = ada, the_setup(acme).profile
    assert profile
    old = str(profile["sells"])
    drafts = sa.select(Approval).where(Approval.campaign_id == play.campaign_id, Approval.status == "pending")
    waiting, mine = [one for one in session().scalars(drafts.order_by(Approval.id)) if old in one.text][:2]
    approvals.edit(acme, mine.id, text=f"My own words about {old}.")
    end_read()
    page.goto("/autopilot/business")
    page.get_by_label("What you sell").fill(DUCKS)
    page.get_by_role("button", name="Show what changes").click()
    effect = page.locator("#effect")
    expect(effect).to_contain_text(f"{old} → {DUCKS}")
    expect(effect).to_contain_text("1 campaign changed on the way")
    expect(effect).to_contain_text("written again")
    expect(effect).to_contain_text("1 text you edited still says")
    expect(effect.get_by_text("After:").first).to_contain_text(DUCKS)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#corrections")).to_contain_text("Texts are being written again.")
    end_read()
    work()

    page.goto(f"/approvals/{waiting.id}")
    expect(page.locator(f"#text-{waiting.id}")).to_have_value(re.compile(DUCKS))
    page.goto("/autopilot/business")
    page.locator("#kept").get_by_role("link", name="Draft for").click()
    expect(page.locator(f"#text-{mine.id}")).to_have_value(f"My own words about {old}.")
    expect(page.locator(f"#checks-{mine.id}")).to_contain_text(f"It still says “{old}”")
    page.goto("/autopilot/business")
    page.get_by_role("button", name="Undo correction 1").click()
    expect(page.locator("#corrections")).to_contain_text("(undo of 1)")
    end_read()
    work()
    page.goto(f"/approvals/{waiting.id}")
    expect(page.locator(f"#text-{waiting.id}")).to_have_value(re.compile(old))
