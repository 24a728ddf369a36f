"""T3: five calls as programs make them all the time, each beside a bare route under the same server in the same run."""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from app.core.db import db
from app.domain.operations import sandbox_clock
from app.domain.workspace import workspaces
from tests import processes
from tests.bench import stock
from tests.bench.measure import Report, Target, in_turn
from tests.bench.stock import People
from tests.bench.wire import Wire, request
from tests.domain.outreach import INVITE, a_campaign, message
from tests.processes import Running

USUAL = {"OVERTURE_SCHEDULER": "0", "OVERTURE_RATE_LIMIT": "off", "OVERTURE_LOG_LEVEL": "error"}
ROOT = Path(__file__).parents[2]
TALKING = 60
# What a small read must at least reach of the bare route. A page does more than the constant that it is held against,
# and adding people waits for the disk: their shares are told, and T2 and T1 hold them to the raw query and upsert.
LEAST = {"me": 0.5, "campaign": 0.5}


@pytest.fixture
def served(copy_of: People) -> Iterator[tuple[dict[str, Callable[[], bytes]], int, int]]:
    """How each call is made, the port of ours, and the port of the bare route."""
    app = stock.application(copy_of.file)
    with app.app_context():
        workspace = workspaces.get(copy_of.workspace)
        talking = [f"replies-positive-{number}" for number in range(TALKING)]
        campaign = a_campaign(workspace, talking, [INVITE, message()], name="Talk")
        sandbox_clock.advance(workspace, 24 * 14)
        campaign_id = campaign.id
        db.session.remove()
        db.engine.dispose()
    numbers = count(10**8, 10)

    def add() -> bytes:
        first = next(numbers)
        body = json.dumps({"profiles": [stock.profile(first + number) for number in range(10)]}).encode()
        return request(f"/v1/lists/{copy_of.short}/leads", copy_of.key, body)

    read = {"me": "me", "leads": f"lists/{copy_of.long}/leads", "campaign": f"campaigns/{campaign_id}"}
    read["conversations"] = "conversations"
    calls = {name: _same(request(f"/v1/{path}", copy_of.key)) for name, path in read.items()} | {"add": add}
    env = processes.environment(f"sqlite:///{copy_of.file}", copy_of.file.parent, **USUAL)
    ours, bare = processes.free_port(), processes.free_port()
    command = [sys.executable, "-m", "tests.bench.bare", str(bare), str(copy_of.file), str(copy_of.long)]
    with processes.serve(env, ours), Running({**env, "PYTHONPATH": str(ROOT)}, *command):
        yield calls, ours, bare


def _same(sent: bytes) -> Callable[[], bytes]:
    return lambda: sent


def test_five_calls(
    served: tuple[dict[str, Callable[[], bytes]], int, int], report: Report, rounds: int, quick: bool
) -> None:
    """Who am I, a page of leads, a campaign, ten people more, and the conversations."""
    calls, port, plain = served
    number, constant = 100 if quick else 800, request("/constant")
    with Wire(port) as ours, Wire(plain) as bare:
        assert json.loads(ours.ask(calls["campaign"]()))["name"] == "Talk"
        assert len(json.loads(ours.ask(calls["conversations"]()))["data"]) == 25
        ways = {name: lambda make=make: ours.rate_of(make, number) for name, make in calls.items()}
        figures = in_turn(rounds, **ways, bare=lambda: bare.rate(constant, number))
    shares = {name: figure / figures["bare"] for name, figure in figures.items()}
    report.say("\n      share of a bare route: " + "   ".join(f"{name} {share:.3f}" for name, share in shares.items()))
    targets = [Target(f"share of a bare route: {name}", shares[name], least=least) for name, least in LEAST.items()]
    report.add("T3", "five typical calls, authenticated", figures, "req/s", targets)
