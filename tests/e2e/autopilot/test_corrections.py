"""A corrected profile after a launch, in a real browser: the mark, the new texts beside the old ones, the undo."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.models.autopilot import Play
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, the_setup

DUCKS = "rubber ducks"
OUTDATED = "Written before you corrected your profile."


@pytest.fixture
def play(acme: Workspace) -> Play:
    """A play was launched."""
    return launched(acme)


def test_a_corrected_offer_marks_what_was_written_before(ada: Page, acme: Workspace, play: Play) -> None:
    page, profile = ada, the_setup(acme).profile
    assert profile
    page.goto("/autopilot/business")
    page.get_by_label("Topic for subject lines").fill(DUCKS)
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(f"/campaigns/{play.campaign_id}")
    expect(page.locator("#campaign")).to_contain_text(OUTDATED)
    page.get_by_role("link", name="Open the play").click()
    page.get_by_role("button", name="Rewrite").click()
    expect(page.get_by_text(str(profile["topic"])).first).to_be_visible()
    expect(page.get_by_text(DUCKS).first).to_be_visible()
    page.get_by_role("button", name="Use these texts").click()
    expect(page.locator("#review")).not_to_contain_text(OUTDATED)
    page.goto(f"/campaigns/{play.campaign_id}/sequence")
    expect(page.locator("main")).to_contain_text(DUCKS)
    page.goto(f"/plays/{play.id}")
    page.locator("#review").get_by_role("button", name=re.compile("^Undo")).click()
    expect(page.locator("#review")).to_contain_text(OUTDATED)
    page.goto(f"/campaigns/{play.campaign_id}/sequence")
    expect(page.locator("main")).not_to_contain_text(DUCKS)
