"""Replacing SECRET_KEY: everything sealed is sealed anew, everything signed stays valid, and nothing is half done."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import clock, crypto
from app.core.crypto import NAMED, PURPOSES, keyring
from app.core.db import Base, end_read, session, transaction
from app.domain.autopilot import sources
from app.domain.installation import doctor
from app.domain.notifications import destinations
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, idempotency, secret_rotation, services
from app.domain.platform.idempotency import Kept
from app.domain.webhooks import endpoints
from app.domain.workspace import api_keys, sessions, two_factor
from app.domain.workspace import workspaces as places
from app.models.platform.installation import KeptKey
from app.models.platform.requests import IdempotencyKey
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.support.finders import RIGHT, offered

FIRST = "a key for tests, as long as a key must be"
SECOND = "the second key, as long as a key must be"
THIRD = "the third key, also as long as a key must be"
CHAT = "https://hooks.slack.com/services/T000/B000/tokentoken1234"
# Bytes that are not sealed: hashes, and what people sent in.
OPEN = set(
    """
    api_key.digest attachment.content audit_entry.digest browser_session.digest browser_session.former_digest
    idempotency_key.fingerprint invitation.digest lead_import.content password_reset.digest recovery_code.digest
    """.split()
)
With = Callable[..., None]


@pytest.fixture
def with_secret(app: Flask) -> Iterator[With]:
    """The process starts anew with that SECRET_KEY, and older ones that still open."""

    def begin(secret: str, *older: str) -> None:
        end_read()
        session().expire_all()
        crypto.use_secret(secret, older, secret_rotation.signing_keys)

    yield begin
    crypto.use_secret(FIRST)


@pytest.fixture
def ours(app: Flask) -> Workspace:
    crypto.use_secret(FIRST, (), secret_rotation.signing_keys)
    workspace = places.create("Ours", "ada@ours.example", PASSWORD)
    offered()
    services.connect(workspace, "finder", {"api_key": RIGHT})
    hook, _ = endpoints.create(workspace, name="CRM", url="http://127.0.0.1:9/hook", event="every_reply")
    endpoints.rotate_secret(workspace, hook.id)
    destinations.set_destination(workspace, "chat", CHAT, False)
    end_read()
    idempotency.with_idempotency_key(
        workspace, "first", b"asked", "request", lambda: Kept(200, b"the answer"), together=False
    )
    end_read()
    return workspace


def begins() -> set[bytes]:
    found = set()
    for sealed in secret_rotation.sealed_columns():
        found |= {bytes(one)[:NAMED] for one in session().scalars(sa.select(sealed).where(sealed.is_not(None)))}
    end_read()
    return found


def anew() -> dict[str, int]:
    """How many values of each column were sealed anew, where there were any."""
    found = {one.column: one.anew for one in secret_rotation.rotate() if one.anew}
    assert not any(one.shut for one in secret_rotation.rotate())
    return found


def kept_answer(workspace: Workspace, key: str, asked: bytes, request: str) -> Kept:
    """What the idempotency key answers with; nothing is done anew for it."""
    found = idempotency.with_idempotency_key(workspace, key, asked, request, lambda: Kept(500, b""), together=False)
    end_read()
    return found


def opens(workspace: Workspace) -> None:
    end_read()
    [ready] = services.credentials_for(workspace, "email")
    assert ready.credentials.values["api_key"] == RIGHT
    [hook] = endpoints.every(workspace)
    assert hook.former_secret is not None
    for sealed in (hook.secret, hook.former_secret):
        assert endpoints.unseal(sealed, hook.id, workspace.id).startswith("whsec_")
    end_read()
    again = kept_answer(workspace, "first", b"asked", "request")
    assert (again.body, again.replayed) == (b"the answer", True)


def test_after_rotation_only_the_new_secret_opens_everything(ours: Workspace, with_secret: With) -> None:
    """With the new secret alone everything opens, and the old one opens nothing."""
    with_secret(SECOND, FIRST)
    opens(ours)
    found = anew()
    assert {"webhook.secret", "webhook.former_secret", "service_login.sealed"} <= set(found)
    assert {"autopilot_setup.alerts_sealed", "idempotency_key.answer"} <= set(found)
    assert anew() == {}
    assert begins() == {keyring().newest}
    with_secret(SECOND)
    opens(ours)
    with_secret(FIRST)
    assert services.credentials_for(ours, "email") == []


def test_every_column_of_bytes_is_sealed_for_its_own_row_or_known_to_be_open() -> None:
    """A new one has to say in its model what it is bound to, or be named here; columns of a row may share that."""
    columns = [column for table in Base.metadata.sorted_tables for column in table.columns]
    bytes_of = {str(column) for column in columns if isinstance(column.type, sa.LargeBinary)}
    sealed = {str(column) for column in secret_rotation.sealed_columns()}
    assert bytes_of == sealed | OPEN
    assert not sealed & OPEN
    for column in secret_rotation.sealed_columns():
        table, template = column.table, column.info["sealed"]
        assert template.startswith(f"{table.name}|")
        assert all(f"{{{key.name}}}" in template for key in table.primary_key)


def test_what_was_signed_stays_valid(ours: Workspace, with_secret: With, tmp_path: Path) -> None:
    """Keys of scripts, sessions, codes, erased people and the audit log, without the secrets that came before."""
    user = places.user_of("ada@ours.example")
    _, plain = api_keys.create(ours, "Script", ["all"])
    token = sessions.begin(user, "127.0.0.1", "Browser")
    never_contact.add(ours, ["someone@erased.example"])
    before = {purpose: keyring().sign(purpose, b"x") for purpose in PURPOSES}
    for secret, older in ((SECOND, [FIRST]), (THIRD, [SECOND])):
        with_secret(secret, *older)
        anew()
        with_secret(secret)
        assert {purpose: keyring().sign(purpose, b"x") for purpose in PURPOSES} == before
        assert api_keys.authenticate(f"Bearer {plain}").workspace.id == ours.id
        assert sessions.find(token)
        assert list(audit_log.verify_chain()) == []
        end_read()
    assert session().scalar(sa.select(sa.func.count()).select_from(KeptKey)) == len(PURPOSES)


def test_a_stopped_rotation_goes_on_where_it_was(
    ours: Workspace, with_secret: With, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_rotation, "BATCH", 5)
    rows, at = 12, clock.now()
    with transaction() as current:
        for number in range(rows):
            key = f"key-{number}"
            sealed = keyring().seal(
                b"kept", secret_rotation.associated_data(IdempotencyKey.answer, key=key, workspace_id=ours.id)
            )
            answered: dict[str, Any] = {"fingerprint": b"", "owner": "", "claimed_until": at, "status": 200}
            current.add(IdempotencyKey(workspace_id=ours.id, key=key, answer=sealed, created_at=at, **answered))
    with_secret(SECOND, FIRST)
    stopped = 0

    @sa.event.listens_for(session().get_bind(), "before_cursor_execute")
    def stop(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        nonlocal stopped
        if statement.startswith("UPDATE idempotency_key"):
            stopped += 1
            if stopped == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(secret_rotation.rotate())
    sa.event.remove(session().get_bind(), "before_cursor_execute", stop)
    end_read()
    assert len(begins()) == 2
    assert anew()["idempotency_key.answer"] == rows + 1 - secret_rotation.BATCH
    with_secret(SECOND)
    for number in (0, secret_rotation.BATCH, rows - 1):
        assert kept_answer(ours, f"key-{number}", b"", "").body == b"kept"


def test_what_no_one_can_open_is_counted_and_left(ours: Workspace, with_secret: With) -> None:
    """All else is sealed anew, and once its key is named again it opens.

    A value moved to another row is not sealed anew, because it would open there then.
    """
    with_secret(SECOND, FIRST)
    late, _ = endpoints.create(ours, name="Late", url="http://127.0.0.1:9/late", event="every_reply")
    with_secret(THIRD, FIRST)
    counts = {one.column: (one.anew, one.shut) for one in secret_rotation.rotate()}
    assert counts["webhook.secret"] == (1, 1)
    with_secret(THIRD, SECOND)
    assert anew() == {"webhook.secret": 1}
    with transaction() as current:
        taken = current.scalars(sa.select(Webhook.secret).where(Webhook.id != late.id)).one()
        current.execute(sa.update(Webhook).where(Webhook.id == late.id).values(secret=taken))
    with_secret(SECOND, THIRD)
    assert {one.column: one.shut for one in secret_rotation.rotate() if one.shut} == {"webhook.secret": 1}


def test_the_doctor_says_what_to_do(ours: Workspace, with_secret: With, tmp_path: Path) -> None:
    def told() -> list[str]:
        end_read()
        return [remedy for _, remedy in doctor.CHECKS["secrets"][1](tmp_path)]

    assert told() == []
    with_secret(SECOND, FIRST)
    assert set(told()) == {"Run `overture secrets rotate`."}
    with_secret(SECOND)
    assert {"OVERTURE_OLD_SECRET_KEYS" in one for one in told()} == {True}
    with_secret(SECOND, FIRST)
    anew()
    with_secret(SECOND)
    assert told() == []


def test_a_second_factor_and_sources_survive(acme: Workspace, with_secret: With) -> None:
    """The sandbox connects sources; a person their phone."""
    crypto.use_secret(FIRST, (), secret_rotation.signing_keys)
    user = places.user_of("ada@acme.example")
    secret = two_factor.prepare(user)
    sources.connect_analytics(acme, "phx_secret", "eu", "42")
    end_read()
    with_secret(SECOND, FIRST)
    found = anew()
    assert found == {"second_factor.secret": 1, "source_connection.sealed": 1}
    with_secret(SECOND)
    assert two_factor.prepare(user) == secret
