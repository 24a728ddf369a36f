"""The web server and the engine as one process that stops cleanly, and the engine alone."""

import errno
import gc
import signal
from typing import Any

import click
from flask import Flask

from app import engines, health, is_data, metrics
from app.api.framework.load_shedding import NEVER_SHED, PATIENT, Refusals
from app.core.errors import Unavailable
from app.core.http_server import WebServer
from app.core.outside_slots import REPLACE

OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)  # what another port would mend; all else is the host's


def serve(app: Flask) -> None:
    """Answer on the address of the settings until SIGTERM; running requests and units are finished first."""
    settings = app.config
    try:
        server = WebServer(
            app,
            settings["OVERTURE_HOST"],
            settings["PORT"],
            settings["OVERTURE_THREADS"],
            kept=NEVER_SHED,
            patient=PATIENT,
            refuse=Refusals(app, is_data),
            max_request_body_size=settings["MAX_CONTENT_LENGTH"],
            clear_untrusted_proxy_headers=not settings["OVERTURE_TRUSTED_PROXIES"],
        )
    except OSError as problem:
        where = f"{settings['OVERTURE_HOST']}:{settings['PORT']}"
        option = "--port" if problem.errno in OF_THE_PORT else "--host"
        raise Unavailable(f"Cannot listen on {where}: {problem.strerror}.", f"Choose another with {option}.") from None
    app.extensions[REPLACE] = server.replace
    engine = engines.for_web(app)
    metrics.serve(app)
    freeze_gc()
    _on_stop(_exit)
    try:
        if engine:
            app.extensions["engine"] = engine
            engine.start()
        click.echo(f"Overture is running at {settings['BASE_URL']} (Ctrl-C stops it).")
        server.run()
    finally:
        if engine:
            engine.stop()
        server.close()


def work(app: Flask, queues: tuple[str, ...], concurrency: int) -> None:
    """Run the engine without a web server until SIGTERM, and finish the units under way."""
    engine = engines.for_worker(app, queues, concurrency)
    app.extensions["engine"] = engine
    health.serve(app)
    metrics.serve(app)
    freeze_gc()
    _on_stop(_exit)
    engine.run(lambda: click.echo("Overture is running in the background (Ctrl-C stops it)."))


def freeze_gc() -> None:
    """Freeze all objects loaded so far and collect the rest rarely: it costs a fifth of the engine's time.

    Python's default is one collection for every 700 new objects, of which one row read from the database is several.
    """
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def _exit(*_: Any) -> None:
    _on_stop(signal.SIG_DFL)  # a second signal does not wait
    raise SystemExit


def _on_stop(reaction: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, reaction)
