"""What is installed: its version, its address, and where its templates, static files and migrations are."""

from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

VERSION = "0.2.0"  # the package's version is read from here; CHANGELOG.md and the clients repeat it

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries these folders inside the package; in a checkout they stand beside it.
ROOT = _PACKAGE if (_PACKAGE / "migrations").is_dir() else _PACKAGE.parent


NO_PROXIES = (
    "BASE_URL is https, which needs a reverse proxy, but OVERTURE_TRUSTED_PROXIES is 0: all visitors appear"
    " to share one IP address."
)
SET_PROXIES = "Set OVERTURE_TRUSTED_PROXIES to the number of reverse proxies, usually 1."

INSIDE = (".local", ".internal", ".lan", ".localhost", ".home.arpa")  # names that only a private network knows
NO_LINKS = "Recipients can only unsubscribe by email, because BASE_URL is not a public https address."

_served: dict[str, Any] = {"at": "", "unknown proxy": False, "workers": False}


def serve_at(base_url: str, proxies: int, *, workers: bool = False) -> None:
    """Set the server's address, the number of proxies in front of it, and whether workers run the campaigns."""
    _served["at"] = base_url
    _served["workers"] = workers
    _served["unknown proxy"] = base_url.startswith("https://") and not proxies  # `serve` itself speaks plain http


def has_unknown_proxy() -> bool:
    """Return whether there must be a reverse proxy that no setting names."""
    return bool(_served["unknown proxy"])


def needs_worker() -> bool:
    """Return whether campaigns run in worker processes (OVERTURE_ENGINE=procrastinate), not in the web server's."""
    return bool(_served["workers"])


def is_public(url: str = "") -> bool:
    """Return whether recipients can open pages at the address, by default ours: https, and no private network's."""
    parts = urlsplit(url or str(_served["at"]))
    host = parts.hostname or ""
    try:
        return parts.scheme == "https" and ip_address(host).is_global
    except ValueError:
        return parts.scheme == "https" and "." in host and not host.endswith(INSIDE)


def no_links(mails: Iterable[object]) -> str:
    """Return NO_LINKS if any of `mails` is true and recipients can't open our pages; else ''."""
    return NO_LINKS if any(mails) and not is_public() else ""


def address(path: str) -> str:
    """Return the public address of a page."""
    return str(_served["at"]).rstrip("/") + path
