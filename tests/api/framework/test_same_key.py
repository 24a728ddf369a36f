"""The same POST under the same key from many threads at once: one effect, one answer; and refusals leave nothing."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.models.workspaces import Workspace
from tests.api.posts import POSTS, READY, Asked, added, count_rows
from tests.api.stock import UNKNOWN_ID, Stock, options_of, path_of
from tests.support.clients import Api

WRITES = [one for one in ENDPOINTS if one.method != "GET"]
BY_MANY = ("lists.add_leads", "campaigns.create", "signals.look_up")


def at_once(app: Flask, api: Api, asked: Asked, threads: int, key: str = "one") -> list[Any]:
    """What each of so many threads was answered, who all sent it at the same moment."""
    start = threading.Barrier(threads)

    def ask(number: int) -> Any:
        start.wait()
        with app.app_context():
            return asked.send(Api(app.test_client(), api.key), key)  # type: ignore[arg-type]

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(ask, range(threads)))


def hold_one_effect(
    one: Endpoint, threads: int, app: Flask, api: Api, rival_api: Api, acme: Workspace, rival: Workspace
) -> None:
    """A crowd leaves as many rows as a single request of someone else with the same things."""
    ours, theirs = Asked(one, Stock(acme)), Asked(one, Stock(rival))
    before = count_rows()
    alone = theirs.send(rival_api, "one")
    assert alone.status_code == one.status, alone.text
    between = count_rows()
    answers = at_once(app, api, ours, threads)
    after = count_rows()
    assert added(between, after) == added(before, between)
    done = [answer for answer in answers if answer.status_code == one.status]
    assert len({answer.data for answer in done}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in done) == 1
    for answer in answers:
        waits = (answer.status_code, answer.headers.get("Retry-After")) == (409, "1")
        assert answer in done or waits, answer.text
    again = ours.send(api, "one")
    assert (again.status_code, again.data) == (one.status, done[0].data)
    changed = ours.send_changed(api, "one")
    assert (changed.status_code, changed.json["error"]["code"]) == (409, "conflict")
    assert count_rows() == after
    hold_another_key(one, api, ours, added(before, between))


def hold_another_key(one: Endpoint, api: Api, asked: Asked, effect: dict[str, int]) -> None:
    """It has a second effect, or is refused and has none."""
    before = count_rows()
    answer = asked.send(api, "two")
    assert "Idempotent-Replayed" not in answer.headers
    if READY[one.name].again:
        assert (answer.status_code, added(before, count_rows())) == (one.status, effect)
    elif answer.status_code >= 400:
        assert count_rows() == before


@pytest.mark.parametrize("one", POSTS, ids=lambda one: one.name)
def test_calls_with_the_same_key_at_once_have_one_effect(
    one: Endpoint, app: Flask, api: Api, rival_api: Api, acme: Workspace, rival: Workspace, database_kind: str
) -> None:
    """Every POST, from some threads."""
    hold_one_effect(one, 8 if database_kind == "sqlite" else 4, app, api, rival_api, acme, rival)


@pytest.mark.parametrize("one", [one for one in POSTS if one.name in BY_MANY], ids=lambda one: one.name)
def test_fifty_at_once(one: Endpoint, app: Flask, api: Api, rival_api: Api, acme: Workspace, rival: Workspace) -> None:
    """More than there are connections to the database."""
    hold_one_effect(one, 50, app, api, rival_api, acme, rival)


def test_every_post_is_known_here() -> None:
    """A new one needs a line in `posts.py`."""
    assert {one.name for one in POSTS} == set(READY)


@pytest.mark.parametrize("ids", sorted({one.ids for one in WRITES}), ids="-".join)
def test_a_refusal_leaves_no_row(ids: tuple[str, ...], api: Api, rival_api: Api, acme: Workspace) -> None:
    """No thing, a foreign thing, a field that no one knows: nothing is written, and the key is free again."""
    stock, left = Stock(acme), []
    for one in (one for one in WRITES if one.ids == ids):
        own, nothing = {name: stock.of(one, name) for name in ids}, dict.fromkeys(ids, UNKNOWN_ID)
        key = {"Idempotency-Key": one.name}
        before = count_rows()
        answers = []
        if one.method != "DELETE":  # which does not look at a body
            answers.append(api.call(one.method, path_of(one, own), headers=key, json={"nobody": 1}))
        if ids:
            answers += [
                caller.call(one.method, path_of(one, places), headers=key, **options_of(one))
                for caller, places in ((api, nothing), (rival_api, own))
            ]
        if [answer.status_code for answer in answers if answer.status_code < 400] or count_rows() != before:
            left.append((one.name, [answer.status_code for answer in answers], added(before, count_rows())))
    assert left == []
