"""Other web servers load `wsgi:app`, answer, and stop without an error in their logs."""

import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from tests.deploy.programs import read, until
from tests.support import processes

ROOT = Path(__file__).parents[2]
SERVERS = {
    "gunicorn": ("gunicorn", "wsgi:app", "--no-control-socket", "--threads", "2", "--bind", "127.0.0.1:{port}"),
    "granian": ("granian", "wsgi:app", "--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}"),
}


def answers(url: str) -> bool:
    """Whether the server has begun to answer."""
    try:
        return bool(read(url))
    except HTTPError:
        raise
    except URLError:
        return False


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_of_the_market_answers_and_stops_without_an_error(server: str, migrated: str, tmp_path: Path) -> None:
    port, log = processes.free_port(), tmp_path / "server.log"
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", *(word.format(port=port) for word in SERVERS[server])]
    env = processes.environment(migrated, tmp_path)
    with log.open("w") as output, subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output) as process:
        try:
            until(lambda: answers(f"{address}/healthz"), process, log)
            assert '"status":"ok"' in read(f"{address}/healthz")
            assert "<title>" in read(f"{address}/")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
    said = log.read_text()
    assert server in said.lower()
    assert not [line for line in said.splitlines() if "error" in line.lower() or "Traceback" in line], said
