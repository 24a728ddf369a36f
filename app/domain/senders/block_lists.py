"""Whether block lists name a mailbox's domain, or the server that sends its emails."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from ipaddress import ip_address
from typing import NamedTuple

from app import ports
from app.ports import DomainRecords

MOST_ADDRESSES = 3  # of the server


class Answers(NamedTuple):
    """What the lists say: what is listed as (what, list, where to ask for removal), and which lists don't answer."""

    listed: Sequence[tuple[str, str, str]]
    asked: Sequence[str]
    silent: Sequence[str]


@cache
def _lists() -> Sequence[Mapping[str, str]]:
    table = tomllib.loads(resources.files(__package__).joinpath("block_lists.toml").read_text("utf-8"))
    return tuple(table["lists"])


def ask(records: DomainRecords, domain: str, server: str) -> Answers:
    """Ask every list about the domain or the server; one that fails is not asked again."""
    names = {"domain": [(domain, domain)], "server": list(_reversed(records, server)) if server else []}
    listed: list[tuple[str, str, str]] = []
    asked: list[str] = []
    silent: list[str] = []
    for one in _lists():
        about = names[one["of"]]
        try:
            found = {what: records.addresses(f"{name}.{one['zone']}") for name, what in about}
        except ports.ProviderError:
            silent.append(one["name"])
            continue
        bad = [what for what, answers in found.items() if any(re.fullmatch(one["listed"], each) for each in answers)]
        known = f"{one['listed']}|{one.get('policy', one['listed'])}"
        refused = any(not re.fullmatch(known, each) for answers in found.values() for each in answers)
        listed += [(what, one["name"], one["removal"]) for what in bad]
        if about:
            (silent if refused and not bad else asked).append(one["name"])
    return Answers(listed, asked, silent)


def _reversed(records: DomainRecords, server: str) -> Iterator[tuple[str, str]]:
    """Yield the name under which a list knows each address of the server, and what to call it."""
    for address in records.addresses(server)[:MOST_ADDRESSES]:
        name = ip_address(address).reverse_pointer.removesuffix(".in-addr.arpa").removesuffix(".ip6.arpa")
        yield name, f"{server} ({address})"
