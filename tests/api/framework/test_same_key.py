"""The same POST under the same key: one effect, one answer, also from many threads at once; refusals leave nothing.

With `FUZZ_EXAMPLES` set, as by `make verify ARGS=fuzz`, a crowd goes to every POST instead of to three typical ones.
"""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.models.workspaces import Workspace
from tests.api.posts import POSTS, READY, Asked, added, count_rows
from tests.api.stock import UNKNOWN_ID, Stock, entered, options_of, path_of, script
from tests.support.clients import Api, Client

BY_MANY = ("lists.add_leads", "campaigns.create", "signals.look_up")
BY_CROWDS = [one for one in POSTS if one.name in BY_MANY or "FUZZ_EXAMPLES" in os.environ]


def wrong_repetitions(one: Endpoint, api: Api, asked: Asked) -> Iterator[str]:
    """What is wrong when the request is sent twice, with another body, and under another key."""
    before = count_rows()
    first = asked.send(api, "one")
    after = count_rows()
    if first.status_code != one.status:
        yield f"{one.name} does not succeed: {first.text}"
    again, changed = asked.send(api, "one"), asked.send_changed(api, "one")
    if (again.status_code, again.data) != (one.status, first.data) or "Idempotent-Replayed" not in again.headers:
        yield f"{one.name} is not replayed: {again.text}"
    if (changed.status_code, changed.json["error"]["code"]) != (409, "conflict"):
        yield f"{one.name} takes another body under the same key"
    if count_rows() != after:
        yield f"{one.name} has a second effect: {added(after, count_rows())}"
    other = asked.send(api, "two")
    effect = added(after, count_rows())
    if "Idempotent-Replayed" in other.headers:
        yield f"{one.name} is replayed under another key"
    elif READY[one.name].again and (other.status_code, effect) != (one.status, added(before, after)):
        yield f"{one.name} has another effect under another key: {effect}"
    elif other.status_code >= 400 and effect:
        yield f"{one.name} is refused under another key and has an effect: {effect}"


def test_every_post_succeeds_and_repeated_under_its_key_has_one_effect(app: Flask, client: Client) -> None:
    """A new one needs a line in `posts.py`."""
    assert {one.name for one in POSTS} == set(READY)
    wrong: list[str] = []
    for one in POSTS:
        workspace = entered(one.name)
        wrong += wrong_repetitions(one, script(client, workspace), Asked(one, Stock(workspace)))
    assert wrong == []


def at_once(app: Flask, api: Api, asked: Asked, threads: int) -> list[Any]:
    """What each of so many threads was answered, who all sent it at the same moment."""
    start = threading.Barrier(threads)

    def ask(number: int) -> Any:
        start.wait()
        with app.app_context():
            return asked.send(Api(app.test_client(), api.key), "one")  # type: ignore[arg-type]

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(ask, range(threads)))


@pytest.mark.postgres
def test_calls_with_the_same_key_at_once_have_one_effect(app: Flask, client: Client) -> None:
    """A crowd, for three of them larger than there is room for, leaves as many rows as one request alone."""
    for one in BY_CROWDS:
        alone, ours = entered(f"{one.name}.alone"), entered(f"{one.name}.crowd")
        single, asked = Asked(one, Stock(alone)), Asked(one, Stock(ours))
        theirs, api, before = script(client, alone), script(client, ours), count_rows()
        assert single.send(theirs, "one").status_code == one.status, one.name
        between = count_rows()
        effect = added(before, between)
        answers = at_once(app, api, asked, 50 if one.name in BY_MANY else 8)
        assert added(between, count_rows()) == effect, one.name
        done = [answer for answer in answers if answer.status_code == one.status]
        assert len({answer.data for answer in done}) == 1, one.name
        assert sum("Idempotent-Replayed" not in answer.headers for answer in done) == 1, one.name
        for answer in answers:
            waits = (answer.status_code, answer.headers.get("Retry-After"))
            assert answer in done or waits in ((409, "1"), (503, "2")), answer.text


def test_a_refusal_leaves_no_row(api: Api, rival_api: Api, acme: Workspace) -> None:
    """No thing, a foreign thing, a field that no one knows: nothing is written, and the key is free again."""
    stock, left = Stock(acme), []
    for one in (one for one in ENDPOINTS if one.method != "GET"):
        own, nothing = {name: stock.of(one, name) for name in one.ids}, dict.fromkeys(one.ids, UNKNOWN_ID)
        key = {"Idempotency-Key": one.name}
        before = count_rows()
        answers = []
        if one.method != "DELETE":  # which does not look at a body
            answers.append(api.call(one.method, path_of(one, own), headers=key, json={"nobody": 1}))
        if one.ids:
            answers += [
                caller.call(one.method, path_of(one, places), headers=key, **options_of(one))
                for caller, places in ((api, nothing), (rival_api, own))
            ]
        if [answer.status_code for answer in answers if answer.status_code < 400] or count_rows() != before:
            left.append((one.name, [answer.status_code for answer in answers], added(before, count_rows())))
    assert left == []
