"""Other web servers load `wsgi:app`, answer, and stop without an error in their logs."""

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from tests.support import processes

ROOT = Path(__file__).parents[2]
SERVERS = {
    "gunicorn": ("gunicorn", "wsgi:app", "--no-control-socket", "--threads", "2", "--bind", "127.0.0.1:{port}"),
    "granian": ("granian", "wsgi:app", "--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}"),
}


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_of_the_market_answers_and_stops_without_an_error(server: str, migrated: str, tmp_path: Path) -> None:
    port, log = processes.free_port(), tmp_path / "server.log"
    command = [sys.executable, "-m", *(word.format(port=port) for word in SERVERS[server])]
    env = processes.environment(migrated, tmp_path)
    with log.open("w") as output, subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output) as process:
        try:
            assert '"status":"ok"' in answered(f"http://127.0.0.1:{port}/healthz", process, log)
            assert "<title>" in answered(f"http://127.0.0.1:{port}/", process, log)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
    said = log.read_text()
    assert server in said.lower()
    assert not [line for line in said.splitlines() if "error" in line.lower() or "Traceback" in line], said


def answered(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """The body, as soon as the server answers."""
    while True:
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return str(answer.read().decode())
        except HTTPError:
            raise
        except URLError:
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(log.read_text()) from None
