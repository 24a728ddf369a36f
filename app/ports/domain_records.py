"""DNS records of a domain."""

from collections.abc import Sequence
from typing import Protocol

from app.ports.senders import AccountRef


class DomainRecords(Protocol):
    """DNS lookups. Each returns [] when there is no record, and raises Unreachable when the lookup fails."""

    def mail_servers(self, domain: str) -> Sequence[str]:
        """Return the domain's mail servers, preferred first; `.` alone when it accepts no mail."""
        ...

    def texts(self, name: str) -> Sequence[str]:
        """Return the TXT records of a name, each joined."""
        ...

    def addresses(self, host: str) -> Sequence[str]:
        """Return the addresses of a host."""
        ...


class SignedMail(Protocol):
    """What a mailbox's own provider signs its mail with."""

    def signature(self, account: AccountRef) -> str:
        """Return the newest DKIM-Signature on a message from the mailbox's own domain; '' without one."""
        ...
