"""The web server and the engine as one process that stops cleanly, and the engine alone."""

import ctypes
import errno
import gc
import os
import resource
import signal
import socket
import threading
import time
from typing import Any

import click
import waitress
from flask import Flask

from app import engines, health, load_shedding, metrics
from app.core import installation
from app.core.db import end_read
from app.core.errors import Unavailable
from app.domain.installation import engine_processes

OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)  # errors that another port avoids; other errors are about the host
MOST_CONNECTIONS = 2000  # hundreds of browsers keep theirs open
MOST_FILES = 8192  # many systems give a process 1,024, which connections alone would use up
SILENCE = 60  # seconds after which a connection that sends nothing is closed
WATCH = 0.5  # seconds between two checks for a signal
GLIBC_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
LAST_REQUESTS = 60  # seconds for those that run when the process is told to stop
LAST_ANSWERS = 1  # seconds for the last answers to reach those who asked


def serve(app: Flask) -> None:
    """Answer on the address of the settings until SIGTERM; running requests and units are finished first."""
    share_heaps()
    limiter: load_shedding.LoadLimiter = app.extensions[load_shedding.EXTENSION]
    server = waitress.create_server(
        app,
        sockets=_listen(app.config["OVERTURE_HOST"], app.config["PORT"]),
        threads=limiter.claim_threads(),
        connection_limit=min(MOST_CONNECTIONS, _allow_files() // 4),  # each may need a file for its body, too
        channel_timeout=SILENCE,
        max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
        clear_untrusted_proxy_headers=not app.config["OVERTURE_TRUSTED_PROXIES"],
        asyncore_use_poll=True,
        ident=None,
    )
    engine = engines.for_web(app)
    metrics.serve(app)
    freeze_gc()
    stopped = threading.Event()
    _on_stop(lambda *_: stopped.set())

    def answer() -> None:
        try:
            server.run()
        finally:
            stopped.set()

    # The thread serves until the process ends, so that the last responses are sent while the engine stops.
    answering = threading.Thread(target=answer, name="web server", daemon=True)
    try:
        if engine:
            app.extensions["engine"] = engine
            engine.start()
        click.echo(f"Overture is running at {app.config['BASE_URL']} (Ctrl-C stops it).")
        _say_idle(app)
        answering.start()
        while not stopped.wait(WATCH):  # with a timeout, to notice a signal that the system delivered to another thread
            pass
        any_ran = limiter.drain(LAST_REQUESTS)
    finally:
        if engine:
            engine.stop()
    if any_ran:
        time.sleep(LAST_ANSWERS)
    if not answering.is_alive():
        raise SystemExit("The web server crashed. The log says why.")


def _say_idle(app: Flask) -> None:
    """Log that campaigns wait, if they run in workers and no worker is running."""
    with app.app_context():
        if installation.needs_worker() and (idle := engine_processes.idle()):
            click.echo(idle)
            end_read()


def _listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of the host; raise Unavailable where that can't be."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        addresses = dict.fromkeys((family, address) for family, _, _, _, address in found)
        return [socket.create_server(address, family=family, backlog=1024) for family, address in addresses]
    except UnicodeError:  # a name that no host can have
        problem, option = "Name or service not known", "--host"
    except OSError as error:
        problem = str(error.strerror) if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        option = "--port" if error.errno in OF_THE_PORT else "--host"
    raise Unavailable(f"Cannot listen on {host}:{port}: {problem}.", f"Choose another value with {option}.")


def _allow_files() -> int:
    """Return how many files the process may open, after asking for enough."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def work(app: Flask, queues: tuple[str, ...], concurrency: int) -> None:
    """Run the engine without a web server until SIGTERM, and finish the units under way."""
    share_heaps()
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


def share_heaps() -> None:
    """Let all threads share two heaps where the C library is glibc: each heap keeps what it once held, some 20 MB."""
    allocator = getattr(ctypes.CDLL(None), "mallopt", None)
    if allocator is not None:
        allocator(GLIBC_ARENA_MAX, 2)


def _exit(*_: Any) -> None:
    raise SystemExit


def _on_stop(reaction: Any) -> None:
    """Call `reaction` at the first signal to stop; a second signal ends the process at once."""

    def stop(*given: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        reaction(*given)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
