"""A small client of the API, made from nothing but the published document: what a program of a user's would look like.

    overture = Overture(send, key)
    found = overture.call("lists.create", body={"name": "Founders"})
    for lead in overture.walk("lists.leads_page", listId=found["id"]):
        …

Operations go by their published names. A POST carries a key of its own, so that it can be repeated; after 429 and 503
the client waits as long as it is told and tries again.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, cast

Json = dict[str, Any]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
TRIES = 5


class Problem(TypedDict):
    """One invalid field."""

    path: str
    message: str


@dataclass(frozen=True)
class Answer:
    """What came back over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes


# Sends one request: method, path, query, headers, body.
Send = Callable[[Method, str, Mapping[str, Any], Mapping[str, str], bytes | None], Answer]


@dataclass
class Refused(Exception):
    """The service refused, and said why and what to do next."""

    status: int
    code: str
    message: str
    request_id: str
    recovery: str = ""
    fields: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Operation:
    """One published operation."""

    method: Method
    path: str
    status: int
    places: tuple[str, ...]
    query: tuple[str, ...]
    scope: str | None


class Overture:
    """The API with one key."""

    def __init__(self, send: Send, key: str, *, wait: Callable[[float], object] = time.sleep) -> None:
        self._send, self._key, self._wait = send, key, wait
        self.document: Json = json.loads(send("GET", "/v1/openapi.json", {}, {}, None).body)
        self.operations = dict(self._operations())

    def call(self, name: str, *, body: Any = None, key: str | None = None, **given: Any) -> Any:
        """What the operation answers; Refused otherwise. `given` are its places in the path and its query."""
        operation = self.operations[name]
        unknown = set(given) - {*operation.places, *operation.query}
        if unknown or set(operation.places) - set(given):
            raise TypeError(f"{name} takes {', '.join((*operation.places, *operation.query)) or 'nothing'}.")
        path = operation.path.format(**{place: given[place] for place in operation.places})
        query = {parameter: given[parameter] for parameter in operation.query if parameter in given}
        headers = {"Authorization": f"Bearer {self._key}"}
        if operation.method == "POST":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        raw = None
        if body is not None:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "text/csv" if isinstance(body, bytes) else "application/json"
        return self._answered(operation, path, query, headers, raw)

    def walk(self, name: str, **given: Any) -> Iterator[Json]:
        """Every item of a list, page after page."""
        cursor = ""
        while True:
            page = self.call(name, **given, **({"cursor": cursor} if cursor else {}))
            yield from page["data"]
            cursor = page["nextCursor"]
            if not cursor:
                return

    def _answered(
        self, operation: Operation, path: str, query: Json, headers: Mapping[str, str], raw: bytes | None
    ) -> Any:
        for attempt in range(TRIES):
            answer = self._send(operation.method, path, query, headers, raw)
            if answer.status not in (429, 503) or attempt == TRIES - 1:
                break
            self._wait(float(answer.headers.get("Retry-After", "1")))
        if answer.status == operation.status:
            return _read(answer)
        error = json.loads(answer.body)["error"]
        raise Refused(
            answer.status,
            error["code"],
            error["message"],
            error["requestId"],
            error.get("recovery", ""),
            error.get("fields", []),
        )

    def _operations(self) -> Iterator[tuple[str, Operation]]:
        for path, methods in self.document["paths"].items():
            for method, found in methods.items():
                named = [self._parameter(one) for one in found["parameters"]]
                places, query = (tuple(one["name"] for one in named if one["in"] == at) for at in ("path", "query"))
                status = next(int(status) for status in found["responses"] if status.startswith("2"))
                verb = cast(Method, method.upper())
                yield (
                    found["operationId"],
                    Operation(verb, path, status, places, query, next(iter(found["x-scopes"]), None)),
                )

    def _parameter(self, one: Json) -> Json:
        if "$ref" not in one:
            return one
        return cast(Json, self.document["components"]["parameters"][one["$ref"].rpartition("/")[2]])


def _read(answer: Answer) -> Any:
    if not answer.body:
        return None
    return json.loads(answer.body) if "json" in answer.headers.get("Content-Type", "") else answer.body
