"""Unipile's API in one form for both versions; `opened` chooses by the address."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.providers.http import HttpClient
from app.providers.unipile.client import Client, address_of
from app.providers.unipile.parsing import Chat, Invitation, Member, Post, Relation, Said, Standing
from app.providers.unipile.v1 import V1
from app.providers.unipile.v2 import V2


class Api(Protocol):
    """One account's calls. Lists come newest first, page by page as long as somebody reads on."""

    def accounts(self) -> list[Standing]:
        """Every account of the network at Unipile."""
        ...

    def standing(self, account: str) -> Standing:
        """How the account stands."""
        ...

    def me(self, account: str) -> Member:
        """The account's own profile."""
        ...

    def member(self, account: str, name: str) -> Member:
        """A person, by either of their names."""
        ...

    def visit(self, account: str, name: str) -> str:
        """Their profile was visited, and they can see it; the reference."""
        ...

    def follow(self, account: str, member: Member) -> str:
        """The account follows them."""
        ...

    def posts(self, account: str, member: Member) -> list[Post]:
        """What they published of late."""
        ...

    def like(self, account: str, post: Post) -> None:
        """The account likes it."""
        ...

    def invite(self, account: str, member: Member, note: str) -> str:
        """They are invited; the reference."""
        ...

    def invitations(self, account: str) -> Iterator[Invitation]:
        """Open invitations that the account sent."""
        ...

    def withdraw(self, account: str, invitation: Invitation) -> None:
        """The invitation is not open any more."""
        ...

    def relations(self, account: str) -> Iterator[Relation]:
        """The account's connections."""
        ...

    def chats(self, account: str, after: datetime) -> Iterator[Chat]:
        """Conversations with activity after that moment."""
        ...

    def messages(self, account: str, chat: Chat, after: datetime) -> Iterator[Said]:
        """What was said in one since then."""
        ...

    def say(self, account: str, member: Member, text: str) -> str:
        """They have the message, in the conversation with them, which begins if there is none; the reference."""
        ...

    def inmail(self, account: str, member: Member, subject: str, text: str, sales_navigator: bool) -> str:
        """They have the InMail; the reference."""
        ...

    def link(self, *, state: str, back: str, notify: str, until: datetime, account: str) -> str:
        """Return a sign-in address; with `account`, for reconnecting that one."""
        ...

    def subscribe(self, url: str, secret: str) -> tuple[str, list[str]]:
        """Unipile calls that address from now on: the secret by which it proves itself, and its names of this."""
        ...

    def unsubscribe(self, names: Sequence[str]) -> None:
        """It does not any more."""
        ...


def opened(client: HttpClient, values: Mapping[str, str], within: float) -> Api:
    """The calls that these credentials open, which all together take at most so many seconds."""
    address, later = address_of(values.get("base_url", ""))
    calls = Client(client, address, values.get("api_key", ""), within)
    return V2(calls) if later else V1(calls)
