"""How tests talk to the application over HTTP: as a browser without a screen, and as a script with an API key."""

import contextvars
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.db import end_read, session
from tests.support.contract import contract_of


class Client(FlaskClient):
    """A client whose requests have a context and a session of their own, as they have on a server.

    Whatever `/v1` answers is held against the document that the application publishes.
    """

    def open(self, *arguments: Any, **options: Any) -> TestResponse:
        """The answer to one request. What the test had read before is read again after it."""
        end_read()
        options.setdefault("buffered", True)  # what is sent while it is made is made in the request's context
        answer: TestResponse = contextvars.Context().run(super().open, *arguments, **options)
        session().expire_all()
        if answer.request.path.startswith("/v1/") and answer.request.path != "/v1/openapi.json":
            problem = contract_of(self.application).problem(answer)
            assert not problem, problem
        return answer


class Api:
    """Calls `/v1` with a key: `api.get("leads", limit=10)`, `api.post("lists", {"name": "Founders"})`."""

    def __init__(self, client: Client, key: str) -> None:
        self._client, self.key = client, key

    def get(self, path: str, **query: Any) -> TestResponse:
        return self.call("GET", path, query_string=query)

    def post(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        """The answer to a POST; `idempotency_key="…"` and the like become headers."""
        return self.call("POST", path, json=body, headers=headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("PATCH", path, json=body, headers=headers)

    def put(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("PUT", path, json=body, headers=headers)

    def delete(self, path: str, **headers: str) -> TestResponse:
        return self.call("DELETE", path, headers=headers)

    def call(self, method: str, path: str, headers: dict[str, str] | None = None, **options: Any) -> TestResponse:
        """The answer to any request; a body of None is not sent."""
        sent = {"Authorization": f"Bearer {self.key}"}
        sent |= {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if options.get("json", ...) is None:
            del options["json"]
        return self._client.open("/v1/" + path.lstrip("/"), method=method, headers=sent, **options)


def _refused(answer: Any) -> list[dict[str, str]]:
    assert (answer.status_code, answer.json["error"]["code"]) == (400, "invalid_request"), answer.json
    return list(answer.json["error"]["fields"])


def fields(answer: Any) -> dict[str, str]:
    """The sentences of a refusal of `/v1` by their paths."""
    return {field["path"]: field["message"] for field in _refused(answer)}


def paths(answer: Any) -> list[str]:
    """The paths that a refusal of `/v1` names, in its order."""
    return [field["path"] for field in _refused(answer)]
