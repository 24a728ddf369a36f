"""A page says what is wrong with the disk or the database, and pages that only read are shown."""

import pytest

from tests.pages.conftest import Web
from tests.support import faults
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def test_pages_are_read_while_nothing_can_be_written(web: Web, clock: Movable) -> None:
    clock.forward(minutes=10)
    with faults.read_only():
        assert web.get("/lists").status_code == 200
    with faults.locked():
        assert web.get("/lists").status_code == 200


def test_a_form_says_why_it_could_not_be_saved(web: Web) -> None:
    web.token()
    with faults.read_only():
        page, toast = web.post("/lists", name="Founders"), web.post("/lists", name="Founders", htmx=True)
    for answer in (page, toast):
        assert answer.status_code == 503
        assert "The database is read-only. Nothing was changed." in answer.text
        assert int(answer.headers["Retry-After"]) > 0
