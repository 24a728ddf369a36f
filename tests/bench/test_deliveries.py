"""T6: webhook deliveries to a slow and an instant receiver, against urllib3 in threads, and beside a dead endpoint."""

import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import urllib3
from flask import Flask

from app.core import clock
from app.core.db import fetch, transaction
from app.domain.webhooks import dispatcher, endpoints, events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import workspaces
from app.engines.embedded import EmbeddedEngine
from app.engines.units import BY_NAME
from app.models.webhooks import Delivery, DeliveryState
from app.models.workspaces import Workspace
from tests.bench import stock
from tests.bench.measure import Report, Target, in_turn, of_a_hundred, rate
from tests.support import processes
from tests.support.processes import Running

AT_ONCE = 64
ROOT = Path(__file__).parents[2]
BODY = b'{"type":"invite_sent","data":{"lead":{"id":1,"firstName":"Ada"}}}' * 8


@contextmanager
def receiving(folder: Path, milliseconds: int) -> Iterator[tuple[Workspace, str, Flask]]:
    """A workspace whose events go to a receiver that takes so long, a process of its own; and where it is."""
    port = processes.free_port()
    app, url = stock.empty(folder / "deliveries.db"), f"http://127.0.0.1:{port}/hook"
    env = processes.environment("", folder, PYTHONPATH=str(ROOT))
    command = [sys.executable, "-m", "tests.bench.receiver", str(port), str(milliseconds)]
    with Running(env, *command), stock.at_work(app):
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD, sandbox=True)
        endpoints.create(workspace, name="Bench", url=url, event="invite_sent")
        yield workspace, url, app
        assert endpoints.every(workspace)[-1].failures == 0


@pytest.mark.parametrize("milliseconds", [50, 0], ids=["slow", "instant"])
def test_deliveries(tmp_path: Path, report: Report, rounds: int, quick: bool, milliseconds: int) -> None:
    """Ours are claimed, signed, sent and recorded with their log; the plain ones are only sent."""
    count = 400 if quick else 4000
    with receiving(tmp_path, milliseconds) as (workspace, url, _):

        def ours() -> float:
            _happen(workspace, count)
            return rate(count, dispatcher.deliver_due)

        figures = in_turn(rounds, ours=ours, plain=lambda: _plain(url, count))
    if milliseconds:
        figures["bound"] = AT_ONCE / (milliseconds / 1000)
        target = Target("share of the latency bound", figures["ours"] / figures["bound"], least=0.8)
    else:
        target = Target("share of plain urllib3", figures["ours"] / figures["plain"], least=0.6)
    title = f"webhook deliveries, receiver takes {milliseconds} ms, {AT_ONCE} at once"
    report.add("T6", title, figures, "per s", [target])


def test_dead_endpoint(tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """How late the deliveries of others are while an endpoint that gets as many never answers."""
    count = 200 if quick else 1000
    with receiving(tmp_path, 50) as (workspace, _, app):

        def beside_dead() -> float:
            with closing(socket.create_server(("127.0.0.1", 0), backlog=128)) as silent:
                url = f"http://127.0.0.1:{silent.getsockname()[1]}/hook"
                dead, _ = endpoints.create(workspace, name="Dead", url=url, event="invite_sent")
                late = _late(app, workspace, count)
            endpoints.delete(workspace, dead.id)
            return late

        _late(app, workspace, count)  # a receiver that is new gets few deliveries at once
        figures = in_turn(rounds, alone=lambda: _late(app, workspace, count), beside_dead=beside_dead)
    target = Target("times as late", figures["beside_dead"] / figures["alone"], most=2)
    report.add("T6", f"{count:,} deliveries beside a dead endpoint: 95 of 100 have arrived", figures, "s", [target])


def _happen(workspace: Workspace, count: int) -> None:
    happenings = [NewEvent("invite_sent", clock.now(), None, {"lead": {"id": number}}) for number in range(count)]
    with transaction():
        events.record(workspace.id, happenings)


def _late(app: Flask, workspace: Workspace, count: int) -> float:
    """Seconds within which 95 of 100 new deliveries of the first endpoint have arrived."""
    began, first = clock.now(), endpoints.every(workspace)[-1].id
    mine = sa.select(Delivery.done_at, Delivery.milliseconds).where(Delivery.webhook_id == first)
    arrived = mine.where(Delivery.state == DeliveryState.DELIVERED, Delivery.created_at >= began)
    _happen(workspace, count)
    engine = EmbeddedEngine(app, kinds=[BY_NAME["delivery"]], upkeep=[])
    engine.start()
    while len(rows := fetch(arrived)) < count:
        time.sleep(0.05)
    engine.stop()
    return of_a_hundred(95, ((at - began + timedelta(milliseconds=took)).total_seconds() for at, took in rows))


def _plain(url: str, count: int) -> float:
    """Requests a second with a pool of connections and as many threads."""
    with urllib3.PoolManager(maxsize=AT_ONCE, block=True) as pool, ThreadPoolExecutor(AT_ONCE) as threads:

        def post(_: int) -> None:
            answer = pool.request("POST", url, body=BODY, headers={"content-type": "application/json"})
            assert answer.status == 200, answer.status

        return rate(count, lambda: [*threads.map(post, range(count))])
