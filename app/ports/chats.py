"""Chat webhooks for alerts, recognized by the host of their address."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Notice:
    """An alert: its event, a title, a line for each item, and the page to read more."""

    event: str
    title: str
    lines: tuple[str, ...]
    link: str = ""  # a path; the adapter adds our public address


@dataclass(frozen=True)
class Room:
    """A kind of chat: what people call it, and what they should know about it."""

    name: str
    title: str
    warning: str = ""


class Chats(Protocol):
    """Posts notices to the chat behind an address, in the form it understands."""

    def objection(self, url: str) -> str:
        """Return why nothing can be posted there, as a sentence; '' when it may be tried. Looks nothing up."""

    def room(self, url: str) -> Room:
        """Return the kind of chat of that address."""

    def post(self, url: str, notice: Notice) -> None:
        """Post to the chat.

        Raise LoggedOut when that address will never accept a post again, Throttled with its own wait, Refused when it
        rejects our request, Unreachable when it cannot be called now.
        """
