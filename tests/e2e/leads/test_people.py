"""A person's page in a real browser: what is known and where from, what was asked before each contact, and merging."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.core.db import end_read, session
from app.domain.leads import lists
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.e2e.browsing import focus_is_kept, loaded

ADA = {"firstName": "Ada", "lastName": "Byron", "companyName": "Wool Ltd"}


@pytest.fixture
def twice(acme: Workspace) -> list[int]:
    """The leads of two people who are one: a clerk, and one of whom a phone number is known."""
    clerk, phone = {"publicId": "ada", "position": "Clerk"}, {"publicId": "ada-2", "phone": "+44 1"}
    into = a_list(acme, [ADA | clerk, ADA | phone])
    found = [lead.id for lead in session().scalars(lists.query_list(acme, into).order_by(Lead.id))]
    end_read()
    return found


def test_two_people_become_one_and_two_again(ada: Page, twice: list[int]) -> None:
    """From the hint on their page, over what will happen, to one person, and back; others are found as one types."""
    ada.goto(f"/people/{twice[0]}")
    hint = ada.locator("#alike")
    expect(hint).to_contain_text("Ada Byron, Wool Ltd may be the same person: the same name and company.")
    hint.get_by_role("link", name="Compare").click()
    loaded(ada, "Merge two people")
    expect(ada.get_by_role("row", name="Phone")).to_contain_text("From the other")
    ada.get_by_role("button", name="Merge", exact=True).press("Enter")
    loaded(ada, "Ada Byron")
    known = ada.locator("#known")
    expect(known).to_contain_text("+44 1")
    expect(known).to_contain_text("ada-2")
    expect(hint).to_have_count(0)
    ada.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(ada.get_by_text("Merge undone.")).to_be_visible()
    expect(known).not_to_contain_text("+44 1")
    ada.get_by_role("button", name="More actions").click()
    ada.get_by_role("link", name="Merge with…").click()
    loaded(ada, "Merge Ada Byron")
    ada.keyboard.press("/")
    ada.keyboard.type("ada-2")
    expect(ada.locator("#others-rows").get_by_role("row")).to_have_count(1)
    expect(ada).to_have_url(re.compile(r"\?q=ada-2$"))
    focus_is_kept(ada)
