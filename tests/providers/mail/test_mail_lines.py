"""Connections to mail servers: encrypted or not made, to vetted addresses only, and never longer than allowed."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask

from app.ports import AccountRef, LoggedOut, PersonRef, SenderAction, Unreachable
from app.providers.addresses import Place
from app.providers.mail import MailSystem
from app.providers.mail.connections import SMTP_PORTS, MailConnection, Rules
from app.providers.mail.smtp import SmtpSender
from tests.providers.mail.mailservers import Post, Servers, certificate_of, with_tls

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ACTION = SenderAction("email", PersonRef("ada", email="ada@people.example"), "f" * 32, "Hello", "Hi")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of localhost that no one has signed, with its key in the same file."""
    return certificate_of(("localhost",), tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def post(certificate: Path) -> Post:
    return Post(tls=with_tls(certificate))


@pytest.fixture
def servers(post: Post) -> Iterator[Servers]:
    running = Servers(post)
    yield running
    running.close()


@pytest.fixture
def account(app: Flask, servers: Servers) -> AccountRef:
    login = servers.login(smtp_host="localhost", imap_host="localhost")
    return AccountRef(1, 1, "ines@acme.example", "Ines", AT, address="ines@acme.example", settings=login)


def here(host: str, port: int) -> list[Place]:
    return [("127.0.0.1", port)]


def test_encryption_is_used_and_certificates_are_checked(account: AccountRef, certificate: Path, post: Post) -> None:
    """Where a server offers encryption it is used, and its certificate must be valid for its name. In a private network
    too, the password is not told to whoever answers."""
    with pytest.raises(LoggedOut, match="certificate of localhost"):
        MailSystem(Rules(True, resolve=here)).status(account)
    assert post.sign_ins == 0
    rules = Rules(True, lambda: ssl.create_default_context(cafile=str(certificate)), here)
    MailSystem(rules).act(account, ACTION)
    assert len(post.taken) == 1
    other = replace(account, settings={**account.settings, "smtp_host": "other.example"})
    with pytest.raises(LoggedOut, match=r"certificate of other\.example"):
        MailSystem(rules).status(other)


def test_nothing_is_said_in_the_open(account: AccountRef, post: Post) -> None:
    """A server without encryption is not signed in to, unless it is in a private network."""
    line = MailConnection("smtp.example.com", 587, SMTP_PORTS, Rules(), time.monotonic() + 5)
    with line, pytest.raises(LoggedOut, match="STARTTLS"):
        line.require_encryption(False)
    post.tls = None
    MailSystem(Rules(True, resolve=here)).status(account)
    assert post.sign_ins == 1


def test_inner_addresses_and_other_ports_are_not_called(account: AccountRef, post: Post) -> None:
    """A mailbox is no way to look around: whatever the name says, one bad address among good ones is enough."""
    login = {**account.settings, "imap_host": "imap.example.com", "imap_port": "993"}
    for address in ("127.0.0.1", "10.0.0.8", "169.254.169.254", "::1"):
        several = [("93.184.216.34", 993), (address, 993)]
        with pytest.raises(Unreachable, match="not on the public internet"):
            MailSystem(Rules(resolve=lambda *_, found=several: found)).status(replace(account, settings=login))
        with pytest.raises(Unreachable, match="public internet"):
            MailSystem(Rules()).status(replace(account, settings={**login, "imap_host": address}))
    for port in ("22", "6379", "587"):
        with pytest.raises(Unreachable, match="Use one of 993, 143"):
            MailSystem(Rules(resolve=here)).status(replace(account, settings={**login, "imap_port": port}))


def test_a_server_that_drips_is_cut_off(account: AccountRef) -> None:
    """The whole call ends in time, however slowly something comes."""
    listening = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def drip() -> None:
        connected, _ = listening.accept()
        with connected:
            while not over.wait(0.1):
                try:
                    connected.sendall(b"x")
                except OSError:
                    return

    threading.Thread(target=drip, daemon=True).start()
    login = {**account.settings, "imap_port": str(listening.getsockname()[1])}
    begun = time.monotonic()
    with pytest.raises(Unreachable):
        MailSystem(Rules(True, resolve=here), whole_call=0.8).status(replace(account, settings=login))
    assert time.monotonic() - begun < 30
    over.set()
    listening.close()


def test_a_connection_lost_amid_the_message_sent_nothing(account: AccountRef, post: Post) -> None:
    post.tls, post.drop_at = None, "body"
    port = int(account.settings["smtp_port"])
    with MailConnection("localhost", port, SMTP_PORTS, Rules(True, resolve=here), time.monotonic() + 20) as line:
        outbox = SmtpSender(line, "ines", "an app password", "acme.example")
        outbox.sign_in()
        with pytest.raises(Unreachable):
            outbox.hand_over("ines@acme.example", "ada@people.example", (b"x" * 70 + b"\r\n") * 400_000)
        outbox.close()
    assert post.taken == []
