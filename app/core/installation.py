"""What is installed: its version, its address, and where its templates, static files and migrations are."""

from pathlib import Path
from typing import Any

VERSION = "0.2.0"  # the package has it from here; CHANGELOG.md and the clients name the same

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries these folders inside the package; in a checkout they stand beside it.
ROOT = _PACKAGE if (_PACKAGE / "migrations").is_dir() else _PACKAGE.parent


NO_PROXIES = (
    "BASE_URL is https, so there is a reverse proxy, but OVERTURE_TRUSTED_PROXIES is 0, so all visitors"
    " seem to share one IP address."
)
SET_PROXIES = "Set OVERTURE_TRUSTED_PROXIES=1, or to the number of proxies in front."

_served: dict[str, Any] = {"at": "", "unknown proxy": False, "workers": False}


def serve_at(base_url: str, proxies: int, *, workers: bool = False) -> None:
    """Use this as the address of the server, with so many proxies in front; `workers` run campaigns beside it."""
    _served["at"] = base_url
    _served["workers"] = workers
    _served["unknown proxy"] = base_url.startswith("https://") and not proxies  # `serve` itself speaks plain http


def has_unknown_proxy() -> bool:
    """Return whether there must be a reverse proxy that no setting names."""
    return bool(_served["unknown proxy"])


def needs_worker() -> bool:
    """Return whether campaigns run in workers, as with OVERTURE_ENGINE=procrastinate, and not beside the web server."""
    return bool(_served["workers"])


def address(path: str) -> str:
    """Return the public address of a page."""
    return str(_served["at"]).rstrip("/") + path
