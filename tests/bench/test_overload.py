"""Overload: what a server still does when ten times as many people ask for pages as it can serve."""

import asyncio
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
import requests

from app.domain.installation.sandbox import demo
from app.domain.people.exclusions import unsubscribe_token
from tests.bench import stock
from tests.bench.measure import Report, Target, of_a_hundred
from tests.conftest import PASSWORD
from tests.e2e import filled
from tests.support import processes

EVERY = 1.0  # seconds from one request of a person to the next
GIVES_UP = 30.0  # seconds after which nobody waits any more
BUSY, CROWD = 0.8, 10  # parts of what the server can do


@dataclass(frozen=True)
class Site:
    """A server of one core with something of everything, and how to ask it."""

    port: int
    page: bytes
    kept: tuple[bytes, ...]  # requests that are never refused


@dataclass
class Told:
    """What the people of one trial were told."""

    served: list[float] = field(default_factory=list)  # seconds each waited
    refused: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    lost: int = 0  # broken connections, wrong answers, and people who gave up


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The filled workspace, served with limits as ever, and a person who has signed in."""
    folder = tmp_path_factory.mktemp("overload")
    app = stock.empty(folder / "overload.db")
    with stock.at_work(app):
        workspace = filled.fill()
        leave = f"/u/{unsubscribe_token.token(workspace.id, 1, 'ada@people.example')}"
    port = processes.free_port()
    url = f"http://127.0.0.1:{port}"
    more = {"OVERTURE_SCHEDULER": "0", "OVERTURE_LOG_LEVEL": "error", "BASE_URL": url}
    with processes.serve(processes.environment(str(app.config["DATABASE_URL"]), folder, **more), port):
        yield Site(port, request("/campaigns", cookie=_signed_in(url)), (request("/healthz"), request(leave)))


def request(path: str, cookie: str = "") -> bytes:
    """The bytes of a GET."""
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *([f"Cookie: {cookie}"] if cookie else [])]
    return "\r\n".join([*lines, "", ""]).encode()


def _signed_in(url: str) -> str:
    with requests.Session() as browser:
        form = browser.get(f"{url}/login", timeout=30).text
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', form)
        assert token
        data = {"csrf_token": token[1], "email": demo.EMAIL, "password": PASSWORD}
        browser.post(f"{url}/login", data, headers={"Origin": url}, timeout=30)
        return "; ".join(f"{one.name}={one.value}" for one in browser.cookies)


def test_ten_times_the_load(site: Site, report: Report, quick: bool) -> None:
    """Pages a second, and how long people wait, at 0.8 of what the server can do and at ten times that."""
    seconds = 4 if quick else 20
    alone = asyncio.run(_trial(site, people=8, every=0, seconds=seconds / 2))
    able = len(alone.served) / (seconds / 2)
    busy = asyncio.run(_trial(site, people=round(able * BUSY * EVERY), every=EVERY, seconds=seconds))
    crowd = asyncio.run(_trial(site, people=round(able * CROWD * EVERY), every=EVERY, seconds=seconds))
    assert crowd.refused or quick
    goodput = {"able": able, "busy": len(busy.served) / seconds, "crowd": len(crowd.served) / seconds}
    targets = [
        Target("pages a second in the crowd, against all it can", goodput["crowd"] / able, least=0.8),
        Target("lost", busy.lost + crowd.lost, most=0),
    ]
    title = f"{able * CROWD:,.0f} requests a second to one that can do {able:,.0f}"
    report.add("O1", title, goodput, "pages/s", targets)
    waits = {
        "busy": of_a_hundred(99, busy.served),
        "crowd": of_a_hundred(99, crowd.served),
        "refused": of_a_hundred(99, crowd.refused or [0]),
        "kept": of_a_hundred(99, crowd.kept),
    }
    kept = Target("seconds for health and unsubscribing, 99 of 100", waits["kept"], most=2)
    served = Target("seconds for those who were served, 99 of 100", waits["crowd"], most=5)
    report.add("O1", "how long 99 of 100 wait", waits, "s", [served, kept])


async def _trial(site: Site, people: int, every: float, seconds: float) -> Told:
    """So many people ask for a page every so often; meanwhile health and an unsubscribe link are asked for."""
    told, until = Told(), time.monotonic() + seconds
    crowd = [_person(site, site.page, every, until, every * number / people, told) for number in range(people)]
    kept = [_person(site, each, 0.1, until, 0, told, kept=True) for each in site.kept]
    await asyncio.gather(*crowd, *kept)
    return told


async def _person(
    site: Site, asked: bytes, every: float, until: float, first: float, told: Told, *, kept: bool = False
) -> None:
    await asyncio.sleep(first)
    reader = writer = None
    due = time.monotonic()
    while due < until:
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            began = time.monotonic()
            writer.write(asked)
            status, closes = await asyncio.wait_for(_answer(reader), GIVES_UP)
            into = told.kept if kept and status == 200 else told.served if status == 200 else told.refused
            if status in (200, 503):
                into.append(time.monotonic() - began)
            else:
                told.lost += 1
            if closes:
                writer.close()
                writer = None
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            told.lost += 1
            if writer is not None:
                writer.close()
            writer = None
        due = max(due + every, time.monotonic())
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    if writer is not None:
        with suppress(OSError):
            writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """The status of the next answer, read whole, and whether the connection ends with it."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"content-length: (\d+)", head)
    assert length, head
    await reader.readexactly(int(length[1]))
    return int(head[9:12]), b"connection: close" in head
