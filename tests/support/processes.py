"""Real processes of the program: the `overture` command with settings of its own, and a server that can be killed."""

import atexit
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

OVERTURE = str(Path(sys.executable).with_name("overture"))
SECRET = "a key for tests, as long as a key must be"


def environment(url: str, folder: Path, **settings: str) -> dict[str, str]:
    """The settings of a process that works on that database, and on nothing else of this machine."""
    usual = {"DATABASE_URL": url, "SECRET_KEY": SECRET, "OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG": "text"}
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = own.get("PYTHONPYCACHEPREFIX") or _compiled()
    return {**own, "PYTHONPYCACHEPREFIX": compiled, **usual, **settings}


@cache
def _compiled() -> str:
    """A folder for compiled modules: without one every process would spend seconds on compiling again."""
    folder = tempfile.mkdtemp(prefix="overture-pyc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([OVERTURE, *arguments], env=env, capture_output=True, text=True, timeout=300)


@cache
def _ports() -> Iterator[int]:
    """Ports of this worker alone, below those that systems give to any connection: what is free now is so later."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 20_000 + worker % 12 * 1000
    return cycle(random.SystemRandom().sample(range(first, first + 1000), 1000))


def free_port() -> int:
    """A port no one listens on, until the caller does."""
    return next(filter(_is_free, _ports()))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Running:
    """A command that goes on until it is stopped; `ready` is the line it printed when it was."""

    def __init__(self, env: dict[str, str], *command: str) -> None:
        # Output that no one reads would fill its pipe and stop the process.
        self._log = (Path(env["OVERTURE_INSTANCE"]) / f"{uuid.uuid4().hex}.log").open("a")
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=self._log, text=True)
        assert self._process.stdout
        self.ready = self._process.stdout.readline().strip()
        if not self.ready:
            self.close()
            raise AssertionError(self.output)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        return Path(self._log.name).read_text()

    def signal(self, number: int = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ended(self, seconds: float = 300) -> int:
        status = self._process.wait(timeout=seconds)
        self.close()
        return status

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._log.close()
        if self._process.stdout:
            self._process.stdout.close()

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()


def serve(env: dict[str, str], port: int) -> Running:
    return Running(env, OVERTURE, "serve", "--port", str(port))
