"""What an endpoint can declare besides JSON in and JSON out, on endpoints of this file alone."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.dispatch import Answering
from app.api.framework.endpoint import CsvFile, CsvUpload, Filter, endpoint, one_of, v1
from app.api.framework.openapi import document
from app.core.errors import NotFound
from app.domain.leads import lists
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from app.resources import ListResource
from tests.support.clients import Api, paths

MOST = 6_000_000
seen: list[Any] = []


def take(workspace: Workspace, kind: str, body: CsvUpload, file_name: str = "people.csv") -> LeadList:
    seen.append((kind, body.stream.read(), file_name))
    return lists.create_list(workspace, file_name)


def give(workspace: Workspace, by: str = "day", if_match: str | None = None) -> CsvFile:
    if by == "nothing":
        return CsvFile("none.csv", _broken())
    pieces = (piece.encode() for piece in ("a,b\r\n", f"{by},{if_match}\r\n"))
    return CsvFile("Gründer 1.csv", pieces if by == "step" else b"".join(pieces))


def _broken() -> Iterator[bytes]:
    raise NotFound("There is nothing.")
    yield b""


@pytest.fixture(scope="module")
def trial(build_app: Callable[..., Flask]) -> Flask:
    before = len(ENDPOINTS)
    name = Filter(str, {"type": "string"}, "What the list is called.")
    words = {"kind": ("icp", "style")}
    options: Any = {"scope": "lists:write", "status": 202, "words": words, "filters": {"fileName": name}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(v1, "add_url_rule", lambda *_, **__: None)
        endpoint("POST", "/trial/<kind>", returns=ListResource, csv=MOST, **options)(take)
        by = one_of("day", "step", "nothing")
        endpoint("GET", "/trial", scope=None, returns=CsvFile, filters={"by": by}, if_match=True)(give)
    app = build_app()
    for one in ENDPOINTS[before:]:
        app.add_url_rule("/v1" + one.path, one.name, Answering(one), methods=[one.method])
    published = document(ENDPOINTS, "http://localhost")
    app.extensions["openapi"] = lambda: published
    del ENDPOINTS[before:]
    return app


@pytest.fixture
def script(trial: Flask, api: Api) -> Api:
    seen.clear()
    return Api(trial.test_client(), api.key)  # type: ignore[arg-type]


def send(script: Api, raw: bytes, path: str = "trial/icp", **headers: str) -> Any:
    return script.call("POST", path, data=raw, headers={"Content-Type": "text/csv; charset=utf-8", **headers})


def test_a_file_is_taken_as_it_is_with_what_the_query_says(script: Api) -> None:
    """Another word in the address than the declared ones is not found, just like an id that nothing has."""
    for word in ("ICP", "other", "%00", "icp%20", "1"):
        assert send(script, b"a", f"trial/{word}").status_code == 404, word
    assert seen == []
    answer = send(script, b"a,b\n1,\xff\n", "trial/style?fileName=mine.csv")
    assert (answer.status_code, answer.json["name"]) == (202, "mine.csv")
    assert seen == [("style", b"a,b\n1,\xff\n", "mine.csv")]


def test_a_file_is_taken_once_per_key(script: Api) -> None:
    first, again = (send(script, b"a\n1\n", Idempotency_Key="k") for _ in range(2))
    assert (again.get_data(), again.headers["Idempotent-Replayed"]) == (first.get_data(), "true")
    assert send(script, b"a\n2\n", Idempotency_Key="k").status_code == 409
    assert send(script, b"a\n1\n", "trial/icp?fileName=x", Idempotency_Key="k").status_code == 409
    assert len(seen) == 1


def test_a_file_may_be_larger_than_json_and_no_larger_than_declared(script: Api) -> None:
    assert send(script, b"a" * MOST).status_code == 202
    assert send(script, b"a" * (MOST + 1)).status_code == 413
    assert script.post("trial/icp", {"a": 1}).status_code == 415
    assert len(seen) == 1


def test_an_answer_can_be_a_file(script: Api) -> None:
    for by in ("day", "step"):
        answer = script.call("GET", f"trial?by={by}", headers={"If-Match": '"7"'})
        assert (answer.status_code, answer.get_data()) == (200, f"a,b\r\n{by},7\r\n".encode())
        assert answer.content_type == "text/csv; charset=utf-8"
        assert "filename*=UTF-8''Gr%C3%BCnder%201.csv" in answer.headers["Content-Disposition"]
        assert answer.headers["Cache-Control"] == "no-store"
    assert script.get("trial", by="nothing").status_code == 404


def test_a_query_parameter_that_does_not_fit_is_named(script: Api) -> None:
    assert paths(script.call("GET", "trial?by=year&by=day")) == ["by", "by"]
