"""A Flask app that answers on a real socket of this machine, for as long as a test wants."""

import threading

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Writes no log."""

    def log(self, type: str, message: str, *arguments: object) -> None:
        """A test speaks for itself."""


class Serving:
    """Answers until it is stopped."""

    def __init__(self, app: Flask) -> None:
        self._server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
