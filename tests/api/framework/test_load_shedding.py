"""Load shedding: who is refused while too many wait or run, and who never is."""

from collections.abc import Callable
from contextlib import ExitStack

import pytest
import sqlalchemy as sa
from flask import Flask

from app.api.framework import load_shedding
from app.core.db import db
from app.domain.leads import unsubscribe_token
from app.domain.platform import rate_limits
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client


@pytest.fixture
def limited(make_app: Callable[..., Flask], app: Flask) -> Client:
    """A client of an application that limits rates."""
    rate_limits.reset()
    client = make_app(OVERTURE_RATE_LIMIT="on").test_client()
    assert isinstance(client, Client)
    return client


@pytest.fixture
def full(limited: Client) -> Client:
    """The same while one request more waits than may."""
    limited.application.extensions[load_shedding.QUEUE] = lambda: load_shedding.MOST_QUEUED + 1
    return limited


def test_a_crowd_is_told_to_come_back(limited: Client, acme: Workspace, rival: Workspace) -> None:
    """20 requests of a workspace are served at once, then 503; others are served, and so is the next."""
    ours, theirs = (Api(limited, api_keys.create(one, "k", "all")[1]) for one in (acme, rival))
    with limited.application.app_context(), ExitStack() as inside:
        for _ in range(load_shedding.MOST_OF_ONE):
            inside.enter_context(load_shedding.limit_concurrency(acme.id))
        refused = ours.get("me")
        assert (refused.status_code, refused.json["error"]["code"]) == (503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert theirs.get("me").status_code == 200
    assert ours.get("me").status_code == 200


def test_a_long_queue_is_cut(full: Client, acme: Workspace) -> None:
    """When more wait than can be served soon, the next is told when to come back."""
    script = Api(full, api_keys.create(acme, "k", "all")[1])
    refused = script.get("me")
    assert (refused.status_code, refused.json["error"]["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"] == "2"
    full.application.extensions[load_shedding.QUEUE] = lambda: load_shedding.MOST_QUEUED
    assert script.get("me").status_code == 200


@pytest.mark.parametrize("path", ["/", "/login", "/v1/me", "/v1/openapi.json", "/nowhere"])
def test_what_is_refused_costs_no_query(full: Client, acme: Workspace, path: str) -> None:
    """A page or an answer that says to come back is made without the database."""
    asked: list[str] = []
    with full.application.app_context():
        engine = db.engine
    sa.event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    answer = full.get(path, headers={"Authorization": f"Bearer {api_keys.create(acme, 'k', 'all')[1]}"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert asked == []


def test_a_page_says_that_it_tries_again(full: Client) -> None:
    """A person reads what is the matter and that nothing was lost."""
    page = full.get("/campaigns")
    assert "The service is busy" in page.text
    assert "Too many requests are waiting." in page.text
    assert "Retrying in" in page.text


def test_a_part_of_a_page_is_a_message(full: Client) -> None:
    """What htmx asked for becomes a message on the page, which stays as it is."""
    part = full.get("/campaigns", headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["HX-Reswap"]) == (503, "none")
    assert "Too many requests are waiting." in part.text


def test_health_unsubscribing_and_providers_are_never_refused(full: Client, acme: Workspace) -> None:
    """They are answered as ever, and so are the files of pages."""
    assert full.get("/healthz").status_code == 200
    leave = f"/u/{unsubscribe_token.token(acme.id, 1, 'ada@people.example')}"
    assert "You are unsubscribed" in full.post(leave).text
    assert full.post("/hooks/unknown").status_code == 404
    assert full.get("/static/favicon.svg").status_code == 200
