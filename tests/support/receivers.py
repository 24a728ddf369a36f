"""Endpoints for tests: real servers that webhooks are delivered to, polite and otherwise."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Answer = int | tuple[int, dict[str, str], bytes]


@dataclass
class Received:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers 200, or what `answer` says for the request, and remembers everything."""

    def __init__(self, answer: Callable[[Received], Answer] | None = None) -> None:
        self.answer = answer or (lambda request: 200)
        self.requests: list[Received] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                request = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                receiver.requests.append(request)
                answer = receiver.answer(request)
                status, headers, content = answer if isinstance(answer, tuple) else (answer, {}, b"noted")
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST

            def log_message(self, format: str, *arguments: Any) -> None:
                """A test speaks for itself."""

        class Server(ThreadingHTTPServer):
            request_queue_size = 128  # with the usual 5, one of many connections at once waits a second or is lost

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """An endpoint on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


@dataclass
class Wire:
    """A server that does with each connection what `script` says; `over` is set when it should stop."""

    script: Callable[[socket.socket, threading.Event], None]
    wrap: Callable[[socket.socket], socket.socket] = lambda connection: connection
    connections: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self.over.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self.over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), self.wrap(connection) as wrapped:
            self.script(wrapped, self.over)


def read_request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            return received
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    length = int(lines[0].split(b":")[1]) if lines else 0
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def certificate(folder: Path, name: str) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    at = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(at - timedelta(days=1))
        .not_valid_after(at + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context
