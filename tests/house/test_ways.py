"""How long five common ways through the program are, and how long the program is: the figures may fall, not rise.

`make ways` prints them, `make ways WHOLE=1` also each file and statement. `ways.csv` holds the most that each may be;
lower it after a figure has fallen. Raising it needs the reason beside it, in the last column.
"""

import contextvars
import csv
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.db import db, end_read
from app.domain.engine import turns
from app.domain.platform import request_log
from app.domain.webhooks import dispatcher
from app.domain.workspace import api_keys
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.domain.conftest import receiver, webhook  # noqa: F401 fixtures of this file, too
from tests.domain.outreach import INVITE, a_campaign, a_list, acts, email, forward, message, the_account
from tests.domain.reviewing import drafts, held
from tests.domain.webhooks.test_events import happening, record
from tests.house.ours import ROOT, files, text
from tests.pages.conftest import Web, web  # noqa: F401
from tests.support.clients import Api, Client
from tests.support.members import owner
from tests.support.movable import Movable
from tests.support.receivers import Receiver

MOST = Path(__file__).with_name("ways.csv")
APP = f"{ROOT}/app/"
pytestmark = pytest.mark.usefixtures("clock")


@dataclass
class Way:
    """The files of `app/` in which code ran, and the SQL statements."""

    files: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)


@contextmanager
def traced() -> Iterator[Way]:
    """Follow this thread, and those that it starts."""
    way = Way()

    def calls(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(APP):
            way.files.add(frame.f_code.co_filename.removeprefix(APP))

    def executes(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        way.statements.append(" ".join(statement.split()))

    end_read()
    sa.event.listen(db.engine, "before_cursor_execute", executes)
    threading.setprofile(calls)
    sys.setprofile(calls)
    try:
        yield way
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        sa.event.remove(db.engine, "before_cursor_execute", executes)


def second(*times: Callable[[], object]) -> Way:
    """Return the way of the last of these: the first ones fill the caches. Lines of the request log wait for others."""
    for act in times:
        request_log.finish()
        with traced() as way:
            act()
    return way


def assert_no_longer(what: str, **found: int) -> None:
    """Print the figures, and compare them with the most that they may be."""
    with MOST.open(newline="") as file:
        rows = {row["unit"].split()[-1]: row for row in csv.DictReader(file) if row["what"] == what}
    assert rows.keys() == found.keys()
    figures = [f"{found[unit]:>7,} {row['unit']} (aim {int(row['aim']):,})" for unit, row in rows.items()]
    print(f"\n{what:<34}{''.join(f'{figure:<32}' for figure in figures)}".rstrip(), end="")
    assert {unit: number for unit, number in found.items() if number > int(rows[unit]["most"])} == {}, what


def assert_way_no_longer(what: str, way: Way) -> None:
    """Compare a way with the most that it may be."""
    assert_no_longer(what, files=len(way.files), statements=len(way.statements))
    if os.environ.get("OVERTURE_WHOLE_WAYS"):
        print("", *sorted(way.files), *way.statements, sep="\n    ", end="")


def test_the_program_gets_no_longer() -> None:
    assert_no_longer("app/", lines=sum(len(text(path).splitlines()) for path in files("app")))


def test_what_every_test_stands_on_gets_no_longer() -> None:
    """Databases, workspaces, clients and a clock: a newcomer reads this first."""
    support = (f"support/{name}.py" for name in ("clients", "members", "names", "times", "unruled"))
    paths = [ROOT / "tests" / name for name in ("conftest.py", "databases.py", "postgres.py", *support)]
    assert_no_longer("what every test stands on", lines=sum(len(text(path).splitlines()) for path in paths))


class Unchecked(Client):
    """A client that does not hold answers against the contract."""

    def open(self, *arguments: Any, **options: Any) -> TestResponse:
        """The answer to one request."""
        answer: TestResponse = contextvars.Context().run(FlaskClient.open, self, *arguments, buffered=True, **options)
        return answer


@pytest.fixture
def api(app: Flask, acme: Workspace) -> Api:
    """A script that may do everything."""
    return Api(Unchecked(app, app.response_class), api_keys.create(acme, "Ways", ["all"], created_by=owner(acme))[1])


def test_adding_one_lead_gets_no_longer(api: Api, acme: Workspace) -> None:
    path = f"lists/{a_list(acme, ['ada'])}/leads"

    def add(public_id: str) -> None:
        assert api.post(path, {"profiles": [{"publicId": public_id}]}).status_code == 200

    way = second(lambda: add("bob"), lambda: add("eve"))
    assert_way_no_longer("add one lead by /v1", way)


def test_approving_a_draft_gets_no_longer(api: Api, acme: Workspace) -> None:
    held(acme, ["quiet-ada", "quiet-bob"], [email("Dear {{first_name}}")])
    first, other = (draft.id for draft in drafts(acme))

    def approve(draft_id: int) -> None:
        answer = api.patch(f"approvals/{draft_id}", {"text": "Dear friend", "approve": True})
        assert answer.status_code == 200, answer.json

    assert_way_no_longer("approve a draft", second(lambda: approve(first), lambda: approve(other)))


def test_a_turn_gets_no_longer(acme: Workspace, clock: Movable) -> None:
    """The sender reads its inbox, and writes to a person who accepted."""
    a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message(days=3)])
    forward(acme, days=3)
    sender, before = the_account(acme).id, len(acts(acme))
    clock.forward(days=4)  # a Monday

    def turn() -> None:
        assert turns.run(sender) == 1

    way = second(turn, lambda: clock.forward(minutes=30), turn)
    assert [kind for kind, _ in acts(acme)[before:]] == ["message", "message"]
    assert_way_no_longer("one turn of a sender", way)


def test_the_page_of_a_campaign_gets_no_longer(web: Web, acme: Workspace) -> None:  # noqa: F811
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message()])
    forward(acme, days=1)
    path = f"/campaigns/{campaign.id}"

    def look() -> None:
        assert web.get(path).status_code == 200

    assert_way_no_longer("a campaign's page", second(look, look))


def test_a_delivery_gets_no_longer(acme: Workspace, webhook: Webhook, receiver: Receiver) -> None:  # noqa: F811
    for _ in range(2):
        record(acme, happening())
        way = second(dispatcher.deliver_due)
    assert len(receiver.requests) == 2
    assert_way_no_longer("an event delivered to a webhook", way)
