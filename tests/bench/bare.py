"""A bare Flask application with the driver alone, under our server: `python -m tests.bench.bare PORT FILE LIST`."""

import sys
import threading
from pathlib import Path

from flask import Flask, Response, request

from app.core.http_server import WebServer
from tests.bench import raw, stock

CONSTANT = b'{"id":1,"name":"Long","type":"people","leadCount":1000000,"createdAt":"2026-03-02T09:00:00Z"}'


def application(file: Path, list_id: int) -> Flask:
    """Two routes: a constant, and a page of leads by the raw query."""
    app, mine = Flask(__name__), threading.local()

    @app.get("/constant")
    def constant() -> Response:
        return Response(CONSTANT, content_type="application/json")

    @app.get("/page")
    def page() -> Response:
        if not hasattr(mine, "connection"):
            mine.connection = stock.connect(file)
        wanted = request.args
        body = raw.page(mine.connection, list_id, int(wanted["after"]), int(wanted["limit"]))
        return Response(body, content_type="application/json")

    return app


if __name__ == "__main__":
    answering = application(Path(sys.argv[2]), int(sys.argv[3]))
    server = WebServer(answering, "127.0.0.1", int(sys.argv[1]), threads=4, at_once=1)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    server.run()
