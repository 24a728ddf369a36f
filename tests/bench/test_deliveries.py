"""T6: webhook deliveries a second to a slow and to an instant receiver, beside bare sockets."""

import asyncio
import sys
import time
from pathlib import Path

import pytest

from app.core import clock
from app.core.db import db, transaction
from app.domain.webhooks import dispatcher, endpoints, events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import workspaces
from tests import processes
from tests.bench import stock
from tests.bench.measure import Report, Target, in_turn, rate
from tests.processes import Running

CONNECTIONS = 64
ROOT = Path(__file__).parents[2]
BODY = b'{"type":"invite_sent","data":{"lead":{"id":1,"firstName":"Ada"}}}' * 8


@pytest.mark.parametrize("milliseconds", [50, 0], ids=["slow", "instant"])
def test_deliveries(tmp_path: Path, report: Report, rounds: int, quick: bool, milliseconds: int) -> None:
    """Claimed, signed, sent and recorded with their log; the receiver is a process of its own."""
    port, count = processes.free_port(), 400 if quick else 4000
    app = stock.empty(tmp_path / "deliveries.db")
    env = processes.environment("", tmp_path, PYTHONPATH=str(ROOT))
    command = [sys.executable, "-m", "tests.bench.receiver", str(port), str(milliseconds)]
    with Running(env, *command), app.app_context():
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD, sandbox=True)
        endpoints.create(workspace, name="Bench", url=f"http://127.0.0.1:{port}/hook", event="invite_sent")

        def ours() -> float:
            happenings = [NewEvent("invite_sent", clock.now(), None, {"lead": {"id": n}}) for n in range(count)]
            with transaction():
                events.record(workspace.id, happenings)
            return rate(count, dispatcher.deliver_due)

        figures = in_turn(rounds, ours=ours, sockets=lambda: asyncio.run(_sockets(port, count)))
        figures |= {"bound": CONNECTIONS / (milliseconds / 1000)} if milliseconds else {}
        assert endpoints.every(workspace)[0].failures == 0
        db.session.remove()
        db.engine.dispose()
    if milliseconds:
        targets = [Target("share of the latency bound", figures["ours"] / figures["bound"], least=0.85)]
    else:
        targets = [Target("deliveries a second", figures["ours"], least=2000)]
    report.add("T6", f"webhook deliveries, receiver takes {milliseconds} ms, 64 at once", figures, "per s", targets)


async def _sockets(port: int, count: int) -> float:
    """Requests a second over bare connections."""
    left = iter(range(count))
    request = f"POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: {len(BODY)}\r\n\r\n".encode() + BODY

    async def caller() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CONNECTIONS)))
    return count / (time.perf_counter() - began)
