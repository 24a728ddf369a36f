"""Whoever is signed in while SECRET_KEY is replaced notices nothing, if they are seen before the old one is emptied."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from app.core import crypto
from app.core.db import end_read
from app.domain.platform import secret_rotation
from tests.pages.conftest import Web

FIRST = "a key for tests, as long as a key must be"
SECOND = "the second key, as long as a key must be"


@pytest.fixture
def _first(app: Flask) -> Iterator[None]:
    crypto.use_secret(FIRST, (), secret_rotation.signing_keys)
    yield
    crypto.use_secret(FIRST)


def opened(app: Flask, cookie: str) -> tuple[int, str]:
    """The status of a page for whoever has that cookie, and the cookie afterwards."""
    client = app.test_client()
    client.set_cookie("overture", cookie)
    with app.app_context():
        status = client.get("/settings").status_code
        end_read()
    kept = client.get_cookie("overture")
    return status, kept.value if kept else ""


@pytest.mark.usefixtures("_first")
def test_a_session_cookie_is_signed_again_with_the_new_secret(make_app: Callable[..., Flask], web: Web) -> None:
    """The cookie is signed anew by the first page; one that was not seen meanwhile is worth nothing."""
    before = web.client.get_cookie("overture")
    assert before
    end_read()
    both = make_app(SECRET_KEY=SECOND, OVERTURE_OLD_SECRET_KEYS=(FIRST,))
    with both.app_context():
        assert sum(one.shut for one in secret_rotation.rotate()) == 0
        end_read()
    status, after = opened(both, before.value)
    assert (status, after == before.value) == (200, False)
    alone = make_app(SECRET_KEY=SECOND)
    assert opened(alone, after)[0] == 200
    assert opened(alone, before.value)[0] == 303
