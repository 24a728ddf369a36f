"""What follows an answer, in a real browser: a contact who was named, a day to come back, an answer from elsewhere."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import forward
from tests.domain.tasks.test_tasks import in_months, says
from tests.e2e.browsing import fits


@pytest.fixture
def talk(acme: Workspace) -> Conversation:
    """Bo was written to and has not answered."""
    return a_talk(acme, "accepts-bo")


def test_a_not_now_comes_back_as_a_task_on_its_day(ada: Page, acme: Workspace, talk: Conversation) -> None:
    """Shown in the conversation at once, and on the home page when its day has come; done, and undone."""
    month, day = in_months(acme, 2)
    says(acme, talk, f"Not now, please ask again in {month}.")
    end_read()
    ada.goto(f"/conversations/{talk.id}")
    follow = ada.locator(f"#follow-up-{talk.id}")
    expect(follow).to_contain_text(f"{day:%b %Y}")
    follow.get_by_text("Change day").click()
    follow.get_by_label("Day").fill(day.replace(day=3).isoformat())
    follow.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("Day saved.")).to_be_visible()
    expect(follow).to_contain_text(f"3 {day:%b %Y}")
    fits(ada)
    ada.goto("/")
    expect(ada.locator(".task-list")).to_have_count(0)
    forward(acme, days=(day.replace(day=4) - acme.now().date()).days)
    end_read()
    ada.reload()
    due = ada.locator(".task-list")
    expect(due).to_contain_text("Bo asked to be contacted again on")
    due.get_by_role("button", name="Done").click()
    expect(due).to_have_count(0)
    ada.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(due.get_by_role("button", name="Done")).to_be_visible()
