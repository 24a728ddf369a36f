"""`overture serve` as a real process: it starts, says whether it can work, and stops; tests/deploy has the rest."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from app import serve
from app.core.errors import Unavailable
from tests.support import processes


def test_a_server_answers_whether_it_is_well_and_ends_with_status_0_on_a_signal(migrated: str, tmp_path: Path) -> None:
    """Its port is its own: another server there is refused in a sentence, without a traceback."""
    env, port = processes.environment(migrated, tmp_path), processes.free_port()
    with processes.serve(env, port) as server:
        assert f"http://127.0.0.1:{port}" in server.ready
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=120) as answer:
            assert (answer.status, json.loads(answer.read())["status"]) == (200, "ok")
        refused = processes.run(env, "serve", "--port", str(port))
        server.signal()
        assert server.ended() == 0
        assert "Traceback" not in server.output
    assert refused.returncode == 2
    assert refused.stderr.strip().splitlines() == [
        f"Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another value with --port."
    ]


def test_a_host_that_is_not_ours_is_refused_in_a_sentence(make_app: Callable[..., Flask]) -> None:
    """Whether nothing has that name, or another machine."""
    for host, problem in [("no..host", "Name or service not known"), ("192.0.2.1", "Cannot assign requested address")]:
        port = processes.free_port()
        with pytest.raises(Unavailable) as refusal:
            serve.serve(make_app(OVERTURE_HOST=host, PORT=port))
        assert refusal.value.message == f"Cannot listen on {host}:{port}: {problem}."
        assert refusal.value.recovery == "Choose another value with --host."
