"""T9: every page and every fragment of a large workspace, beside a bare page of the same application.

What is measured is the processor's time for one request, so that what else the machine does does not count.
"""

import gc
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from flask import render_template_string
from flask.testing import FlaskClient
from selectolax.parser import HTMLParser

from app.core.db import end_read, session
from app.domain.installation.sandbox import demo
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from app.pages.framework.base import signed_in
from app.serve import freeze_gc
from tests.bench import page_stock, stock
from tests.bench.measure import Report, Target
from tests.bench.page_stock import Sizes
from tests.conftest import PASSWORD
from tests.e2e import filled

BARE = '{% extends "base.html" %}{% block title %}Bare{% endblock %}{% block page %}<h1>Bare</h1>{% endblock %}'
# What people do on the large pages: other tabs, filters, searches and later pages.
ALSO = (
    "/approvals?warned=1",
    "/campaigns?status=running",
    "/campaigns/{campaign}",
    "/campaigns/{campaign}/people",
    "/campaigns/{campaign}/people?state=awaiting_accept",
    "/campaigns/{campaign}/people?q=first12",
    "/campaigns/{campaign}/activity",
    "/campaigns/{campaign}/forecast?now=1",  # kept for a quarter of an hour; what making one takes is T12
    "/conversations?tab=unread",
    "/conversations?tab=positive",
    "/conversations?q=first12",
    "/conversations?q=the",
    "/conversations?q=fi&tab=positive",
    "/lists/{everybody}",
    "/lists/{everybody}?q=first12",
    "/search?q=first12",
)
FRAGMENTS = (
    "/",
    "/approvals",
    "/campaigns",
    "/campaigns/{campaign}",
    "/campaigns/{campaign}/row",
    "/campaigns/{campaign}/forecast",
    "/campaigns/{campaign}/people?q=first12",
    "/conversations",
    "/conversations?q=first12",
    "/conversations?q=the",
    "/conversations?q=fi&tab=positive",
    "/conversations?campaign={campaign}",
    "/lists/{everybody}?q=first12",
    "/search?q=first12",
    "/plays",
)


@dataclass(frozen=True)
class Site:
    """The application on the large workspace, and someone signed in."""

    client: FlaskClient
    addresses: list[str]
    ids: dict[str, int]

    def cpu(self, address: str, times: int, htmx: bool = False, known: bool = False) -> list[float]:
        """Milliseconds of processor time, request by request, after one that is not counted.

        With `known` it says, as browsers do, which answer it has already.
        """
        headers = {"HX-Request": "true"} if htmx else {}
        taken = []
        for _ in range(times + 1):
            began = time.process_time()
            answer = self.client.get(address, headers=headers)
            taken.append((time.process_time() - began) * 1000)
            assert answer.status_code in (200, 204, 302, 303, 304), (address, answer.status_code)
            if known and (tag := answer.headers.get("ETag")):
                headers["If-None-Match"] = tag
        return taken[1:]

    def polls(self) -> list[str]:
        """What the pages ask for again and again, one of each kind."""
        found: dict[str, str] = {}
        for address in self.addresses:
            page = HTMLParser(self.client.get(address).text)
            for element in page.css("[hx-trigger^=every]"):
                asked = element.attributes["hx-get"] or ""
                if also := element.attributes.get("hx-include"):
                    fields = [field.attributes for field in page.css(also)]
                    asked += "&" + urlencode({str(field["name"]): field.get("value") or "" for field in fields})
                found.setdefault(re.sub(r"\d+", "0", asked.partition("?")[0]), asked)
        return list(found.values())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Iterator[Site]:
    """A million people, 1,300,000 leads, 200 campaigns of 500 people and 20,000 drafts."""
    sizes = Sizes(10, 500, people=5_000) if quick else Sizes(200, 20_000, people=1_000_000)
    file: Path = page_stock.workspace(tmp_path_factory.mktemp("pages"), sizes)
    app = stock.application(file, OVERTURE_SCHEDULER=False)
    app.add_url_rule("/bare", "bare", signed_in(lambda workspace: render_template_string(BARE)))
    with app.app_context():
        workspace = session().get(Workspace, 1)
        assert workspace
        pages = filled.signed_in_pages(app, workspace)
        newest = {"campaign": sa.func.max(Campaign.id), "everybody": sa.func.max(LeadList.id)}
        ids = {name: int(session().scalar(sa.select(each)) or 0) for name, each in newest.items()}
        end_read()
    own = [
        some[0]
        for endpoint, some in pages.items()
        if endpoint not in filled.PIECES | {"health.readyz", "metrics.metrics"}
    ]
    client = app.test_client()
    sign_in(client)
    usual = gc.get_threshold()
    freeze_gc()  # as the server does
    yield Site(client, [*own, *(each.format(**ids) for each in ALSO)], ids)
    gc.set_threshold(*usual)
    gc.unfreeze()


def sign_in(client: FlaskClient) -> None:
    """The owner of the demonstration is signed in."""
    token = HTMLParser(client.get("/login").text).css_first("meta[name=csrf]")
    assert token
    fields = {"csrf_token": token.attributes["content"], "email": demo.EMAIL, "password": PASSWORD}
    assert client.post("/login", data=fields).status_code == 303


def test_pages(site: Site, report: Report, rounds: int) -> None:
    """Whole pages: the slowest of them at the median, and all requests together at the 95th of a hundred."""
    _measure(report, "pages", lambda address: site.cpu(address, rounds), site.addresses, site, most=80)


def test_fragments(site: Site, report: Report, rounds: int) -> None:
    """What htmx asks for."""
    addresses = [each.format(**site.ids) for each in FRAGMENTS]
    _measure(report, "fragments", lambda address: site.cpu(address, rounds, htmx=True), addresses, site, most=40)


def test_polls(site: Site, report: Report, rounds: int) -> None:
    """What pages ask for again and again, when nothing has changed."""
    figures = {asked: statistics.median(site.cpu(asked, rounds, htmx=True, known=True)) for asked in site.polls()}
    shown = dict(sorted(figures.items(), key=lambda one: -one[1])[:8])
    assert shown
    target = Target("slowest at its median", max(figures.values()), most=5)
    report.add("T9", f"{len(figures)} unchanged polls", shown, "ms of processor time", [target])


def _measure(
    report: Report, what: str, taken: Callable[[str], list[float]], addresses: list[str], site: Site, most: float
) -> None:
    figures = {address: taken(address) for address in addresses}
    medians = {address: statistics.median(each) for address, each in figures.items()}
    slowest = sorted(medians, key=lambda one: -medians[one])
    all_of_them = sorted(one for each in figures.values() for one in each)
    bare = statistics.median(site.cpu("/bare", 9))
    shown = {address: medians[address] for address in slowest[:8]}
    shown |= {"median of all": statistics.median(medians.values()), "bare page": bare}
    targets = [
        Target("slowest at its median", medians[slowest[0]], most=most),
        Target("95th of a hundred requests (U15)", all_of_them[len(all_of_them) * 95 // 100], most=most),
    ]
    report.add("T9", f"{len(addresses)} {what} of a large workspace", shown, "ms of processor time", targets)
