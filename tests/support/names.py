"""Domain records without a name server: every domain takes mail, but for those that end in `.invalid`."""

from collections.abc import Sequence


class EveryDomain:
    """A `ports.DomainRecords`."""

    def mail_servers(self, domain: str) -> Sequence[str]:
        return [] if domain.endswith(".invalid") else [f"mx.{domain}"]

    def texts(self, name: str) -> Sequence[str]:
        return []

    def addresses(self, host: str) -> Sequence[str]:
        return [] if host.endswith(".invalid") else ["192.0.2.1"]
