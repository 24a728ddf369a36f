"""What is installed: its version, its address, and where its templates, static files and migrations are."""

from importlib import metadata
from pathlib import Path

VERSION = metadata.version("overture")

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries these folders inside the package; in a checkout they stand beside it.
ROOT = _PACKAGE if (_PACKAGE / "migrations").is_dir() else _PACKAGE.parent


_served = {"at": ""}


def serve_at(base_url: str) -> None:
    """Use this as the address of the server, in what is told outside of it."""
    _served["at"] = base_url


def address(path: str) -> str:
    """Return the public address of a page."""
    return _served["at"].rstrip("/") + path
