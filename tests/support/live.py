"""The web server of the product on a free port, serving whichever application the present test has."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import Any

import waitress
from flask import Flask

from tests.support.processes import free_port

NOT_SERVED = [b"No test is being served."]


class LiveServer:
    """One server for all tests of a worker; between tests it answers 503."""

    def __init__(self) -> None:
        self._app: Flask | None = None
        self._running = 0
        self._change = threading.Condition()
        port = free_port()
        self._server = waitress.create_server(self._answer, host="127.0.0.1", port=port, threads=8)
        self.url = f"http://127.0.0.1:{port}"
        threading.Thread(target=self._server.run, daemon=True).start()  # until the process ends

    @contextmanager
    def serving(self, app: Flask) -> Iterator[None]:
        """The server answers with that application; at the end it waits for what is still running."""
        with self._change:
            self._app = app
        yield
        with self._change:
            self._app = None
            self._change.wait_for(lambda: self._running == 0, timeout=120)

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self._change:
            app = self._app
            self._running += app is not None
        if app is None:
            start_response("503 Service Unavailable", [("Content-Type", "text/plain")])
            return NOT_SERVED
        try:
            answer = app.wsgi_app(environ, start_response)
            with closing(answer) if hasattr(answer, "close") else nullcontext(answer) as parts:
                return list(parts)
        finally:
            with self._change:
                self._running -= 1
                self._change.notify_all()
