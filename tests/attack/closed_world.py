"""A network of our own, in which every address there is leads to us: whatever Overture calls is written down.

`test_ways_out.py` runs it in namespaces of its own, as `python -m tests.attack.closed_world FOLDER PRIVATE`: it needs
no rights and changes nothing outside. PRIVATE is `OVERTURE_ALLOW_PRIVATE_NETWORK`. Every way to a host that a member or
a stranger can name is asked for every host, and what was reached is printed as JSON.
"""

import json
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import dns.message
import dns.rdatatype
import dns.rrset
from flask import current_app

from app import config, create_app, ports
from app.core import migrations
from app.ports import AccountRef, Credentials, Notice, ProviderError, SignalQuestion
from app.providers.mail.connections import SMTP_PORTS, MailConnection, Rules

PUBLIC = "93.184.215.14"
PORTS = (25, 53, 80, 143, 443, 465, 587, 993, 2525, 8080, 8443)

LITERALS = """
127.0.0.1 127.1.2.3 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.254 192.168.1.1 100.64.0.1 0.0.0.0 0.1.2.3
169.254.169.254 169.254.0.1 168.63.129.16 100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1
192.88.99.1 224.0.0.1 240.0.0.1 255.255.255.255
2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 127.1 127.0.1 0x7f.1 127.0.0.1. 127.000.000.001 ::ffff:7f00:1
[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1]
[64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fe80::1%25lo] [fd00::1] [fc00::1]
[fd00:ec2::254] [fec0::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1]
１２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.① ⑯⑨.254.169.254
localhost LOCALHOST localhost. a.localhost db.internal printer.local router.lan intranet metadata.google.internal
""".split()

# What names of ours lead to; a list within is one answer after the other.
NAMES: Mapping[str, list[list[str]]] = {
    "public.attack.example": [[PUBLIC]],
    "private.attack.example": [["10.0.0.5"]],
    "loop.attack.example": [["127.0.0.1"]],
    "cloud.attack.example": [["169.254.169.254"]],
    "nowhere.attack.example": [["0.0.0.0"]],
    "shared.attack.example": [["100.64.0.7"]],
    "six.attack.example": [["::1"]],
    "unique.attack.example": [["fd00::7"]],
    "link.attack.example": [["fe80::7"]],
    "mapped.attack.example": [["::ffff:10.0.0.5"]],
    "translated.attack.example": [["64:ff9b::a00:5"]],
    "mixed.attack.example": [[PUBLIC, "10.0.0.5"]],
    "both.attack.example": [[PUBLIC, "::1"]],
    "turning.attack.example": [[PUBLIC], ["127.0.0.1"]],
}

# Addresses that say one host to one reader and another to the next; `{}` is the one that must not be reached.
TRICKS = r"""
http://{public}@{}/ http://{public}:80@{}/ http://{}#@{public}/ http://{}\@{public}/ http://{public}\@{}/
http://{public}%00.{}/ http://{}%2f@{public}/ http:{}/ http:///{}/ //{}/ http://{}:80{tab}/ http://{}{line}/ http://[{}]/
https://{}:443/ http://{}:25/ http://{}:6379/ ftp://{}/ gopher://{}:6379/_INFO file:///etc/passwd dict://{}:11211/
http://{public}/{line}Host:{}/ http://{}?.{public}/ http://{}/.{public}/ HtTp://{}/ http://{public}/refresh
""".split()
SAID = {"{public}": "public.attack.example", "{tab}": "\t", "{line}": "\n", "{}": "127.0.0.1"}

NOTICE = Notice("test", "A title", ("A line",), "/")
Way = Callable[[str], object]


class World:
    """Every port of every address, and the names."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, int]] = []
        self._asked: Counter[str] = Counter()
        self._redirect = ""
        for port in PORTS:
            for family, everywhere in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
                listening = socket.socket(family)
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listening.bind((everywhere, port))
                listening.listen(64)
                threading.Thread(target=self._serve, args=(listening,), daemon=True).start()
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("0.0.0.0", 53))
        threading.Thread(target=self._name, args=(names,), daemon=True).start()

    def begin(self, redirect: str = "") -> None:
        """Nothing has been reached yet; the public website sends everyone to that address, or shows a page."""
        self.reached, self._redirect = [], redirect
        self._asked.clear()

    def _serve(self, listening: socket.socket) -> None:
        while True:
            connection, _ = listening.accept()
            address, port = connection.getsockname()[:2]
            self.reached.append((address, port))
            with connection, suppress(OSError):
                connection.settimeout(1)
                if (address, port) == (PUBLIC, 80):
                    connection.sendall(self._page(connection.recv(4096)))

    def _page(self, asked: bytes) -> bytes:
        if self._redirect:
            head = f"HTTP/1.1 302 Found\r\nLocation: {self._redirect}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            return head.encode("utf-8", "replace")
        inside = "http://10.0.0.5"
        words = " ".join(["We repair wind turbines for the people who own them."] * 30)
        sent_on = f"<meta http-equiv=refresh content='0;url={inside}/b'>" if b"/refresh" in asked else ""
        page = (
            f"<html><head><title>Turbines</title><link rel=stylesheet href={inside}/a.css><link rel=canonical"
            f" href={inside}/>{sent_on}<base href={inside}/></head><body>"
            f"<h1>Turbines</h1><p>{words}</p><a href={inside}/about>About us</a><a href=/pricing>Pricing</a>"
            f"<iframe src={inside}/c></iframe><img src={inside}/d.png></body></html>"
        ).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + page

    def _name(self, names: socket.socket) -> None:
        while True:
            wire, sender = names.recvfrom(4096)
            question = dns.message.from_wire(wire)
            answer = dns.message.make_response(question)
            asked = question.question[0]
            name = asked.name.to_text(omit_final_dot=True).lower()
            kind = dns.rdatatype.to_text(asked.rdtype)
            answers = NAMES.get(name, [[]])
            now = answers[min(self._asked[name + kind], len(answers) - 1)]
            self._asked[name + kind] += 1
            fitting = [one for one in now if (":" in one) == (kind == "AAAA")]
            if fitting and kind in ("A", "AAAA"):
                answer.answer.append(dns.rrset.from_text(asked.name, 0, "IN", kind, *fitting))
            names.sendto(answer.to_wire(), sender)


def main(folder: Path, private: str) -> None:
    """Ask every way for every host; print what was reached, and what was neither refused nor unreachable."""
    _leads_to_us(folder)
    world = World()
    url = f"sqlite:///{folder / 'overture.db'}"
    migrations.upgrade(url)
    settings = {
        "DATABASE_URL": url,
        "SECRET_KEY": "a key for tests, as long as a key must be",
        "OVERTURE_INSTANCE": str(folder),
        "OVERTURE_LOG_LEVEL": "error",
        "OVERTURE_BACKUP": "off",
        "OVERTURE_ALLOW_PRIVATE_NETWORK": private,
        "OVERTURE_UNIPILE_HOSTS": ",".join([*NAMES, *LITERALS]),  # so that this list is not what refuses them
    }
    app = create_app(**config.load(settings))
    found: dict[str, dict[str, list[object]]] = {"public": {}, "inside": {}, "odd": {}}
    tried = 0
    with app.app_context():
        for way, ask in WAYS.items():
            for address, redirect in _asked_of(way):
                world.begin(redirect)
                tried += 1
                try:
                    ask(address)
                except ProviderError:
                    pass
                except Exception as problem:  # noqa: BLE001 whatever it is, it is told
                    found["odd"].setdefault(way, []).append(f"{address}: {problem!r}")
                reached = sorted(set(world.reached))
                if inside := [place for place in reached if place[0] != PUBLIC and place[1] != 53]:
                    found["inside"].setdefault(way, []).append([address, redirect, inside])
                found["public"].setdefault(way, []).extend(place for place in reached if place[0] == PUBLIC)
    found["public"] = {way: some for way, some in found["public"].items() if some}
    sys.stdout.write(json.dumps({**found, "tried": tried}))


def _leads_to_us(folder: Path) -> None:
    """Every address is this machine's, and whoever looks a name up asks us."""
    for command in ("link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo"):
        subprocess.run(["ip", *command.split()], check=True)
    told = folder / "resolv.conf"
    told.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", told, Path("/etc/resolv.conf").resolve()], check=True)


def _asked_of(way: str) -> list[tuple[str, str]]:
    """The addresses to ask that way for, each with what the public website redirects to meanwhile."""
    hosts = [*LITERALS, *NAMES]
    if way in HOSTS_ALONE:
        return [(host, "") for host in hosts]
    written = [f"{scheme}://{host}/" for host in hosts for scheme in ("http", "https")]
    for trick in TRICKS:
        for name, means in SAID.items():
            trick = trick.replace(name, means)
        written.append(trick)
    return [(one, "") for one in written] + [(f"http://{SAID['{public}']}/", one) for one in written]


def _mailbox(host: str) -> object:
    """Sign in at a mail server that a member names."""
    servers = {"imap_host": host, "imap_port": "993", "smtp_host": host, "smtp_port": "587"}
    settings = {**servers, "username": "ada", "password": "secret"}
    account = AccountRef(1, 1, "", "Ada", datetime.now(UTC), "ada@attack.example", settings=settings)
    return ports.sender("smtp").status(account)


def _outbox(host: str) -> object:
    """Connect as a mailbox does to send."""
    rules = Rules(allow_private=current_app.config["OVERTURE_ALLOW_PRIVATE_NETWORK"])
    with MailConnection(host, 587, SMTP_PORTS, rules, time.monotonic() + 5) as connection:
        return connection.open()


def _company(address: str) -> object:
    question = SignalQuestion("techStack", datetime.now(UTC), domain=urlsplit(address).netloc or address)
    return ports.public_signals().look_up(question)


WAYS: Mapping[str, Way] = {
    "website": lambda address: ports.site_reader().read(address, lambda page, read: None),
    "proof": lambda address: ports.site_proof().holds(address, "mark"),
    "webhook": lambda address: ports.webhook_client().post(address, {}, b"{}"),
    "chat": lambda address: ports.chats().post(address, NOTICE),
    "unipile": lambda address: ports.service("unipile").check(
        Credentials("unipile", {"base_url": address, "api_key": "key"})
    ),
    "company": _company,
    "inbox": lambda host: _mailbox(host.strip("[]")),
    "outbox": lambda host: _outbox(host.strip("[]")),
}
HOSTS_ALONE = ("company", "inbox", "outbox")

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
