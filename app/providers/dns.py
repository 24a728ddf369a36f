"""DNS lookups, at the system's servers or a configured one."""

from collections.abc import Sequence
from typing import Any

import dns.exception
import dns.resolver

from app.ports import Unreachable
from app.providers.outbound import release_database

WITHIN = 6.0  # seconds for one question, with all repeats
MOST_RECORDS = 50


class Dns:
    """See DomainRecords. `server` is `host:port`; '' for those of the machine."""

    def __init__(self, server: str = "", within: float = WITHIN) -> None:
        self._server, self._within = server, within

    def mail_servers(self, domain: str) -> Sequence[str]:
        found = sorted(self._ask(domain, "MX"), key=lambda record: (record.preference, str(record.exchange)))
        return [str(record.exchange).rstrip(".").lower() or "." for record in found]

    def texts(self, name: str) -> Sequence[str]:
        return [b"".join(record.strings).decode("utf-8", "replace") for record in self._ask(name, "TXT")]

    def addresses(self, host: str) -> Sequence[str]:
        return [record.address for record in self._ask(host, "A") or self._ask(host, "AAAA")]

    def _ask(self, name: str, kind: str) -> list[Any]:
        release_database()
        try:
            answer = self._resolver().resolve(name.rstrip(".") + ".", kind, lifetime=self._within, search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.resolver.YXDOMAIN):
            return []
        except (dns.exception.DNSException, OSError, ValueError) as problem:
            kind_of = type(problem).__name__
            raise Unreachable(f"The DNS records of {name[:100]} could not be looked up ({kind_of}).") from None
        return list(answer)[:MOST_RECORDS]

    def _resolver(self) -> dns.resolver.Resolver:
        if not self._server:
            return dns.resolver.Resolver()
        host, _, port = (
            self._server.rpartition(":") if self._server.rpartition(":")[2].isdigit() else (self._server, "", "53")
        )
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [host.strip("[]")], int(port)
        return resolver
