"""Settings → Writer in a real browser: a model of this machine is found, measured, switched off and on again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.e2e.browsing import overflow, problems, sign_in
from tests.providers.scripted_model import NAME, ScriptedModel

PAGE = "/settings/writer"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A model server of this machine."""
    running = ScriptedModel()
    monkeypatch.setenv("OLLAMA_HOST", running.address)
    yield running
    running.stop()


def test_a_model_is_found_measured_and_switched(page: Page, acme: Workspace, model: ScriptedModel) -> None:
    """From the wizard's first screen to a model that writes, at every size, in both colours."""
    sign_in(page)
    page.goto("/autopilot/business")
    expect(page.get_by_role("heading", name="Better texts with an AI model")).to_be_visible()
    assert problems(page) == []
    page.get_by_role("link", name="Settings → Writer").click()
    expect(page.get_by_role("heading", name="Built-in writer")).to_be_visible()
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    page.get_by_role("button", name="Check and measure").click()
    expect(page.get_by_label("Address")).to_be_focused()
    expect(page.get_by_text("No OpenAI-compatible service answers")).to_be_visible()
    page.get_by_role("link", name="Look for a model here").click()
    page.get_by_role("button", name=f"Use {NAME}").click()
    expect(page.get_by_text(f"Measuring {NAME}.")).to_be_visible()
    assert problems(page) == []
    end_read()
    assert jobs.run_due() == 1
    expect(page.get_by_role("heading", name=NAME)).to_be_visible(timeout=15000)  # by itself
    expect(page.get_by_text("tokens a second")).to_be_visible()
    assert problems(page) == []
    page.emulate_media(color_scheme="dark")
    assert problems(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert overflow(page) == 0
    page.set_viewport_size({"width": 1200, "height": 900})
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_role("heading", name="Built-in writer")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name=NAME)).to_be_visible()
    page.goto("/autopilot/business")
    expect(page.get_by_role("heading", name="Better texts with an AI model")).to_have_count(0)
