"""Three drafts edited alike in a real browser: the rule is asked for, accepted, followed, and taken back."""

import re

from playwright.sync_api import Page, expect

from app.models.workspaces import Workspace
from tests.domain.outreach import email
from tests.domain.reviewing import drafts, held

SECOND = " Or would a demo be better?"
TEXT = f"Hi {{{{first_name}}}},\n\nwe plan courses. Shall we talk?{SECOND}\n\nBest regards,\nInes"


def approve_without(page: Page, words: str) -> None:
    """The open draft loses these words and is approved; the next one opens."""
    text = page.get_by_role("textbox", name="Text to")
    name = text.get_attribute("id") or ""
    kept = text.input_value()
    assert words in kept
    text.fill(kept.replace(words, ""))
    page.get_by_role("button", name="Approve", exact=False).last.click()
    expect(page.locator(f"#{name}")).to_have_count(0)


def test_three_edits_become_a_rule_that_the_next_draft_follows(ada: Page, acme: Workspace) -> None:
    """The card asks once; the undo brings the second question back into the drafts that wait."""
    held(acme, [f"quiet-p{number}" for number in range(5)], [email(TEXT, "Courses")])
    ada.goto("/approvals")
    for _ in range(3):
        expect(ada.get_by_text("Make it a rule?")).to_have_count(0)
        approve_without(ada, SECOND)
    asked = ada.get_by_role("region", name="You removed the second question three times. Make it a rule?")
    expect(asked).to_be_visible()
    expect(ada.get_by_role("textbox", name="Text to")).to_have_value(re.compile(re.escape(SECOND)))
    asked.get_by_role("button", name="Yes").click()
    expect(ada.get_by_role("textbox", name="Text to")).to_have_value(re.compile(r"Shall we talk\?\n\nBest regards"))
    expect(ada.get_by_text("Make it a rule?")).to_have_count(0)
    expect(ada.get_by_text("Learnt rule: Ask only one question in a text: the first one.")).to_be_visible()
    assert not any(SECOND in draft.text for draft in drafts(acme, "pending"))
    ada.goto("/autopilot/learnt")
    ada.get_by_text("The edits").click()
    expect(ada.locator("del").first).to_contain_text("Or would a demo be better?")
    ada.get_by_role("button", name="Take back").click()
    expect(ada.get_by_text("Taken back", exact=True)).to_be_visible()
    assert all(SECOND in draft.text for draft in drafts(acme, "pending"))
