"""Senders: what an account or mailbox can do, its inputs, and its inbound activity."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

TEST = "test-"
"""How the token of a test email to ourselves begins. No inbox takes such an email, or what follows it, for a reply."""


class Party(NamedTuple):
    """One address of an email, with the name that stands beside it."""

    name: str
    address: str


@dataclass(frozen=True)
class Parties:
    """The From, To and Cc of an email. For our own emails only Cc is set: the rest is the sender and the person."""

    sender: Party | None = None
    to: Sequence[Party] = ()
    cc: Sequence[Party] = ()

    def told(self) -> dict[str, list[Party]]:
        """Return them as JSON."""
        return {"from": [self.sender] if self.sender else [], "to": list(self.to), "cc": list(self.cc)}

    @classmethod
    def of(cls, told: Mapping[str, Sequence[Any]] | None) -> "Parties":
        """Return them from JSON that has them among other things."""
        sender, to, cc = ([Party(*one) for one in (told or {}).get(name, ())] for name in ("from", "to", "cc"))
        return cls(next(iter(sender), None), to, cc)


@dataclass(frozen=True)
class File:
    """A file of an email; `content` is None when it was too large to take in."""

    name: str
    media_type: str
    size: int
    content: bytes | None = field(repr=False)


@dataclass(frozen=True)
class AccountRef:
    """A sender as a provider needs to know it. `at` is the moment on the workspace's clock."""

    id: int
    workspace_id: int
    provider_ref: str
    name: str
    at: datetime
    address: str = ""
    seed: int = 0
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    keep: Callable[[str], None] | None = field(default=None, repr=False, compare=False)
    """Keeps the secret by which the account signs in from now on, where a provider replaces it."""
    knows: Callable[[Collection[str]], bool] | None = field(default=None, repr=False, compare=False)
    """Tells whether the account writes to one of these addresses: only their large letters are read to the end."""
    signature: str = ""  # of a mailbox, in the Markdown of emails
    reply_to: str = ""  # where replies go, if not to the mailbox itself


@dataclass(frozen=True)
class PersonRef:
    """A person as a provider needs to know them; `person` is the normalised public id."""

    person: str
    profile_url: str = ""
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    email: str = ""


@dataclass(frozen=True)
class SenderAction:
    """One action to be done, or asked after. `token` is the same for every attempt at the same action."""

    kind: str  # a name of domain.rules.step_kinds.STEPS, or "withdraw"
    person: PersonRef
    token: str
    text: str = ""
    subject: str = ""
    intended_at: datetime | None = None
    in_reply_to: str = ""  # the provider's id of the message an email follows up on
    thread: tuple[str, ...] = ()  # the ids of those before it in the same thread, oldest first
    way_out: str = ""  # for a campaign's email: the token of its one-click unsubscribe link
    cc: Sequence[Party] = ()
    files: Sequence[File] = ()


@dataclass(frozen=True)
class Receipt:
    """Proof that an action was done: the provider's id of it, and when."""

    ref: str
    at: datetime


@dataclass(frozen=True)
class Accepted:
    """A person accepted an invitation. `alias` is another name of the person, where a network has two."""

    person: str
    at: datetime
    ref: str
    alias: str = ""


@dataclass(frozen=True)
class Received:
    """A message from a person. `kind` is message, inmail or email; `automatic`: its headers say that it is automatic.

    A real mailbox knows only email addresses: then `person` is an address, as in Bounced.
    """

    person: str
    kind: str
    text: str
    at: datetime
    ref: str
    subject: str = ""
    automatic: bool = False
    token: str = ""  # of the action it answers, where the network can tell
    alias: str = ""
    proof: str = ""  # the network's own name of what that action did: a reply shows that the action was done
    link: str = ""  # the name of our unsubscribe link, where the mail is an answer to it
    form: str = ""  # receipt, a calendar's accepted, declined or tentative, unreadable; '' for a letter
    parties: Parties = Parties()
    files: Sequence[File] = ()


@dataclass(frozen=True)
class Bounced:
    """An email could not be delivered; `final` when the address does not exist, `ours` when the sender is at fault."""

    person: str
    at: datetime
    ref: str
    sentence: str
    final: bool
    token: str = ""
    proof: str = ""
    ours: bool = False


@dataclass(frozen=True)
class ByHand:
    """An action that the account's owner did themselves on the network; it counts against the limits.

    A network that can't tell the owner's actions from ours reports both; the engine recognizes ours.
    """

    person: str
    kind: str
    at: datetime
    ref: str
    text: str = ""  # of a message
    alias: str = ""


Incoming = Accepted | Received | Bounced | ByHand


@dataclass(frozen=True)
class Unreadable:
    """An inbound item that could not be parsed, with what is known of it; the other items are processed."""

    ref: str
    at: datetime
    sender: str = ""
    subject: str = ""
    why: str = ""


@dataclass(frozen=True)
class Inbound:
    """What came in since a cursor, oldest first, the next cursor, and what could not be read."""

    items: Sequence[Incoming]
    cursor: str
    unreadable: Sequence[Unreadable] = ()


class Sender(Protocol):
    """A social network, or a mail system: what a sender can do. Every method may raise a ProviderError."""

    quarantine: int
    """Seconds of real time after which `find` reliably sees an action that was done without delay."""

    lateness: int
    """Seconds of real time in which a call whose answer was lost may still take effect: until then, finding nothing
    proves nothing. 0 where the quarantine is enough."""

    patience: int
    """The longest an `act` can take, in seconds of real time."""

    parallel: int
    """How many calls may be under way at once; 1 for a network that lives in this process."""

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Carry out the action, once per token."""

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Return the receipt of an unknown action; None when it surely did not happen. Unknown: cannot tell."""

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """Return everything that came in after `cursor` ('' for the beginning)."""

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        """Return when the next item arrives, on networks that know their future (the sandbox); else None."""

    def status(self, account: AccountRef) -> None:
        """Raise LoggedOut when the account cannot act; return when it can."""

    def reconnect(self, account: AccountRef) -> None:
        """Check that the account can act again after a human helped; raise LoggedOut with the reason if not."""
