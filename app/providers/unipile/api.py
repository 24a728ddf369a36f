"""Unipile's API in one form for both versions; `opened` chooses by the address."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.providers.http import HttpClient
from app.providers.unipile.client import Client, address_of
from app.providers.unipile.parsing import Chat, Invitation, Json, Member, Post, Relation, Said, Standing
from app.providers.unipile.v1 import V1
from app.providers.unipile.v2 import V2


class Api(Protocol):
    """One account's calls. Lists come newest first, page by page while the caller reads on."""

    def accounts(self) -> list[Standing]:
        """Return every account of the network at Unipile."""
        ...

    def standing(self, account: str) -> Standing:
        """Return the state of the account."""
        ...

    def me(self, account: str) -> Member:
        """Return the account's own profile."""
        ...

    def member(self, account: str, name: str) -> Member:
        """Return a person by either of their names."""
        ...

    def visit(self, account: str, name: str) -> str:
        """Visit their profile visibly; return the reference."""
        ...

    def follow(self, account: str, member: Member) -> str:
        """Follow the person."""
        ...

    def posts(self, account: str, member: Member) -> list[Post]:
        """Return their recent posts."""
        ...

    def like(self, account: str, post: Post) -> None:
        """Like the post."""
        ...

    def invite(self, account: str, member: Member, note: str) -> str:
        """Invite the person; return the reference."""
        ...

    def invitations(self, account: str) -> Iterator[Invitation]:
        """Open invitations that the account sent."""
        ...

    def withdraw(self, account: str, invitation: Invitation) -> None:
        """Withdraw the invitation."""
        ...

    def relations(self, account: str) -> Iterator[Relation]:
        """Yield the account's connections."""
        ...

    def chats(self, account: str, after: datetime) -> Iterator[Chat]:
        """Yield conversations with activity after that time."""
        ...

    def messages(self, account: str, chat: Chat, after: datetime) -> Iterator[Said]:
        """Yield the messages of one conversation since then."""
        ...

    def say(self, account: str, member: Member, text: str) -> str:
        """Send a message, in a new conversation if there is none; return the reference."""
        ...

    def inmail(self, account: str, member: Member, subject: str, text: str, sales_navigator: bool) -> str:
        """Send an InMail; return the reference."""
        ...

    def link(self, *, state: str, back: str, notify: str, until: datetime, account: str) -> str:
        """Return a sign-in address; with `account`, for reconnecting that one."""
        ...

    def subscribe(self, url: str, secret: str) -> tuple[str, list[str]]:
        """Subscribe the address to webhooks; return the secret that proves the calls, and the webhooks' ids."""
        ...

    def unsubscribe(self, names: Sequence[str]) -> None:
        """Delete the webhooks."""
        ...


def opened(client: HttpClient, values: Mapping[str, str], within: float, aside: list[Json] | None = None) -> Api:
    """Return the calls for these credentials, which together take at most so many seconds; `aside` as in Client."""
    address, later = address_of(values.get("base_url", ""))
    calls = Client(client, address, values.get("api_key", ""), within)
    calls.aside = aside
    return V2(calls) if later else V1(calls)
