"""Mail servers that say anything at all: every call ends in a result or in a sentence."""

import random
import re
import socket
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from app.ports import AccountRef, PersonRef, SenderAction
from app.providers.mail import MailSystem
from app.providers.mail.connections import Rules
from tests.attack.lying import SEED, TIMES, Verdict
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable

TURNS = TIMES // 3  # a server that says nothing more takes seconds
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = PersonRef("ada", first_name="Ada", email="ada@people.example")
LINES = [
    *(b"", b"*", b"* ", b"* OK", b"* BYE", b"+", b"+ ", b"* 1", b"* 1 FETCH", b"* 1 FETCH (", b"* 1 FETCH (UID x)"),
    *(b"* SEARCH x 7", b"* SEARCH -1", b"* SEARCH 99999999999999999999", b"* LIST", b"* LIST () NIL", b"* CAPABILITY"),
    *(b"* OK [UIDNEXT x]", b"* OK [UIDVALIDITY ", b"* FLAGS (" + b"\\x " * 2000, b'* LIST (\\Sent) "/" {3}'),
    *(b"* 1 FETCH (UID 7 BODY[] {5}\r\nabc", b"* 1 FETCH (UID 7 BODY[] {-5}", b"A" * 5000, b"\xff\xfe\x00"),
    *(b"NO", b"BAD", b"250", b"250-", b"999 x", b"-1", b"500 5.5.1"),
]  # fmt: skip


class Bent:
    """A server before another one: what that says is changed as chance has it, line by line."""

    def __init__(self, port: int) -> None:
        self.chance: random.Random | None = None
        bent = self

        class Between(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with socket.create_connection(("127.0.0.1", port)) as behind, suppress(OSError):
                    threading.Thread(target=bent._pass_on, args=(self.request, behind), daemon=True).start()
                    for line in behind.makefile("rb"):
                        self.request.sendall(bent._said(line))
                with suppress(OSError):
                    self.request.shutdown(socket.SHUT_RDWR)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Between)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @staticmethod
    def _pass_on(asking: socket.socket, behind: socket.socket) -> None:
        with suppress(OSError):
            while heard := asking.recv(65536):
                behind.sendall(heard)
            behind.shutdown(socket.SHUT_RDWR)

    def _said(self, line: bytes) -> bytes:
        chance = self.chance
        if chance is None or chance.random() > 0.12:
            return line
        kind = chance.random()
        if kind < 0.25:
            return chance.choice(LINES) + b"\r\n" + line
        if kind < 0.4:
            return chance.choice(LINES) + b"\r\n"
        if kind < 0.6:
            odd = chance.choice([b"0", b"-1", b"99999999999999999999", b"x", b"", b"7 7", "²".encode()])
            return re.sub(rb"\d+", lambda _: odd, line, count=1)
        if kind < 0.75:
            return line[: chance.randrange(len(line) + 1)] + b"\r\n"
        if kind < 0.9:
            at = chance.randrange(len(line) + 1)
            return line[:at] + bytes(chance.choices(range(256), k=chance.randint(1, 8))) + line[at:]
        raise ConnectionResetError

    def close(self) -> None:
        """No one answers any more."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(params=["ours", "server"])
def post(request: pytest.FixtureRequest) -> Post:
    """A mailbox; copies are ours to keep, or the server's."""
    return Post(saves=request.param == "server")


@pytest.fixture
def bent(servers: Servers) -> Iterator[dict[str, Bent]]:
    """Both servers, bent."""
    made = {"smtp": Bent(servers.smtp_port), "imap": Bent(servers.imap_port)}
    yield made
    for one in made.values():
        one.close()


def test_whatever_a_mail_server_says_ends_in_a_result_or_a_sentence(
    app: Flask, clock: Movable, servers: Servers, post: Post, bent: dict[str, Bent]
) -> None:
    """Reading, looking up, sending, signing in, seven calls each time."""
    settings = servers.login(**{f"{name}_port": str(one.port) for name, one in bent.items()})
    account = AccountRef(1, 1, "ines@acme.example", "Ines", AT, address="ines@acme.example", settings=settings)
    network = MailSystem(Rules(allow_private=True), whole_call=3)
    begun = network.inbound(account, "").cursor
    for number in range(5):
        post.arrives("Ada <ada@people.example>", f"Yes, gladly {number}.", at=AT + timedelta(minutes=number))
    later, verdict = replace(account, at=AT + timedelta(hours=1)), Verdict()
    for time in range(TURNS):
        letter = SenderAction("email", ADA, f"{time:032x}", text="Dear Ada", subject="A question", intended_at=AT)
        calls = {
            "inbound": lambda: network.inbound(later, begun),
            "first look": lambda: network.inbound(later, ""),
            "act": lambda letter=letter: network.act(later, letter),
            "find": lambda letter=letter: network.find(later, letter),
            "act again": lambda letter=letter: network.act(later, letter),
            "status": lambda: network.status(later),
            "signature": lambda: network.signature(later),
        }
        for name, call in calls.items():
            for server, one in bent.items():
                one.chance = random.Random(f"{SEED} {time} {name} {server}")
            verdict.hear(name, call)  # type: ignore[arg-type]
    sys.stdout.write(f"\n{TURNS * 7} calls, {verdict.told} refused in a sentence; SEED={SEED}\n")
    assert not verdict.odd, dict(verdict.odd)
    assert verdict.told > TURNS
