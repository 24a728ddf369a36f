"""What follows an answer, in a real browser: a contact who was named, a day to come back, an answer from elsewhere."""

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read
from app.domain.leads import lists
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import forward
from tests.domain.tasks.test_referrals import TALK_TO_ANNA
from tests.domain.tasks.test_tasks import in_months, says
from tests.e2e.browsing import SIZES, focus_is_kept, loaded, overflow, problems


@pytest.fixture
def talk(acme: Workspace) -> Conversation:
    """Bo was written to and has not answered."""
    return a_talk(acme, "accepts-bo")


def test_a_contact_who_was_named_becomes_a_person(ada: Page, acme: Workspace, talk: Conversation) -> None:
    """From the conversation, with what is missing asked for; their pages say who named whom."""
    lists.create_list(acme, "Named")
    says(acme, talk, "I am the wrong one. Please talk to Anna Schmidt, our Head of Sales.")
    end_read()
    ada.goto(f"/conversations/{talk.id}")
    ada.get_by_role("link", name="Add Anna Schmidt").click()
    loaded(ada, "Add a person")
    expect(ada.get_by_label("Job title")).to_have_value("Head of Sales")
    ada.get_by_role("button", name="Add person").click()
    expect(ada.get_by_text("Enter an email address or a profile link.")).to_be_visible()
    focus_is_kept(ada)
    assert problems(ada) == []
    ada.get_by_label("Email").fill("anna@wool.example")
    ada.get_by_role("button", name="Add person").click()
    expect(ada.get_by_text("Anna Schmidt added.")).to_be_visible()
    expect(ada.get_by_text("They named")).to_have_count(0)
    ada.goto(f"/people/{talk.lead_id}")
    ada.locator("#follow-up").get_by_role("link", name="Anna Schmidt").click()
    loaded(ada, "Anna Schmidt")
    expect(ada.locator("#follow-up")).to_contain_text("Named by Bo")


def test_a_not_now_comes_back_as_a_task_on_its_day(ada: Page, acme: Workspace, talk: Conversation) -> None:
    """Shown in the conversation at once, and on the home page when its day has come; done, and undone."""
    month, day = in_months(acme, 2)
    says(acme, talk, f"Not now, please ask again in {month}.")
    end_read()
    ada.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]
    ada.goto(f"/conversations/{talk.id}")
    follow = ada.locator(f"#follow-up-{talk.id}")
    expect(follow).to_contain_text(f"{day:%b %Y}")
    follow.get_by_text("Change day").click()
    follow.get_by_label("Day").fill(day.replace(day=3).isoformat())
    follow.get_by_role("button", name="Save").click()
    expect(ada.get_by_text("Day saved.")).to_be_visible()
    expect(follow).to_contain_text(f"3 {day:%b %Y}")
    assert (problems(ada), overflow(ada)) == ([], 0)
    ada.goto("/")
    expect(ada.locator("#tasks-due")).to_be_hidden()
    forward(acme, days=(day.replace(day=4) - acme.now().date()).days)
    end_read()
    ada.reload()
    due = ada.locator("#tasks-due")
    expect(due).to_contain_text("Bo asked to be contacted again on")
    due.get_by_role("button", name="Done").click()
    expect(due.get_by_role("listitem")).to_have_count(0)
    ada.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(due.get_by_role("button", name="Done")).to_be_visible()


def test_an_answer_from_elsewhere_is_marked_and_undone(ada: Page, acme: Workspace, talk: Conversation) -> None:
    """On their page and in the conversation; their campaigns end and continue."""
    end_read()
    ada.goto(f"/people/{talk.lead_id}")
    follow, campaigns = ada.locator("#follow-up"), ada.locator("#campaigns")
    follow.get_by_role("button", name="Met").press("Enter")
    expect(follow).to_contain_text("marked by")
    expect(campaigns).to_contain_text("Met, as a teammate marked")
    assert problems(ada) == []
    ada.goto(f"/conversations/{talk.id}")
    about = ada.get_by_role("complementary", name="About Bo")
    expect(about).to_contain_text("marked by")
    about.get_by_role("button", name="Undo").click()
    expect(about.get_by_role("button", name="Met")).to_be_visible()
    ada.goto(f"/people/{talk.lead_id}")
    expect(campaigns).not_to_contain_text("as a teammate marked")
    follow.get_by_text("Not now").click()
    follow.get_by_label("Contact again on").fill((acme.now().date().replace(day=1)).isoformat())
    follow.get_by_role("button", name="Save").click()
    expect(ada.get_by_role("alert").filter(has_text="Choose a day after today")).to_be_visible()


def test_someone_who_names_an_address_is_offered_on_the_page_of_tasks(
    ada: Page, acme: Workspace, talk: Conversation
) -> None:
    """Without a list there is none to add them to; dismissed, and back again."""
    says(acme, talk, TALK_TO_ANNA)
    end_read()
    ada.goto("/tasks")
    due = ada.locator("#tasks-due")
    expect(due).to_contain_text("Bo named Anna Schmidt, Head of Sales (anna@wool.example)")
    due.get_by_role("button", name="Dismiss").click()
    expect(due).to_contain_text("No tasks due")
    ada.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(due.get_by_role("link", name="Add Anna Schmidt")).to_be_visible()
    assert (problems(ada), overflow(ada)) == ([], 0)
