"""An endpoint for webhooks that answers after some milliseconds: `python -m tests.bench.receiver PORT MILLISECONDS`."""

import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Receiver(asyncio.Protocol):
    """One connection, kept open; requests one after the other."""

    def __init__(self, delay: float) -> None:
        self._delay, self._buffer = delay, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Whole requests are answered when their time has come."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            start = head.find(b"content-length:") + len(b"content-length:")
            stop = head.find(b"\r\n", start)
            whole = end + 4 + int(head[start : stop if stop > 0 else None])
            if len(self._buffer) < whole:
                return
            self._buffer = self._buffer[whole:]
            if self._delay:
                asyncio.get_running_loop().call_later(self._delay, self._answer)
            else:
                self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(ANSWER)


async def main(port: int, delay: float) -> None:
    """Answers until it is ended."""
    server = await asyncio.get_running_loop().create_server(lambda: Receiver(delay), "127.0.0.1", port, backlog=512)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]) / 1000))
