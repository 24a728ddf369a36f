"""Addresses of a desk, such as info@, which reach several people."""

import tomllib
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("role_addresses.toml")


def is_role(address: str) -> bool:
    """Return whether the address, or the part before its @, is that of a desk, not of a person."""
    name = address.partition("@")[0].partition("+")[0]
    return name.translate(str.maketrans("", "", ".-_")).lower() in _roles()


@cache
def _roles() -> frozenset[str]:
    return frozenset(tomllib.loads(_FILE.read_text())["roles"].split())
