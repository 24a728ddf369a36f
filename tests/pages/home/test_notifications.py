"""What happened since the last visit, on its page and for a browser that asks while no one looks."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.notifications import happenings
from app.models.sessions import BrowserSession
from app.models.workspaces import Membership, Role, Workspace
from tests.domain.notifications.test_happenings import fill, hears, member
from tests.pages.conftest import Web
from tests.support.movable import Movable

DOT = 'class="dot warn" id="count-b"><span'


def asks(web: Web, since: str) -> Any:
    """What a browser that asks is told."""
    return web.get(f"/notifications?since={since.replace('+', '%2B')}").json


def test_what_is_new_stands_first_and_once(web: Web, acme: Workspace, clock: Movable) -> None:
    happenings.look(acme, member(acme))
    clock.forward(minutes=1)
    assert "Nothing has happened yet" in web.get("/notifications").text
    assert DOT not in web.get("/lists").text
    clock.forward(minutes=1)
    fill(acme, clock)
    assert DOT in web.get("/lists").text
    page = web.get("/notifications").text
    assert '<h2 id="new-h">New</h2>'.replace(" ", "") in page.replace("\n", "").replace(" ", "")
    assert "Earlier" not in page
    for href in ("/conversations/", "/senders/", "/campaigns/", "/imports/"):
        assert f'href="{href}' in page or href in page
    assert DOT not in web.get("/lists").text
    clock.forward(minutes=1)
    hears(acme, "bob", "Hello")
    page = web.get("/notifications").text
    assert page.index(">New<") < page.index("bob replied") < page.index(">Earlier<") < page.index("ada replied")


def test_a_browser_is_told_only_what_came_since_it_asked(web: Web, acme: Workspace, clock: Movable) -> None:
    fill(acme, clock)
    first = asks(web, "")
    assert first["news"] == []
    clock.forward(minutes=1)
    hears(acme, "bob", "Hello <b>there</b>")
    clock.forward(minutes=1)
    found = asks(web, first["since"])
    assert [(one["title"], one["text"]) for one in found["news"]] == [("bob replied", "Hello <b>there</b>")]
    assert found["news"][0]["href"].startswith("/conversations/")
    assert found["counts"]["c"] == 2
    assert asks(web, found["since"])["news"] == []
    for since in ("999~2026-01-01T00:00:00+00:00", f"{acme.id}~x", f"{acme.id}~2026-01-01T00:00:00", "x" * 5000):
        assert asks(web, since)["news"] == []


def test_asking_in_the_background_prolongs_no_session(web: Web, acme: Workspace, clock: Movable) -> None:
    """A tab left open does not keep a member signed in."""
    with transaction() as current:
        current.execute(sa.update(BrowserSession).values(seen_at=clock(), created_at=clock()))
    seen = sa.select(sa.func.max(BrowserSession.seen_at))
    before = session().scalar(seen)
    clock.forward(hours=1)
    assert web.client.get("/notifications?since=", headers={"X-Unattended": "1"}).status_code == 200
    assert session().scalar(seen) == before
    web.get("/lists")
    assert session().scalar(seen) != before


@pytest.mark.parametrize(("role", "told"), [(Role.REVIEWER, False), (Role.INTEGRATOR, True)])
def test_members_are_told_what_they_may_see(web: Web, acme: Workspace, clock: Movable, role: str, told: bool) -> None:
    fill(acme, clock)
    with transaction() as current:
        current.execute(sa.update(Membership).where(Membership.workspace_id == acme.id).values(role=role))
    page = web.get("/notifications").text
    assert "ada replied" in page
    assert ("Spring" in page) is told


def test_a_stranger_is_told_nothing(stranger: Web, acme: Workspace, clock: Movable) -> None:
    fill(acme, clock)
    assert "ada replied" not in stranger.get("/notifications").text
    assert asks(stranger, f"{acme.id}~2026-01-01T00:00:00+00:00")["news"] == []
