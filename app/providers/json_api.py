"""A JSON API client: what all services share, above all their failures."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.ports import ProviderError, Throttled, Unreachable
from app.providers.http import HttpClient, HttpResponse, retry_after

WITHIN, MOST = 10.0, 4_000_000  # seconds, so that a walk through several services fits into one lease; bytes
USUAL_REST, LONGEST_REST = 60, 86_400  # seconds
Query = Mapping[str, str | int | Sequence[str]]


@dataclass(frozen=True)
class Reply:
    """A whole answer: its status, its JSON (None when it is none) and its first words for sentences."""

    status: int
    json: Any
    words: str
    headers: Mapping[str, str]

    def part(self, *names: str) -> Any:
        """See `part_of`."""
        return part_of(self.json, *names)

    def things(self, *names: str) -> list[dict[str, Any]]:
        """See `things_of`."""
        return things_of(self.json, *names)


class JsonApi:
    """Asks one service at one address. `title` is what people call it."""

    def __init__(self, client: HttpClient, title: str, url: str, *, within: float = WITHIN, most: int = MOST) -> None:
        self._client, self._title, self._url = client, title, url.rstrip("/")
        self._within, self._most = within, most

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        *,
        query: Query | None = None,
        body: Any = None,
        form: Query | None = None,
    ) -> Reply:
        """Return the answer below 500; raise Unreachable without one, and Throttled with its wait for 429."""
        url = self._url + path + (f"?{urlencode(query, doseq=True)}" if query else "")
        sent, more = b"", {"accept": "application/json"}
        if body is not None:
            sent, more["content-type"] = json.dumps(body).encode(), "application/json"
        elif form is not None:
            sent, more["content-type"] = urlencode(form, doseq=True).encode(), "application/x-www-form-urlencoded"
        try:
            answer = self._client.call(method, url, {**more, **headers}, sent, most=self._most, within=self._within)
        except Unreachable as failure:
            raise Unreachable(f"{self._title} is not reachable: {failure.sentence}") from None
        return self._reply(answer)

    def sound(self, reply: Reply, failure: ProviderError | None, *within: str) -> Reply:
        """Return a successful reply with an object (under those names); raise the failure otherwise."""
        if failure:
            raise failure
        if reply.status == 200 and not isinstance(reply.part(*within), dict):
            raise self.strange()
        return reply

    def _reply(self, answer: HttpResponse) -> Reply:
        if answer.status >= 500:
            raise Unreachable(f"{self._title} is down or under maintenance ({answer.status}). Try again later.")
        if not answer.whole:
            raise Unreachable(f"{self._title} returned a response that is too large.")
        if answer.status == 429 and "retry-after" in answer.headers:
            raise self.throttled(answer.headers)
        text = answer.body.decode(errors="replace")
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
            if answer.status == 200:
                raise self.strange() from None
        return Reply(answer.status, found, re.sub(r"\s+", " ", text)[:200].strip(), answer.headers)

    def throttled(self, headers: Mapping[str, str]) -> Throttled:
        """Return Throttled with the wait that the service asks for."""
        wait = retry_after(headers.get("retry-after"))
        return Throttled(f"{self._title} has reached its request limit for now.", min(wait or USUAL_REST, LONGEST_REST))

    def strange(self, what: str = "") -> Unreachable:
        """Return Unreachable for an answer that breaks the service's contract."""
        more = f": {what}" if what else ""
        return Unreachable(f"{self._title} returned an unexpected response{more}. Nothing was saved.")


def part_of(value: Any, *names: str) -> Any:
    """Return the value under nested names; None when one is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def things_of(value: Any, *names: str) -> list[dict[str, Any]]:
    """Return the objects in the list under these names; [] without a list."""
    found = part_of(value, *names)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text_of(value: Any, most: int = 300) -> str:
    """Return a text that can be stored; '' for other values, such as `true` for data not sold."""
    if not isinstance(value, str):
        return ""
    return "".join(letter if letter.isprintable() else " " for letter in value[: most * 2]).strip()[:most]


def id_of(value: Any) -> str:
    """Return an id, which some answers write as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_of(value)


def number_of(value: Any) -> int | None:
    """Return a count; None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**12:
        return None
    return int(value)


def share_of(value: Any) -> float | None:
    """Return a growth such as 0.12; None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value < 1000:
        return None
    return round(float(value), 3)
