"""T1–T3: adding leads, pages of leads and small reads over HTTP, beside the raw limit and a bare route."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path

import pytest

from tests import processes
from tests.bench import raw, stock
from tests.bench.measure import Report, Target, in_turn, rate
from tests.bench.stock import People
from tests.bench.wire import Wire, request
from tests.processes import Running

SILENT = {"OVERTURE_SCHEDULER": "0", "OVERTURE_RATE_LIMIT": "off", "OVERTURE_LOG_LEVEL": "error"}
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    """The stock, served by us and by a bare route."""

    people: People
    ours: int
    bare: int

    def get(self, path: str) -> bytes:
        """The request for that path of ours."""
        return request(f"/v1/{path}", self.people.key)


@pytest.fixture
def served(copy_of: People) -> Iterator[Served]:
    """Two servers on the same copy of the stock, each a process of its own."""
    env = processes.environment(f"sqlite:///{copy_of.file}", copy_of.file.parent, **SILENT)
    ours, bare = processes.free_port(), processes.free_port()
    command = [sys.executable, "-m", "tests.bench.bare", str(bare), str(copy_of.file), str(copy_of.long)]
    with processes.serve(env, ours), Running({**env, "PYTHONPATH": str(ROOT)}, *command):
        yield Served(copy_of, ours, bare)


def test_small_read(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T3: one list, authenticated, against a route that returns a constant."""
    count = 200 if quick else 1500
    read = served.get(f"lists/{served.people.long}")
    with Wire(served.ours) as ours, Wire(served.bare) as bare:
        assert json.loads(ours.ask(read))["leadCount"] == served.people.long_size
        figures = in_turn(
            rounds,
            ours=lambda: ours.rate(read, count),
            bare=lambda: bare.rate(request("/constant"), count),
        )
        extra = 1e6 / figures["ours"] - 1e6 / figures["bare"]
    share = Target("share of a bare route", figures["ours"] / figures["bare"], least=0.5)
    report.add(
        "T3", "GET /v1/lists/{id}, authenticated", figures, "req/s", [share, Target("extra µs", extra, most=250)]
    )


def test_page_of_leads(served: Served, report: Report, rounds: int, quick: bool) -> None:
    """T2: a page at the beginning and at 90 % of the longest list, against a bare route with the raw query."""
    path, count = f"lists/{served.people.long}/leads", 40 if quick else 400
    with Wire(served.ours) as ours, Wire(served.bare) as bare:
        cursor, last = _walk(ours, served, path)
        for limit in (25, 100):
            first, deep = served.get(f"{path}?limit={limit}"), served.get(f"{path}?limit={limit}&cursor={cursor}")
            by_hand = request(f"/page?after={last}&limit={limit}")
            same = [[lead["id"] for lead in json.loads(body)["data"]] for body in (ours.ask(deep), bare.ask(by_hand))]
            assert same[0] == same[1] == list(range(last + 1, last + 1 + limit))
            figures = in_turn(
                rounds,
                first=lambda request=first: ours.rate(request, count),
                deep=lambda request=deep: ours.rate(request, count),
                bare=lambda request=by_hand: bare.rate(request, count),
            )
            targets = [
                Target("share of a bare route", figures["deep"] / figures["bare"], least=0.6),
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
    size, batches = 200 if quick else 1000, iter(range(10**6))
    connection = stock.connect(served.people.file)
    with Wire(served.ours) as ours:

        def by_us(list_id: int, known: int) -> float:
            body = json.dumps({"profiles": _half_known(size, known, next(batches))}).encode()
            post = request(f"/v1/lists/{list_id}/leads", served.people.key, body)
            return rate(size, lambda: ours.ask(post))

        def by_hand() -> float:
            given = _half_known(size, served.people.long_size, next(batches))
            work = partial(raw.add_leads, connection, given, served.people.workspace, served.people.long)
            return rate(size, work)

        figures = in_turn(
            rounds * 3,
            long=lambda: by_us(served.people.long, served.people.long_size),
            short=lambda: by_us(served.people.short, served.people.short_size),
            raw=by_hand,
        )
    connection.close()
    targets = [
        Target("share of the raw limit", figures["long"] / figures["raw"], least=0.35),
        Target("growth per call from the short list", figures["short"] / figures["long"], most=1.5),
    ]
    report.add("T1", f"POST {size:,} profiles onto {served.people.long_size:,} leads", figures, "rows/s", targets)


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
