"""The web server: waitress, with a loop that sends what its threads have answered, also at the end."""

import time
from typing import Any

import waitress
from waitress import wasyncore
from waitress.channel import HTTPChannel

IDLE_CONNECTIONS = 2000  # the default of 100 stalls when a hundred browsers keep their connection open
SENT_BY_THE_LOOP = 2**16  # bytes; a longer answer is sent by the thread that makes it
LAST_ANSWERS = 5  # seconds for what is answered at the end to reach slow readers


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection whose short answers are sent by the loop, once they are whole.

    As waitress has it, a thread sends what it writes while the loop finds the same socket writable again and again:
    both hand the interpreter's lock to each other a hundred times a request, which halves the requests a second.
    """

    def writable(self) -> bool:
        """There is something that `handle_write` would do now."""
        waiting = self.total_outbufs_len and (not self.requests or self.total_outbufs_len >= SENT_BY_THE_LOOP)
        return bool(waiting or self.will_close or self.close_when_flushed)


class WebServer:
    """Answers on its address with a WSGI application, from `run` until `stop`; an OSError says why it cannot."""

    def __init__(self, app: Any, host: str, port: int, threads: int, **more: Any) -> None:
        self._sockets: dict[int, Any] = {}
        self._ended = False
        try:
            server = waitress.create_server(
                app,
                self._sockets,
                host=host,
                port=port,
                threads=threads,
                connection_limit=IDLE_CONNECTIONS,
                ident=None,
                **more,
            )
        except OSError:
            self.close()
            raise
        self._threads = server.task_dispatcher
        # One for each address that the host's name has.
        self._listening = [each for each in self._sockets.values() if each.accepting]
        for each in self._listening:
            each.channel_class, each.adj.send_bytes = Channel, SENT_BY_THE_LOOP

    @property
    def port(self) -> int:
        """Where it listens; of interest when it was asked for any that is free."""
        return int(self._listening[0].effective_port)

    def queued(self) -> int:
        """How many requests wait for a thread."""
        return len(self._threads.queue)

    def run(self) -> None:
        """It answers until `stop`; then what is being answered is finished and sent."""
        while not self._ended:
            wasyncore.poll2(1.0, self._sockets)
        self._threads.shutdown()
        until = time.monotonic() + LAST_ANSWERS
        while self._unsent() and time.monotonic() < until:
            wasyncore.poll2(0.1, self._sockets)

    def stop(self) -> None:
        """`run` ends. A signal's handler and any thread may call it."""
        self._ended = True
        self._listening[0].pull_trigger()

    def close(self) -> None:
        """Nothing is connected any more, and the port is free. Not while it runs."""
        wasyncore.close_all(self._sockets)

    def _unsent(self) -> bool:
        return any(getattr(each, "total_outbufs_len", 0) for each in self._sockets.values())
