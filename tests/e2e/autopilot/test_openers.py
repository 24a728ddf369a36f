"""What a model wrote to one person, in a real browser: with its facts, and held back where a fact no longer says it."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from app import ports, providers
from app.core.db import end_read
from app.models.workspaces import Workspace
from tests.domain.autopilot.researching import SAID, START, Reader, drafts, researched
from tests.domain.autopilot.steering import work
from tests.e2e.browsing import fits
from tests.providers.scripted_model import NAME, ScriptedModel


@pytest.fixture
def model(app: Flask) -> Iterator[ScriptedModel]:
    """A good model writes; websites are not read outside."""
    served = ScriptedModel()
    providers.build({**app.config, "OVERTURE_MODEL_URL": served.url, "OVERTURE_MODEL_NAME": NAME})
    ports.site_reader.connect(Reader())
    yield served
    served.stop()
    providers.build(app.config)


@pytest.fixture
def draft(acme: Workspace, model: ScriptedModel) -> int:
    """The first draft that has an opener."""
    researched(acme)
    work()
    number = next(one.id for one in drafts(acme) if one.opener and one.opener["sentences"])
    end_read()
    return number


def test_the_first_sentences_stand_in_the_draft_with_their_facts(acme: Workspace, draft: int, ada: Page) -> None:
    """Each with its words, its day and its address; an edit that makes one false is named before it is approved."""
    ada.goto(f"/approvals/{draft}")
    research = ada.locator(f"section[aria-labelledby=research-{draft}]")
    expect(research).to_contain_text(f"{NAME} based the opening on the facts below")
    expect(research.locator("q").first).to_have_text(SAID)
    expect(research).to_contain_text(f"{acme.now():%Y-%m-%d}")
    expect(research.get_by_role("link")).to_have_attribute("href", "https://lark.example/about")
    expect(ada.locator(f"#text-{draft}")).to_have_value(re.compile(re.escape(f"{START}{SAID}")))
    fits(ada)
    text = ada.locator(f"#text-{draft}")
    text.fill(text.input_value().replace("a second plant", "a third plant"))
    ada.get_by_role("button", name="Approve").last.click()
    expect(ada.locator(f"#checks-{draft}")).to_contain_text("third plant")
    expect(ada.get_by_role("button", name="Approve, I stand by this")).to_be_visible()
    end_read()
    assert next(one for one in drafts(acme) if one.id == draft).status == "pending"
