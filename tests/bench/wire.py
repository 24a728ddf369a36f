"""An HTTP client that costs little, so that it is the server that is measured: a few connections, requests in turn."""

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class Wire:
    """Some open connections to one server."""

    def __init__(self, port: int, connections: int = 8) -> None:
        self._sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
        for each in self._sockets:
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *problem: object) -> None:
        for each in self._sockets:
            each.close()

    def rate(self, request: bytes, count: int) -> float:
        """Requests a second, all connections busy."""
        return self.rate_of(lambda: request, count)

    def rate_of(self, make: Callable[[], bytes], count: int) -> float:
        """The same with requests that differ."""
        rounds = max(1, count // len(self._sockets))
        began = time.perf_counter()
        for _ in range(rounds):
            for each in self._sockets:
                each.sendall(make())
            for each in self._sockets:
                answer(each)
        return rounds * len(self._sockets) / (time.perf_counter() - began)

    def took(self, request: bytes) -> float:
        """The milliseconds of one request, alone on its connection."""
        began = time.perf_counter()
        self.ask(request)
        return (time.perf_counter() - began) * 1000

    def ask(self, request: bytes) -> bytes:
        """The body of the answer."""
        self._sockets[0].sendall(request)
        return answer(self._sockets[0])


def waits(port: int, sent: bytes, clients: int, count: int) -> list[float]:
    """The milliseconds that each of so many calls took, when so many clients call one after the other."""

    def client(_: int) -> list[float]:
        with Wire(port, connections=1) as own:
            return [own.took(sent) for _ in range(count // clients)]

    with ThreadPoolExecutor(clients) as threads:
        return [each for taken in threads.map(client, range(clients)) for each in taken]


def request(path: str, key: str = "", body: bytes | None = None, cookie: str = "") -> bytes:
    """The bytes of a GET, or of a POST of JSON."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if cookie:
        lines.append(f"Cookie: {cookie}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def answer(connection: socket.socket) -> bytes:
    """The body of the next answer, which must be a success."""
    received = connection.recv(1 << 18)
    while (end := received.find(b"\r\n\r\n")) < 0:
        received += _more(connection)
    head, body = received[:end], received[end + 4 :]
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    parts, missing = [body], length - len(body)
    while missing > 0:
        parts.append(_more(connection))
        missing -= len(parts[-1])
    assert head[9:12] in (b"200", b"201"), received[:2000]
    return b"".join(parts)


def _more(connection: socket.socket) -> bytes:
    part = connection.recv(1 << 18)
    assert part, "The server closed the connection."
    return part
