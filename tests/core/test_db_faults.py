"""What is wrong with the disk or the database is said in words; reading goes on, and no reader waits for a note."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import db_faults
from app.core.db import db, end_read, session, transaction
from app.domain.installation.write_check import WriteCheck
from app.domain.workspace import api_keys
from app.health import WRITES
from app.models.leads import LeadList
from app.models.workspaces import ApiKey, Workspace
from tests.support import faults
from tests.support.clients import Api, Client
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

Fault = Callable[[], AbstractContextManager[None]]
READ_ONLY = "The database is read-only."


def test_health_tries_a_write_and_says_what_is_wrong(app: Flask, client: Client, monkeypatch: Any) -> None:
    """The schema alone can be read from a disk that takes nothing."""
    locked = "The database is locked by another program."
    for fault, problem in ((faults.read_only, READ_ONLY), (faults.locked, locked)):
        monkeypatch.setitem(app.extensions, WRITES, WriteCheck(patience=0.01))  # it keeps what it saw for five seconds
        with fault():
            answer = client.get("/healthz")
        assert (answer.status_code, answer.get_json()["problem"]) == (503, problem)


def test_health_writes_at_most_once_in_five_seconds(app: Flask, client: Client) -> None:
    """It is asked all the time, and answers from what it saw last."""
    written: list[str] = []
    sa.event.listen(db.engine, "before_cursor_execute", lambda *about: written.append(about[2]))
    client.get("/healthz")
    client.get("/healthz")
    assert sum("UPDATE alembic_version" in statement for statement in written) <= 1


@pytest.mark.parametrize("fault", [faults.read_only, faults.locked])
def test_reading_with_a_key_goes_on(acme: Workspace, api: Api, clock: Movable, fault: Fault) -> None:
    """The note of its use is left out, and made by a later request."""
    api.get("lists")
    key = session().scalars(sa.select(ApiKey).where(ApiKey.workspace_id == acme.id)).one()
    before = key.last_used_at
    clock.forward(minutes=2)
    with fault():
        assert api.get("lists").status_code == 200
    assert api_keys.get(acme, key.id).last_used_at == before
    api.get("lists")
    assert api_keys.get(acme, key.id).last_used_at == clock.at


def test_reading_with_a_key_waits_for_no_transaction_of_this_process(acme: Workspace, api: Api, clock: Movable) -> None:
    """Such as a large import. It would wait for ever here, for the transaction ends after the answer."""
    api.get("lists")
    clock.forward(minutes=2)
    answered: list[int] = []

    with transaction() as current:
        current.execute(sa.update(ApiKey).values(name="Held"))
        reader = threading.Thread(target=lambda: answered.append(_read_apart(api)))
        reader.start()
        reader.join(timeout=30)
        assert answered == [200]
    assert acme.id


def _read_apart(api: Api) -> int:
    with api._client.application.app_context():
        return api.get("lists").status_code


def test_a_write_to_a_read_only_database_says_so(api: Api) -> None:
    """Nothing was changed, and the answer names what to do."""
    with faults.read_only():
        answer = api.post("lists", {"name": "Founders"})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "unavailable")
    assert answer.get_json()["error"]["message"] == READ_ONLY
    assert int(answer.headers["Retry-After"]) > 0
    end_read()
    assert session().scalar(sa.select(LeadList.id)) is None


def test_a_mistake_or_a_damaged_file_is_told_from_a_busy_database(app: Flask, tmp_path: Path) -> None:
    """Waiting or trying again would not help; SQLite raises all of them as the same kind of error."""
    with app.app_context(), pytest.raises(sa.exc.DBAPIError) as raised:
        session().execute(sa.text("SELECT nothing FROM nowhere"))
    session().rollback()
    assert db_faults.find(raised.value) is db_faults.refusal(raised.value) is None
    for content in (b"This is no database. " * 500, b"SQLite format 3\x00" + b"\x07" * 8000):
        file = tmp_path / "damaged.db"
        file.write_bytes(content)
        engine = sa.create_engine(f"sqlite:///{file}", poolclass=sa.NullPool)
        with pytest.raises(sa.exc.DatabaseError) as raised, engine.connect() as connection:
            connection.execute(sa.text("SELECT name FROM sqlite_master"))
        refusal = db_faults.refusal(raised.value)
        assert refusal.message == "The database is damaged."
