"""`overture serve` and `overture worker` as real processes: they answer, say whether they can, and stop cleanly."""

import json
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.support import processes
from tests.support.processes import Running

WAITS = """
import pathlib, signal, sys, threading
from app import create_app, serve

app = create_app(PORT=int(sys.argv[1]))
folder = pathlib.Path(sys.argv[2])

@app.get("/slow")
def slow():
    (folder / "began").write_text("")
    while not (folder / "go").exists():
        threading.Event().wait(0.02)
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            (folder / "stopping").write_text("")
    return "finished"

serve.serve(app)
"""


@pytest.fixture
def env(migrated: str, tmp_path: Path) -> dict[str, str]:
    """Settings on a migrated database."""
    return processes.environment(migrated, tmp_path)


def get(url: str) -> tuple[int, str]:
    """Status and body."""
    try:
        with urllib.request.urlopen(url, timeout=120) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


def until_there(file: Path, asking: threading.Thread) -> None:
    """Wait for the file that the request writes."""
    while not file.exists():
        assert asking.is_alive()
        asking.join(0.02)


def test_one_process_ends_with_status_0_on_an_interrupt(env: dict[str, str]) -> None:
    """As on SIGTERM, which tests/test_serve.py sends."""
    with processes.serve(env, processes.free_port()) as server:
        server.signal(signal.SIGINT)
        assert server.ended() == 0
        assert "Traceback" not in server.output


def test_what_is_loaded_is_not_searched_for_garbage(env: dict[str, str]) -> None:
    """Not by requests and not by ticks."""
    asked = "import gc; from app.serve import freeze_gc; freeze_gc(); print(gc.get_freeze_count(), *gc.get_threshold())"
    told = subprocess.run([sys.executable, "-c", asked], env=env, capture_output=True, text=True, check=True).stdout
    frozen, often, *_ = map(int, told.split())
    assert (frozen > 100_000, often) == (True, 20_000)


@pytest.mark.parametrize("signals", [1, 2])
def test_a_running_request_is_finished_unless_a_second_signal_comes(
    signals: int, env: dict[str, str], tmp_path: Path
) -> None:
    """SIGTERM cuts no one off; the second one does not wait."""
    port, answers = processes.free_port(), list[object]()

    def ask() -> None:
        try:
            answers.append(get(f"http://127.0.0.1:{port}/slow"))
        except OSError:
            answers.append("cut off")

    with Running(env, sys.executable, "-c", WAITS, str(port), str(tmp_path)) as server:
        asking = threading.Thread(target=ask)
        asking.start()
        until_there(tmp_path / "began", asking)
        server.signal()
        until_there(tmp_path / "stopping", asking)
        if signals == 2:
            server.signal()
        else:
            (tmp_path / "go").write_text("")
        assert server.ended() == (0 if signals == 1 else -signal.SIGTERM)
        asking.join(120)
    assert answers == ["cut off" if signals == 2 else (200, "finished")]


def test_a_worker_says_on_a_port_of_its_own_whether_it_is_well(env: dict[str, str]) -> None:
    """And nothing else there; without that port it has no web server at all. It stops on a signal."""
    with Running(env, processes.OVERTURE, "worker") as worker:
        worker.signal()
        assert worker.ended() == 0
    port = processes.free_port()
    with Running(env | {"OVERTURE_HEALTH_PORT": str(port)}, processes.OVERTURE, "worker") as worker:
        status, body = get(f"http://127.0.0.1:{port}/healthz")
        assert (status, json.loads(body)["status"], json.loads(body)["engine"]) == (200, "ok", "active")
        assert get(f"http://127.0.0.1:{port}/sign-in") == (404, "")
        taken = processes.run(env | {"OVERTURE_HEALTH_PORT": str(port)}, "worker")
        assert "Choose another OVERTURE_HEALTH_PORT" in taken.stdout + taken.stderr
        worker.signal()
        assert worker.ended() == 0


def test_without_its_schema_it_does_not_start_and_says_what_to_do(tmp_path: Path) -> None:
    """A half-working server would be worse."""
    refused = processes.run(processes.environment(f"sqlite:///{tmp_path / 'empty.db'}", tmp_path), "serve")
    assert refused.returncode == 2
    assert "overture db upgrade" in refused.stderr
    assert "Traceback" not in refused.stderr
