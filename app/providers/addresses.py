"""SSRF protection: which addresses may be called. Uses our own lists, because the standard library calls some private
ones global.
"""

import ipaddress
import re
import socket
import threading
from collections.abc import Callable
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from app.ports import Refused, Unreachable

Verdict = Literal["public", "private", "never"]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Place = tuple[str, int]  # address and port
Resolve = Callable[[str, int], list[Place]]

LONGEST_URL, LOOK_UP = 2048, 3.0  # characters; seconds
PORTS = frozenset({80, 443, 8080, 8443})
PRIVATE = [
    ipaddress.ip_network(net)
    for net in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")
]
# What is reserved, documentation, multicast, a relay, or where clouds keep their keys.
NEVER_4 = [
    ipaddress.IPv4Network(net)
    for net in (
        "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4", "168.63.129.16/32", "100.100.100.200/32",
    )
]  # fmt: skip
GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
NEVER_6 = [ipaddress.IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
INNER_NAMES = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home", ".corp", ".home.arpa", ".localdomain")

_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]*|[0-9]+)")
_UNSAFE = re.compile(r"[^!-~]|[\\\"<>^`{|}]")


def verdict(address: Address) -> Verdict:
    """Return whether the address is public, private, or impossible for a receiver."""
    if isinstance(address, ipaddress.IPv6Address) and address in NAT64:
        return verdict(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if isinstance(address, ipaddress.IPv4Address) and any(address in net for net in NEVER_4):
        return "never"
    if any(address.version == net.version and address in net for net in PRIVATE):
        return "private"
    if isinstance(address, ipaddress.IPv4Address):
        return "public"
    return "public" if address in GLOBAL_6 and not any(address in net for net in NEVER_6) else "never"


def allowed(address: str, allow_private: bool) -> bool:
    """Return whether a socket may connect to that address, as the resolver wrote it."""
    try:
        found = verdict(ipaddress.ip_address(address))
    except ValueError:
        return False
    return found == "public" or (allow_private and found == "private")


def look_up(host: str, port: int) -> list[Place]:
    """Resolve all addresses of a host once, within a few seconds."""
    found: list[Place] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend((str(place[0]), port) for *_, place in answers)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(LOOK_UP)
    if asking.is_alive():
        raise Unreachable(f"The host name was not resolved within {LOOK_UP:.0f} seconds.")
    if not found:
        raise Unreachable("The host name does not exist.")
    return found


def places(host: str, port: int, *, allow_private: bool, resolve: Resolve = look_up) -> list[Place]:
    """Return the checked addresses of a host; raise Refused when one of them is not allowed."""
    found = resolve(host, port)
    if not all(allowed(address, allow_private) for address, _ in found):
        raise Refused("The host is not on the public internet.")
    return found


def split(url: str, allow_private: bool, *, plain: bool = False, any_port: bool = False) -> SplitResult:
    """Split a URL that may be called; raise Refused with a sentence otherwise. Looks nothing up.

    `plain` also allows http, for public content; `any_port` allows any port, for services that give each customer their
    own.
    """
    if not url or len(url) > LONGEST_URL:
        raise Refused(f"Use an address of 1 to {LONGEST_URL:,} characters.")
    if _UNSAFE.search(url):
        raise Refused("Use only characters allowed in a URL; percent-encode others and write the host as xn--….")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Refused("Invalid address. Use an address such as https://example.com/hooks.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("Use an address that begins with https://.")
    if parts.scheme == "http" and not (allow_private or plain):
        raise Refused("Use an address that begins with https://. Plain http is not encrypted.")
    if "@" in parts.netloc:
        raise Refused("Remove the user name and password. Requests are signed instead.")
    if "#" in url:
        raise Refused("Remove the part after #.")
    if port is not None and not (port in PORTS or ((allow_private or any_port) and port > 0)):
        raise Refused("Use port 443, 8443, 80 or 8080.")
    _check_host(parts, allow_private)
    return parts


def _check_host(parts: SplitResult, allow_private: bool) -> None:
    host = (parts.hostname or "").rstrip(".")
    if "[" in parts.netloc:
        literal: str | None = host
    else:
        if len(host) > 253 or not _HOST.fullmatch(host) or parts.netloc.endswith(":"):
            raise Refused("The host name is not valid.")
        literal = host if _NUMBER.fullmatch(host.rsplit(".", 1)[-1]) else None
    if literal is not None:
        try:
            ipaddress.ip_address(literal)
        except ValueError:
            raise Refused("The host name is not valid.") from None
        if not allowed(literal, allow_private):
            raise Refused("This address is not on the public internet.")
    elif not allow_private and ("." not in host or ("." + host).endswith(INNER_NAMES)):
        raise Refused("This host is not on the public internet.")
