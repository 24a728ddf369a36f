"""DNS records of a domain."""

from collections.abc import Sequence
from typing import Protocol

from app.ports.senders import AccountRef


class DomainRecords(Protocol):
    """Looks names up. Each answers [] when there is nothing, and raises Unreachable when nobody can tell."""

    def mail_servers(self, domain: str) -> Sequence[str]:
        """The hosts that take the domain's mail, the preferred one first; `.` alone when it takes none."""
        ...

    def texts(self, name: str) -> Sequence[str]:
        """The TXT records of a name, each put together."""
        ...

    def has_address(self, host: str) -> bool:
        """Whether the host has an address."""
        ...


class SignedMail(Protocol):
    """What a mailbox's own provider signs its mail with."""

    def signature(self, account: AccountRef) -> str:
        """The newest DKIM-Signature on a message that came in from the mailbox's own domain; '' when there is none."""
        ...
