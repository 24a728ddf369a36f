"""DNS records of a domain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.ports.senders import AccountRef


class DomainRecords(Protocol):
    """DNS lookups. Each returns [] when there is no record, and raises Unreachable when the lookup fails."""

    def mail_servers(self, domain: str) -> Sequence[str]:
        """Return the domain's mail servers, preferred first; `.` alone when it accepts no mail."""

    def texts(self, name: str) -> Sequence[str]:
        """Return the TXT records of a name, each joined."""

    def addresses(self, host: str) -> Sequence[str]:
        """Return the addresses of a host."""


@dataclass(frozen=True)
class Arrival:
    """How an email arrived: verdicts such as pass or fail are '' where the receiving server states none."""

    spam: bool
    spf: str = ""
    dkim: str = ""
    dmarc: str = ""
    signed_by: str = ""  # the domain of the DKIM signature
    unsubscribe: str = ""  # the List-Unsubscribe header
    one_click: bool = False


class SignedMail(Protocol):
    """What a mailbox's own provider signs its mail with, and how mail arrives in it."""

    def signature(self, account: AccountRef) -> str:
        """Return the newest DKIM-Signature on a message from the mailbox's own domain; '' without one."""

    def arrival(self, account: AccountRef, token: str) -> Arrival | None:
        """Return how our email of that token arrived in the inbox or the spam folder; None while it is not there."""
