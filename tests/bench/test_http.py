"""T1–T3: adding leads, pages of leads and small reads over HTTP, beside the same written plainly and a bare route."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

import pytest

from app.domain.operations import sandbox_clock
from app.domain.workspace import workspaces
from tests.bench import plain, stock
from tests.bench.measure import Report, Target, in_turn, of_a_hundred, rate
from tests.bench.stock import People
from tests.bench.wire import Wire, request, waits
from tests.domain.outreach import INVITE, a_campaign, message
from tests.support import processes
from tests.support.processes import Running

SILENT = {"OVERTURE_SCHEDULER": "0", "OVERTURE_RATE_LIMIT": "off", "OVERTURE_LOG_LEVEL": "error"}
ROOT = Path(__file__).parents[2]
TALKING = 60
CLIENTS = 8
CALLS = 4  # SQLite writes its log back at every second call; a turn of one would give that to one way alone
BARE = request("/constant")


@dataclass(frozen=True)
class Served:
    """The same people, served by us and by the plain application."""

    people: People
    campaign: int
    ours: int
    plain: int

    def get(self, path: str) -> bytes:
        """The request for that path of either."""
        return request(f"/v1/{path}", self.people.key)

    def add(self, list_id: int, profiles: list[dict[str, object]]) -> bytes:
        """The request that adds these people."""
        body = json.dumps({"profiles": profiles}).encode()
        return request(f"/v1/lists/{list_id}/leads", self.people.key, body)


@pytest.fixture(scope="module")
def served(people: People, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two servers, each a process of its own, on databases that may be written to."""
    folder = tmp_path_factory.mktemp("served")
    mine, theirs = people.copy_to(folder / "ours.db"), folder / "plain.db"
    plain.people(theirs, people)
    campaign = _talks(mine)
    env = processes.environment(f"sqlite:///{mine.file}", folder, **SILENT)
    ours, other = processes.free_port(), processes.free_port()
    command = [sys.executable, "-m", "tests.bench.plain", str(theirs), str(other)]
    with processes.serve(env, ours), Running({**env, "PYTHONPATH": str(ROOT)}, *command):
        yield Served(mine, campaign, ours, other)
    for path in folder.glob("*.db*"):
        path.unlink()


def _talks(people: People) -> int:
    """A campaign whose people answer; each is of another company, as an answer holds the others of one."""
    with stock.at_work(stock.application(people.file)):
        workspace = workspaces.get(people.workspace)
        names = [f"replies-positive-{number}" for number in range(TALKING)]
        talking: list[str | dict[str, Any]] = [{"publicId": one, "email": f"ada@{one}.example"} for one in names]
        made = a_campaign(workspace, talking, [INVITE, message()], name="Talk").id
        sandbox_clock.advance(workspace, 24 * 14)
    return made


def test_small_read(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T3: one list, authenticated, and how long eight clients wait for it at the same time."""
    number, read = 200 if quick else 1500, served.get(f"lists/{served.people.long}")
    with Wire(served.ours) as ours, Wire(served.plain) as other:
        assert json.loads(ours.ask(read))["leadCount"] == served.people.long_size
        figures = in_turn(rounds, ours=lambda: ours.rate(read, number), bare=lambda: other.rate(BARE, number))
    waited = in_turn(rounds, ours=lambda: of_a_hundred(95, waits(served.ours, read, CLIENTS, number)))
    share = Target("share of a bare route", figures["ours"] / figures["bare"], least=0.3)
    report.add("T3", "GET /v1/lists/{id}, authenticated", figures, "req/s", [share])
    wait = Target("ms", waited["ours"], most=50)
    report.add("T3", f"the same, {CLIENTS} clients at once, 95 of 100 calls", waited, "ms", [wait])


def test_five_calls(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T3: who am I, a page of leads, a campaign, ten people more, and the conversations; targets for the small ones."""
    fresh = count(2 * 10**8, 10)

    def add() -> bytes:
        first = next(fresh)
        return served.add(served.people.short, [stock.profile(first + number) for number in range(10)])

    paths = {"me": "me", "leads": f"lists/{served.people.long}/leads", "campaign": f"campaigns/{served.campaign}"}
    paths["conversations"] = "conversations"
    sent = {name: served.get(path) for name, path in paths.items()}
    calls = {name: lambda each=each: each for name, each in sent.items()} | {"add": add}
    number = 100 if quick else 800
    with Wire(served.ours) as ours, Wire(served.plain) as other:
        assert json.loads(ours.ask(sent["campaign"]))["name"] == "Talk"
        assert len(json.loads(ours.ask(sent["conversations"]))["data"]) == 25
        ways = {name: lambda make=make: ours.rate_of(make, number) for name, make in calls.items()}
        figures = in_turn(rounds, **ways, bare=lambda: other.rate(BARE, number))
    targets = [
        Target(f"share of a bare route: {name}", figures[name] / figures["bare"], least=0.3)
        for name in ("me", "campaign")
    ]
    report.add("T3", "five typical calls, authenticated", figures, "req/s", targets)


def test_page_of_leads(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T2: a page at the beginning and at 90 % of the longest list."""
    path, number = f"lists/{served.people.long}/leads", 40 if quick else 400
    with Wire(served.ours) as ours, Wire(served.plain) as other:
        cursor, last = _walk(ours, served, path)
        for limit in (25, 100):
            first, deep = served.get(f"{path}?limit={limit}"), served.get(f"{path}?limit={limit}&cursor={cursor}")
            same = served.get(f"{path}?limit={limit}&cursor={last}")
            answers = [json.loads(ours.ask(deep))["data"], json.loads(other.ask(same))["data"]]
            found = [[lead["id"] for lead in leads] for leads in answers]
            assert found[0] == found[1] == list(range(last + 1, last + 1 + limit))
            figures = in_turn(
                rounds,
                first=lambda request=first: ours.rate(request, number),
                deep=lambda request=deep: ours.rate(request, number),
                plain=lambda request=same: other.rate(request, number),
            )
            targets = [
                Target("share of plain", figures["deep"] / figures["plain"], least=0.5),
                Target("deep against first", figures["deep"] / figures["first"], least=0.9),
            ]
            size = served.people.long_size
            title = f"a page of {limit} of {size:,} leads, at 0 and at {size * 9 // 10:,}"
            report.add("T2", title, figures, "pages/s", targets)


def _walk(ours: Wire, served: Served, path: str) -> tuple[str, int]:
    """The cursor at 90 % of the list, and the last lead before it."""
    page = json.loads(ours.ask(served.get(f"{path}?limit=100")))
    for _ in range(served.people.long_size * 9 // 1000 - 1):
        page = json.loads(ours.ask(served.get(f"{path}?limit=100&cursor={page['nextCursor']}")))
    return page["nextCursor"], page["data"][-1]["id"]


def test_add_leads(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T1: 1,000 profiles, half of them known, onto the longest list; and how much quicker a short list takes them."""
    size, batches, people = 200 if quick else 1000, iter(range(10**6)), served.people

    def rows(wire: Wire, list_id: int, known: int) -> float:
        posts = [served.add(list_id, _half_known(size, known, next(batches))) for _ in range(CALLS)]
        told: list[dict[str, int]] = []
        figure = rate(size * CALLS, lambda: told.extend(json.loads(wire.ask(post)) for post in posts))
        assert all(one["added"] + one["updated"] == size for one in told), told
        assert all(one["updated"] >= size * 0.4 for one in told), told
        return figure

    with Wire(served.ours) as ours, Wire(served.plain) as other:
        figures = in_turn(
            rounds,
            long=lambda: rows(ours, people.long, people.long_size),
            short=lambda: rows(ours, people.short, people.short_size),
            plain=lambda: rows(other, people.long, people.long_size),
        )
    targets = [
        Target("share of plain", figures["long"] / figures["plain"], least=0.5),
        Target("growth per call from the short list", figures["short"] / figures["long"], most=1.5),
    ]
    report.add("T1", f"POST {size:,} profiles onto {people.long_size:,} leads", figures, "rows/s", targets)


def _half_known(size: int, known: int, batch: int) -> list[dict[str, object]]:
    """Profiles of which every other one is in a list of `known`, with another title than before."""
    old = [(batch * 7919 + number * 104_729) % known for number in range(size // 2)]
    new = [10**8 + batch * size + number for number in range(size - len(set(old)))]
    return [
        {**stock.profile(number), "position": f"Head {batch}"}
        for pair in zip_longest(set(old), new)
        for number in pair
        if number is not None
    ]
