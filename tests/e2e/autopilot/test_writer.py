"""Settings → Writer in a real browser: a model is set up, tested and removed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.platform import jobs
from tests.e2e.browsing import fits, problems
from tests.providers.scripted_model import NAME, ScriptedModel

PAGE = "/settings/writer"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model server of this machine."""
    running = ScriptedModel()
    yield running
    running.stop()


def test_a_model_is_set_up_tested_and_removed(ada: Page, model: ScriptedModel) -> None:
    """From the wizard's first screen to a model that writes, at every size, in both colours."""
    ada.goto("/autopilot/business")
    expect(ada.get_by_role("heading", name="Write with an AI model")).to_be_visible()
    assert problems(ada) == []
    ada.get_by_role("link", name="Settings → Writer").click()
    expect(ada.get_by_role("heading", name="Built-in writer")).to_be_visible()
    ada.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    ada.get_by_role("button", name="Check and test").click()
    expect(ada.get_by_label("Address")).to_be_focused()
    expect(ada.get_by_text("No OpenAI-compatible service responds")).to_be_visible()
    ada.get_by_label("Address").fill(model.address)
    ada.get_by_role("button", name="Check and test").click()
    expect(ada.get_by_text(f"Testing {NAME}.")).to_be_visible()
    assert problems(ada) == []
    end_read()
    assert jobs.run_due() == 1
    expect(ada.get_by_role("heading", name=NAME)).to_be_visible()  # by itself
    expect(ada.get_by_text("6 of 6 test messages passed all checks.")).to_be_visible()
    fits(ada)
    ada.goto("/autopilot/business")
    expect(ada.get_by_role("heading", name="Write with an AI model")).to_have_count(0)
    ada.goto(PAGE)
    ada.get_by_role("button", name="Remove").click()
    ada.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(ada.get_by_role("heading", name="Built-in writer")).to_be_visible()
