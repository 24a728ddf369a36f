"""A founder at the pace of a human, and what it costs them."""

from typing import Any

from playwright.sync_api import Page


class Founder:
    """Counts what a founder does: presses and fields that are typed in."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.fields, self.typed = page, 0, 0, 0

    def press(self, name: str, role: Any = "button") -> None:
        """One click on what has that name."""
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1

    def type(self, label: str, text: str) -> None:
        """One field is filled in."""
        self.page.get_by_label(label, exact=True).fill(text)
        self.fields += 1
        self.typed += len(text)

    def open_first(self, place: str) -> None:
        """One click on the first of these places."""
        self.page.locator(place).first.click()
        self.clicks += 1

    def seconds(self, steps: int) -> float:
        """How long a human takes without the machine: 1.5 s a press, 40 words a minute, 5 s to read a step."""
        return self.clicks * 1.5 + self.typed / (40 * 5 / 60) + 5 * steps
