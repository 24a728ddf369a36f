"""What servers do with a connection, well and badly."""

import socket
import threading
from collections.abc import Callable

from tests.support.receivers import Wire, read_request

Script = Callable[[socket.socket, threading.Event], None]
Serve = Callable[[Script], Wire]
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def says(*answers: bytes) -> Script:
    """Reads a request and gives an answer, as often as there are answers, then closes."""

    def script(connection: socket.socket, over: threading.Event) -> None:
        for answer in answers:
            if read_request(connection):
                connection.sendall(answer)

    return script


def drips(begin: bytes) -> Script:
    """Answers one byte at a time, without end."""

    def script(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(begin)
        while not over.wait(0.02):
            connection.sendall(b"x")

    return script
