"""Pools of connections that go to checked addresses only."""

import socket
import threading

from app.providers.addresses import look_up
from app.providers.http.pinned import PinnedPools
from tests.support.receivers import Wire, read_request


def test_connections_are_kept_no_longer_than_their_life() -> None:
    """A name may lead elsewhere by then, and idle connections must not pile up."""

    def answers(connection: socket.socket, over: threading.Event) -> None:
        while read_request(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    for life, connections in ((60.0, 1), (0.0, 3)):
        server = Wire(answers)
        pools = PinnedPools(True, look_up, life=life)
        assert [pools.request("GET", server.url).status for _ in range(3)] == [200] * 3
        assert server.connections == connections
        server.stop()
