"""The web server: waitress, which reads whole requests and buffers answers, so that slow clients hold up no thread."""

import socket
import time
from typing import Any

import waitress
from waitress import wasyncore

IDLE_CONNECTIONS = 2000  # the default of 100 stalls when a hundred browsers keep their connection open
LAST_ANSWERS = 5  # seconds for what is answered at the end to reach slow readers


class WebServer:
    """Answers on its address with a WSGI application; an OSError says why it cannot."""

    def __init__(self, app: Any, host: str, port: int, threads: int, **more: Any) -> None:
        self._connections: dict[int, Any] = {}
        try:
            self._server = waitress.create_server(
                app,
                self._connections,
                host=host,
                port=port,
                threads=threads,
                connection_limit=IDLE_CONNECTIONS,
                asyncore_use_poll=True,
                ident=None,
                **more,
            )
        except ValueError:  # all that waitress says of a host that has no address
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
        except OSError:
            self.close()
            raise

    def queued(self) -> int:
        """Return how many requests wait for a thread."""
        return len(self._server.task_dispatcher.queue)

    def run(self) -> None:
        """Answer until SystemExit is raised; then finish the requests that are being answered, and send the answers."""
        self._server.run()
        until = time.monotonic() + LAST_ANSWERS
        while self._unsent() and time.monotonic() < until:
            wasyncore.loop(timeout=0.1, use_poll=True, map=self._connections, count=1)

    def close(self) -> None:
        """Free the port, and close every connection."""
        wasyncore.close_all(self._connections)

    def _unsent(self) -> bool:
        return any(getattr(each, "total_outbufs_len", 0) for each in self._connections.values())
