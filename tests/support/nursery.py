"""Processes that begin with the application imported already: children of one that has nothing else to do.

To import it takes a process longer than most tests last, so that those that only want something to kill ask here.
A child is forked before anything was set up, runs its command as if it were started anew, and belongs to one test.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import weakref
from pathlib import Path
from threading import Lock
from typing import IO, Any

ROOT = Path(__file__).parents[2]
LONGEST = 1 << 17
LOADED = ("app.cli", "app.domain.operations.doctor", "app.engines.embedded", "app.mcp", "app.pages", "app.serve")


class Nursery:
    """The parent, asked over a socket. It ends with whoever made it."""

    def __init__(self, env: dict[str, str]) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno())]
        env = {**env, "PYTHONPATH": str(ROOT)}
        self._parent = subprocess.Popen(command, env=env, cwd=ROOT, pass_fds=[theirs.fileno()])
        self._asking = Lock()
        theirs.close()

    def bear(self, command: tuple[str, ...], env: dict[str, str], log: IO[str]) -> "Child":
        """A child that runs `python -m module …` or a script, and writes its errors to the log."""
        stdout, writes = os.pipe()
        life, lives = os.pipe()  # closed at their end when the child is gone
        try:
            pid = self.ask({"command": command, "env": env}, writes, log.fileno(), lives)
        finally:
            os.close(writes)
            os.close(lives)
        return Child(self, pid, os.fdopen(stdout), life)

    def ask(self, question: dict[str, Any], *files: int) -> Any:
        """What the parent answers."""
        with self._asking:
            socket.send_fds(self._socket, [json.dumps(question).encode()], files)
            return json.loads(self._socket.recv(LONGEST))

    def close(self) -> None:
        """It is gone, and so are its children."""
        self._socket.close()
        self._parent.wait()


class Child:
    """One of its children, as far as `subprocess.Popen` would tell."""

    def __init__(self, nursery: Nursery, pid: int, stdout: IO[str], life: int) -> None:
        self._nursery, self.pid, self.stdout, self._life = nursery, pid, stdout, life
        weakref.finalize(self, os.close, life)

    def poll(self) -> int | None:
        """Its exit status, once it has one."""
        status: int | None = self._nursery.ask({"pid": self.pid, "options": os.WNOHANG})
        return status

    def wait(self, timeout: float = 300) -> int:
        """Its exit status, when it has one."""
        if not select.select([self._life], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout)
        return int(self._nursery.ask({"pid": self.pid, "options": 0}))

    def send_signal(self, number: int) -> None:
        """It gets the signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """It is killed."""
        self.send_signal(signal.SIGKILL)


def _serve(asked: socket.socket) -> list[str]:
    """Answer until no one can ask any more. In a child: what it is to run."""
    ended: dict[int, int | None] = {}
    while True:
        said, files, _, _ = socket.recv_fds(asked, LONGEST, 3)
        if not said:
            for pid, status in ended.items():
                if status is None:
                    os.kill(pid, signal.SIGKILL)
            return []
        question = json.loads(said)
        if "pid" in question:
            answer: int | None = _look(ended, **question)
        else:
            answer = os.fork()
            if answer == 0:
                asked.close()
                _become(question["env"], *files[:2])
                return list(question["command"])
            ended[answer] = None
            for file in files:
                os.close(file)
        asked.send(json.dumps(answer).encode())


def _look(ended: dict[int, int | None], pid: int, options: int) -> int | None:
    """The exit status of a child that has ended, for as often as someone asks."""
    if ended[pid] is None:
        found, status = os.waitpid(pid, options)
        ended[pid] = os.waitstatus_to_exitcode(status) if found else None
    return ended[pid]


def _become(env: dict[str, str], stdout: int, stderr: int) -> None:
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)
    os.environ.clear()
    os.environ.update(env)


def _run(command: list[str]) -> None:
    """As the interpreter would."""
    if command[:2] == [sys.executable, "-m"]:
        sys.argv = command[2:]
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)
    elif command:
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    for name in LOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is there stays as it is, and is shared
    _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
