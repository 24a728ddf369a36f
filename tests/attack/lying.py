"""A client whose answers are changed on their way: any status, and any part of a JSON answer replaced by anything."""

import json
import random
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from app.providers.http import HttpClient, HttpResponse

NESTED: list[Any] = []
for _ in range(300):
    NESTED = [NESTED]
ODD: list[Any] = [
    *(None, True, -1, 0, 10**30, -(10**30), 1e308, float("nan"), float("inf"), [], {}, [[]], [None], [{}], {"id": {}}),
    *("", " ", "\0", "\ud83e", "x" * 70_000, "0", "-1", "1e999", "null", "<b>", "\u202e", "٣", "²", "١٠"),
    *("2026-99-99T00:00:00Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "T", "2026-03-02"),
    *("https://[", "http://[127.0.0.1]/", "//", "mailto:", "@", "a@b", "ada@[::1]", "data:,", NESTED),
]
BODIES = [b"", b"{}", b"[]", b"null", b"7", b'"x"', b"<html>", b"\xff\xfe", b"[" * 50_000, b'{"a":', b"NaN", b"\0"]
STATUSES = [200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 402, 403, 404, 409, 410, 418, 422, 423, 429, 500, 503]
RETRY = ["", "-1", "1e9", "99999999999999999999", "²", "Wed, 99 Oct 2015 07:28:00 GMT", "soon", "٣"]


class Lying(HttpClient):
    """Its answers are changed as chance has it; told the truth as long as that is None."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_private=True, plain=True, any_port=True, **options)
        self.chance: random.Random | None = None

    def bent(self, told: Any) -> bytes:
        """The body of a call of the service itself, changed likewise."""
        body = json.dumps(told).encode()
        return body if self.chance is None else _odd(body, self.chance)

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"", **how: Any) -> HttpResponse:
        """See HttpClient."""
        answer = super().call(method, url, headers, body, **how)
        return answer if self.chance is None or self.chance.random() < 0.4 else changed(answer, self.chance)


def changed(answer: HttpResponse, chance: random.Random) -> HttpResponse:
    """The answer with something else in it, or of it."""
    status, told, body = answer.status, dict(answer.headers), answer.body
    kind = chance.random()
    if kind < 0.15:
        status = chance.choice(STATUSES)
        told["retry-after"] = chance.choice(RETRY)
    elif kind < 0.25:
        body = chance.choice([*BODIES, body[: chance.randrange(len(body) + 1)]])
    else:
        body = _odd(body, chance)
    return HttpResponse(status, told, body, answer.whole)


def _odd(body: bytes, chance: random.Random) -> bytes:
    try:
        whole = [json.loads(body)]
    except ValueError:
        return body
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        within, key = chance.choice(list(_places(whole)))
        how = chance.random()
        if how < 0.15 and within is not whole:
            del within[key]
        elif how < 0.25 and isinstance(within, list):
            within.append(deepcopy(within[key]))
        else:
            within[key] = deepcopy(chance.choice(ODD))
        whole = whole or [None]
    return json.dumps(whole[0]).encode()


def _places(value: Any) -> Any:
    """Everything within: what holds it, and under which key."""
    for key in range(len(value)) if isinstance(value, list) else value:
        yield value, key
        if isinstance(value[key], list | dict) and value[key] is not NESTED:
            yield from _places(value[key])
