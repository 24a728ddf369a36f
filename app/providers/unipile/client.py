"""Unipile's HTTP client: key, errors, paging, and one deadline for all calls."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, urlencode

from app.core import text
from app.ports import ProviderError, Throttled, Unknown, Unreachable
from app.providers.http import HttpClient
from app.providers.outbound import Deadline
from app.providers.unipile.failures import KEY_REFUSED, QUARTER, failure
from app.providers.unipile.parsing import Json, parts

MOST = 4_000_000  # bytes of an answer
ONE_CALL = 30.0  # seconds
PAGES = 40
WHOLE_PAGE = 3  # items; fewer may all be odd by chance
T = TypeVar("T")
Query = Mapping[str, str | int | None]


class Garbled(Unreachable):
    """An answer came, and its format is unknown."""


class Client:
    """Calls to one address with one key, all of which end within `within` seconds.

    `aside` takes the items of lists that can't be read, for a reader of what came in. Without it one such item makes a
    list unreadable: a lookup must not take what it can't read for what is not there.
    """

    aside: list[Json] | None = None

    def __init__(self, client: HttpClient, address: str, key: str, within: float) -> None:
        self.address = address
        self._client, self._key = client, key
        self._deadline = Deadline(within)

    def get(self, path: str, **query: str | int | None) -> Json:
        """Return the answer of a GET."""
        return self._read(self._call("GET", path, query, {}, b"", once=False))

    def post(self, path: str, body: Json | None = None, *, once: bool = True, **query: str | int | None) -> Json:
        """Return the answer of a POST; raise Unknown when it may have worked and the answer is lost."""
        headers = {"content-type": "application/json"}
        answer = self._call("POST", path, query, headers, json.dumps(body or {}).encode(), once=once)
        return self._done(answer) if once else self._read(answer)

    def form(self, path: str, fields: Sequence[tuple[str, str]]) -> Json:
        """Return the answer of a form POST, which v1 needs for messages."""
        mark = secrets.token_hex(16)
        written = [
            f'--{mark}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields
        ]
        body = "".join([*written, f"--{mark}--\r\n"]).encode()
        headers = {"content-type": f"multipart/form-data; boundary={mark}"}
        return self._done(self._call("POST", path, {}, headers, body, once=True))

    def delete(self, path: str, **query: str | int | None) -> Json:
        """Return the answer of a DELETE."""
        return self._done(self._call("DELETE", path, query, {}, b"", once=True))

    def pages(self, path: str, cursor_name: str, limit: int, **query: str | int | None) -> Iterator[list[Json]]:
        """Yield the pages of a list as the caller reads on: by its cursor, else by an offset."""
        cursor: str | None = None
        offset = 0
        for _ in range(PAGES):
            place = {"cursor": cursor} if cursor else {"offset": offset or None} if cursor_name == "next_cursor" else {}
            page = self.get(path, limit=limit, **place, **query)
            found = understood(partial(parts, page, "data", "items"))
            yield found
            offset += len(found)
            told = page.get(cursor_name)
            cursor = text.whole(told) if isinstance(told, str) and told else None
            if not found or (cursor is None and (cursor_name != "next_cursor" or _all(page, offset))):
                return

    def _call(self, method: str, path: str, query: Query, headers: dict[str, str], body: bytes, *, once: bool) -> bytes:
        left = self._deadline.check()
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        url = f"{self.address}{path}{'?' + asked if asked else ''}"
        sent = {"x-api-key": self._key, "accept": "application/json", **headers}
        try:
            answer = self._client.call(
                method,
                url,
                sent,
                body,
                most=MOST,
                within=min(left, ONE_CALL),
                once=once,
                last_check=self._deadline.check,
            )
        except ValueError:  # a key that is no header
            raise Throttled(KEY_REFUSED, QUARTER) from None
        if not 200 <= answer.status < 300:
            raise failure(answer.status, answer.headers, answer.body, once=once)
        return answer.body

    def _read(self, body: bytes) -> Json:
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise Unreachable("Unipile's response was not JSON. Check the address in Settings → Services.") from None
        if not isinstance(found, dict):
            raise Unreachable("Unipile's response has an unexpected format.")
        return found

    def _done(self, body: bytes) -> Json:
        """Return a success, after checking that the answer is Unipile's own."""
        if not body.strip():
            return {}
        try:
            return self._read(body)
        except Unreachable as problem:
            raise Unknown(problem.sentence) from None


def understood(read: Callable[[], T]) -> T:
    """Parse an answer; raise Unreachable when the contract has changed."""
    try:
        return read()
    except ProviderError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise Garbled(f"Unipile's response has an unexpected format ({type(problem).__name__}).") from None


def each(pages: Iterator[list[Json]], read: Callable[[Json], T], aside: list[Json] | None) -> Iterator[T]:
    """Yield every parsed item of the pages."""
    for page in pages:
        yield from _each(page, read, aside)


def _each(page: list[Json], read: Callable[[Json], T], aside: list[Json] | None) -> list[T]:
    """Return the parsed items; what can't be read is put aside, unless it is a whole page: then the format changed."""
    if aside is None:
        return understood(lambda: [read(one) for one in page])
    found, odd = [], []
    for one in page:
        try:
            found.append(understood(partial(read, one)))
        except Garbled as problem:
            odd.append(one)
            if len(odd) == len(page) >= WHOLE_PAGE:
                raise problem
    aside += odd
    return found


class Dated(Protocol):
    """Something with a moment."""

    @property
    def at(self) -> datetime:
        """Return the item's time."""


D = TypeVar("D", bound=Dated)


def newer(
    pages: Iterator[list[Json]], read: Callable[[Json], D | None], after: datetime, aside: list[Json] | None
) -> Iterator[D]:
    """Yield items newer than that. Some lists pin items, so only a whole page of old ones ends the reading."""
    for page in pages:
        fresh = [found for found in _each(page, read, aside) if found is not None and found.at > after]
        yield from fresh
        if not fresh:
            return


def _all(page: Json, read: int) -> bool:
    """Return whether an offset-paged list is complete, if it says its length."""
    total = page.get("total_count")
    return isinstance(total, int | float) and read >= total


def escaped(name: str) -> str:
    """Return a name escaped as one part of a path."""
    return quote(text.whole(name), safe="")


def address_of(base_url: str) -> tuple[str, bool]:
    """Return the base address and whether it is v2: the path says it, else the host."""
    parts = text.url_parts(base_url.strip().rstrip("/"))
    root = f"{parts.scheme}://{parts.netloc}"
    path = parts.path.rstrip("/")
    if path.endswith("/v2"):
        return f"{root}{path}", True
    if path.endswith("/v1"):
        return f"{root}{path}", False
    later = parts.netloc.lower() == "api.unipile.com"
    return (f"{root}/v2", True) if later else (f"{root}/api/v1", False)


def text_of(found: Mapping[str, Any], name: str) -> str:
    """Return the text of a field, or the first of a list of texts, as storable text."""
    value = found.get(name)
    if isinstance(value, list):
        value = value[0] if value else ""
    return text.whole(value) if isinstance(value, str) else ""
