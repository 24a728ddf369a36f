"""The way out of this machine: straight or through the operator's proxy, and whose certificates are trusted."""

import ipaddress
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Egress:
    """What holds for every outgoing connection. `direct` are hosts that are called without the proxy."""

    proxies: Mapping[str, str] = field(default_factory=dict)  # by the scheme of the address that is called
    direct: tuple[str, ...] = ()
    authorities: str = ""  # a file or folder of certificates; '' for those of the system

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Egress":
        """Return what the settings say."""
        proxies = {"https": settings["HTTPS_PROXY"], "http": settings["HTTP_PROXY"]}
        return cls(proxies, settings["NO_PROXY"], settings["REQUESTS_CA_BUNDLE"])

    def proxy_for(self, url: str) -> str:
        """Return the address of the proxy to call `url` through; '' to call it straight."""
        parts = urlsplit(url)
        proxy = self.proxies.get(parts.scheme, "")
        return "" if proxy and self._is_direct(parts.hostname or "") else proxy

    def tls(self) -> ssl.SSLContext:
        """Return a TLS context that checks the name and trusts the operator's authorities."""
        if Path(self.authorities).is_file():
            return ssl.create_default_context(cafile=self.authorities)
        return ssl.create_default_context(capath=self.authorities or None)

    @property
    def sentence(self) -> str:
        """Say which way calls go, for the doctor."""
        shown = {scheme: _without_password(proxy) for scheme, proxy in self.proxies.items() if proxy}
        if not shown:
            return "Outgoing requests use no proxy. Overture refuses private addresses."
        ways = " and ".join(f"{scheme} requests go through {proxy}" for scheme, proxy in sorted(shown.items()))
        return f"Outgoing {ways}. The proxy resolves names, so it must refuse private addresses itself."

    def _is_direct(self, host: str) -> bool:
        return any(_covers(entry, host.rstrip(".")) for entry in self.direct)


STRAIGHT = Egress()


def _covers(entry: str, host: str) -> bool:
    """Return whether an entry of NO_PROXY names the host: `*`, a domain with all below it, an address or a network."""
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        name = entry.lstrip(".")
        return host == name or host.endswith("." + name)


def _without_password(proxy: str) -> str:
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
