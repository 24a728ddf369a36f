"""What a person does in the campaign editor: select a step, change its place, open a part of the sentence."""

import re

from playwright.sync_api import Locator, Page, expect


def card(page: Page, number: int) -> Locator:
    """The step's card in the tree."""
    return page.locator(".tree").get_by_role("link", name=re.compile(rf"^{number} "))


def select(page: Page, number: int) -> Locator:
    """Select a step; return its panel."""
    card(page, number).press("Enter")
    panel = page.locator(".panel.open")
    expect(panel.get_by_role("heading", name=re.compile(rf"^{number}\s"))).to_be_visible()
    return panel


def tool(page: Page, number: int, name: str) -> None:
    """Move, duplicate or remove a step by the menu of its card."""
    page.get_by_role("button", name=f"Step {number}: more").press("Enter")
    page.get_by_role("button", name=f"{name.format(number)}", exact=True).press("Enter")


def sheet(page: Page, about: str) -> Locator:
    """Open what a part of the sentence is about."""
    page.get_by_role("button", name=re.compile(f"^{about}:")).first.press("Enter")
    return page.locator("dialog[open]")


def done(page: Page) -> None:
    """Close the sheet."""
    page.locator("dialog[open]").get_by_role("button", name="Done").press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
