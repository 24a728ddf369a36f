"""The request log: what is written of a request, what never is, and for how long."""

import json
from typing import Any, cast

import sqlalchemy as sa

from app.core import clock as time
from app.core.db import session, transaction
from app.domain.platform import request_log
from app.domain.platform.request_log import LoggedRequest
from app.domain.workspace import api_keys
from app.models.platform.requests import ApiRequest
from app.models.workspaces import Workspace


def a_line(workspace: Workspace, **more: Any) -> LoggedRequest:
    whose: dict[str, Any] = {"workspace_id": workspace.id, "key_id": 1, "ref": "req_1"}
    asked = {"method": "GET", "path": "/v1/me", "milliseconds": 3, "created_at": time.now()}
    told = {"status": 200, "refused": more.get("status", 200) >= 400, "code": "", "sent": "", "answered": ""}
    return cast(LoggedRequest, whose | asked | told | more)


def logged(workspace: Workspace, *filters: Any) -> list[ApiRequest]:
    query = request_log.page(workspace, *filters).order_by(ApiRequest.id.desc())
    return list(session().scalars(query))


def test_logged_requests_are_written_together_per_workspace(acme: Workspace, rival: Workspace) -> None:
    """Each workspace sees its own; the lines of one that is gone spoil nothing."""
    request_log.log(a_line(acme, path="/v1/lists"))
    request_log.log(a_line(acme, status=409, code="conflict", sent='{"a": 1}'))
    request_log.log(a_line(rival))
    assert logged(acme) == []
    assert (request_log.flush(), request_log.flush()) == (3, 0)
    assert [(row.path, row.status, row.refused) for row in logged(acme)] == [
        ("/v1/me", 409, True),
        ("/v1/lists", 200, False),
    ]
    assert request_log.get(acme, logged(acme)[0].id).sent == '{"a": 1}'
    request_log.log(a_line(rival))
    for status, key_id in ((404, 1), (201, 2), (503, 2)):
        request_log.log(a_line(acme, status=status, key_id=key_id))
    with transaction() as current:
        current.execute(sa.delete(Workspace).where(Workspace.id == rival.id))
    request_log.flush()
    assert len(logged(acme)) == session().query(ApiRequest).count() == 5
    assert [row.status for row in logged(acme, "refused")] == [503, 404, 409]
    assert [row.status for row in logged(acme, "ok")] == [201, 200]
    assert [row.status for row in logged(acme, "refused", 1)] == [404, 409]
    assert [row.status for row in logged(acme, "", 2)] == [503, 201]


def test_memory_is_bounded_and_large_batches_are_written_in_pieces(acme: Workspace) -> None:
    """The oldest lines are lost, and nothing else."""
    for number in range(request_log.MOST_WAITING + 5):
        request_log.log(a_line(acme, ref=f"req_{number}"))
    assert request_log.needs_flush()
    assert request_log.flush() == request_log.BATCH
    request_log.finish()
    assert len(logged(acme)) == request_log.MOST_WAITING
    assert logged(acme)[-1].ref == "req_5"
    assert not request_log.needs_flush()


SECRET = "a-very-secret-thing"


def test_any_body_can_be_shown_without_its_secrets() -> None:
    """By the name of the field, however it is escaped, or by their form; it is never long, and can be stored."""
    bodies: list[dict[str, Any]] = [
        {"apiKey": SECRET},
        {"restrictedKey": SECRET, "name": "n"},
        {"a": [{"Client_Secret": SECRET}]},
        {"accessToken": SECRET, "password": SECRET},
        {"note": f"Bearer {SECRET}"},
        {"note": f"whsec_{SECRET}"},
        {"kind": "chat", "target": f"https://chat.example/{SECRET}"},
    ]
    for body in bodies:
        for raw in (json.dumps(body), json.dumps(body).replace("K", "\\u004b").replace("S", "\\u0053")):
            shown = request_log.shown_body(raw.encode())
            assert SECRET not in shown
            assert json.loads(shown).keys() == body.keys()
    for odd in (
        b"",
        b"{",
        b"\xff",
        b"[" * 50_000,
        b'{"a": "\\u0000\\ud800"}',
        b'{"apiKey": "' + SECRET.encode() + b"x" * 100_000 + b'"}',
        ('{"name": "' + "é" * 9000 + '"}').encode(),
        b'{"apiKey": "' + SECRET.encode(),
    ):
        shown = request_log.shown_body(odd)
        assert len(shown) <= request_log.LONGEST + 1
        assert SECRET not in shown
        assert "\0" not in shown
        shown.encode()


def test_a_key_in_an_address_is_not_kept(acme: Workspace) -> None:
    key = api_keys.create(acme, "k", "all")[1]
    for query in (f"limit=5&api_key={SECRET}", f"key={key}", f"a={key}"):
        shown = request_log.shown_path("/v1/me", query)
        assert SECRET not in shown
        assert key not in shown
    assert request_log.shown_path("/v1/" + "x" * 9000, "") == "/v1/" + "x" * (request_log.LONGEST_PATH - 4)
