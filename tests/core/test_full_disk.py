"""A disk that takes no more: what SQLite says of it is tried, what Postgres says is known by its state."""

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import db_faults
from app.domain.installation.write_check import WriteCheck
from app.health import WRITES
from tests.support import faults
from tests.support.clients import Api, Client


def test_health_notices_that_no_file_can_grow(app: Flask, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk without room, or with a limit of its own."""
    monkeypatch.setitem(app.extensions, WRITES, WriteCheck(patience=0.01))
    with faults.no_room():
        answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()["problem"]) == (503, "The disk can't be read or written.")


def test_a_full_disk_says_so_and_keeps_nothing_half(api: Api) -> None:
    made = api.post("lists", {"name": "Founders"}).get_json()["id"]
    people = [{"publicId": f"ada-{n}", "firstName": "Ada"} for n in range(100)]
    with faults.full():
        answer = api.post(f"lists/{made}/leads", {"profiles": people})
    assert (answer.status_code, answer.get_json()["error"]["message"]) == (503, "The disk is full.")
    assert api.get(f"lists/{made}/leads").get_json()["data"] == []
    assert api.post(f"lists/{made}/leads", {"profiles": people}).status_code == 200


def test_faults_of_postgres_are_known_by_their_state() -> None:
    """A mistake of ours, such as a column that does not exist, is none; a broken connection has no state."""
    for state, fault in (
        ("53100", db_faults.FULL),
        ("25006", db_faults.READ_ONLY),
        ("55P03", db_faults.LOCKED),
        ("58030", db_faults.DISK),
        ("57P01", db_faults.CLOSED),
        ("XX001", db_faults.DAMAGED),
        ("42703", None),
    ):
        raised = sa.exc.OperationalError("SELECT", None, psycopg.errors.lookup(state)("No."))
        assert db_faults.find(raised) is fault, state
    raised = sa.exc.OperationalError("SELECT", None, psycopg.OperationalError("server closed the connection"))
    assert db_faults.find(raised) is db_faults.CLOSED
