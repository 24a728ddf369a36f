"""Lies: a client whose answers are changed on their way, in their status or any part, and what becomes of each."""

import json
import os
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import is_dataclass
from typing import Any

from app.core import text
from app.ports import ProviderError
from app.providers.http import HttpClient, HttpResponse
from tests.support.size import sized

TIMES = sized(150)  # how often each call of a service is answered with a lie
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
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


class Verdict:
    """Counts calls that were refused in a sentence, and whatever else went wrong: errors of ours, and unkept texts."""

    def __init__(self) -> None:
        self.told, self.odd = 0, Counter[str]()

    def hear(self, name: str, call: Callable[[], object]) -> None:
        """Call, and count what becomes of it."""
        try:
            answer = call()
        except ProviderError as problem:
            self.told += bool(problem.sentence)
        except Exception as problem:  # noqa: BLE001 whatever it is, it is told
            self.odd[f"{name}: {problem!r:.150} at {_place_of(problem)}"] += 1
        else:
            self.odd.update(f"{name}: {found!r}" for found in _unkept(answer))


def _place_of(problem: Exception) -> str:
    """The last line of ours that it went through."""
    ours = [frame for frame in traceback.extract_tb(problem.__traceback__) if "/app/" in frame.filename]
    return f"{ours[-1].filename.partition('/app/')[2]}:{ours[-1].lineno}" if ours else "our own test"


def _unkept(answer: Any) -> Iterator[str]:
    """Texts in what comes back that no database keeps."""
    if is_dataclass(answer) and not isinstance(answer, type):
        answer = {name: value for name, value in vars(answer).items() if name != "keep"}
    if isinstance(answer, dict):
        answer = [*answer, *answer.values()]
    if isinstance(answer, str):
        if not text.is_text(answer):
            yield answer[:100]
    elif isinstance(answer, list | tuple | set | frozenset):
        for one in answer:
            yield from _unkept(one)
