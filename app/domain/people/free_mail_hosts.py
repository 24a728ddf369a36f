"""Mail hosts whose addresses say nothing about a company: free ones, internet providers, alumni clubs, throwaways."""

import re
from pathlib import Path

from disposable_email_domains import blocklist

# Brands with a host in many countries, such as yahoo.co.jp, gmx.at and hotmail.it.
_BRANDS = re.compile(
    r"(?:aol|fastmail|gmail|gmx|googlemail|hotmail|lycos|msn|outlook|posteo|protonmail|rediffmail|rocketmail|tiscali"
    r"|tutamail|tutanota|wanadoo|windowslive|yahoo|yandex|ymail)\.[a-z]{2,4}(?:\.[a-z]{2})?"
)
HOSTS = frozenset(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split())
_ALUMNI = frozenset(("alum", "alumni", "alumnos", "alumno"))


def company_host(address: str) -> str:
    """Return the host of an address; '' for one whose addresses say nothing about a company."""
    host = address.rpartition("@")[2]
    return "" if is_free(host) else host


def is_free(host: str) -> bool:
    """Return whether people of many companies have an address at this host."""
    labels = host.split(".")
    hosts = [".".join(labels[start:]) for start in range(len(labels) - 1)]
    return not _ALUMNI.isdisjoint(labels) or any(
        one in HOSTS or one in blocklist or _BRANDS.fullmatch(one) for one in hosts
    )
