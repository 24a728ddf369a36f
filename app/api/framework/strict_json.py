"""Strict JSON (RFC 8259, RFC 7493): UTF-8, unique keys, finite 64-bit numbers, limited depth."""

import codecs
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

from app.core import text
from app.core.db import MAX_ID
from app.core.errors import Field, InvalidRequest

MOST_DEPTH, MOST_PROBLEMS = 32, 100
WHOLE = "body"  # the path of a problem that no single field has
_MIN_INT = -MAX_ID - 1
_EXACT = 2**53
_WHOLE_WITH_POINT = re.compile(rb"[0-9](?:\.0+(?![0-9])|[eE][+-]?[0-9])")
_RISKY_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_BEFORE_COLON = (b" :", b"\t:", b"\n:", b"\r:")
_DOUBTFUL: Any = object()


class _Twice(dict[str, Any]):
    """An object in which a key stood more than once."""

    keys_twice: tuple[str, ...] = ()


class _Reader:
    """One pass of the C parser. What it cannot judge in passing is marked, and looked for afterwards with its path."""

    def __init__(self) -> None:
        self.suspicious = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_int=self._int, parse_float=self._float, parse_constant=self._constant
        )

    def read(self, text: str) -> Any:
        """Parse the text without checks."""
        return self._decoder.decode(text)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.suspicious = True
            times = Counter(name for name, _ in pairs)
            found = _Twice(found)
            found.keys_twice = tuple(name for name, count in times.items() if count > 1)
        return found

    def _int(self, digits: str) -> int | float:
        if len(digits) > 18:
            self.suspicious = True
            return int(digits) if len(digits) < 400 else math.inf
        return int(digits)

    def _float(self, digits: str) -> float:
        number = float(digits)
        self.suspicious = self.suspicious or math.isinf(number)
        return number

    def _constant(self, name: str) -> float:
        self.suspicious = True
        return math.nan


def read(raw: bytes) -> Any:
    """Return the value of a JSON text, 241.0 as 241; raise InvalidRequest with the path of every problem."""
    raw = raw.removeprefix(codecs.BOM_UTF8)  # some programs write this mark before every text
    value = _read_quickly(raw)
    if value is _DOUBTFUL:
        value = _read_carefully(raw)
    return _with_whole_numbers(value) if _WHOLE_WITH_POINT.search(raw) else value


def _with_whole_numbers(value: Any) -> Any:
    """Return the value with integers for whole numbers that were written with a point or an exponent.

    JSON knows one kind of number. From 2^53 on a float stands for several integers, so it stays one.
    """
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if type(value) is list:
        return [_with_whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_whole_numbers(item) for name, item in value.items()}
    return value


def _read_quickly(raw: bytes) -> Any:
    """Parse at a third of the cost; return _DOUBTFUL unless the value surely has no problem."""
    if any(sign in raw for sign in _BEFORE_COLON) or (b"\\u" in raw and _RISKY_ESCAPE.search(raw)):
        return _DOUBTFUL
    try:
        value = from_json(raw, allow_inf_nan=False)
    except ValueError:
        return _DOUBTFUL
    # Every name ends in `":`. When no more of them stand in the text than names are in the value, none stood twice.
    return value if _names(value, MOST_DEPTH) == raw.count(b'":') else _DOUBTFUL


def _names(value: Any, levels: int) -> float:
    """Return the number of names in all objects of `value`; infinite if too deep or a number is too large."""
    kind = type(value)
    if kind is dict or kind is list:
        if levels == 0:
            return math.inf
        count: float = len(value) if kind is dict else 0
        for item in value.values() if kind is dict else value:
            if type(item) is not str:
                count += _names(item, levels - 1)
        return count
    if kind is int and not _MIN_INT <= value <= MAX_ID:
        return math.inf
    return math.inf if kind is float and not math.isfinite(value) else 0


def _read_carefully(raw: bytes) -> Any:
    """Return the value, or raise its problems with their places."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise _refusal(f"Not valid UTF-8 at byte {problem.start + 1}.") from None
    reader = _Reader()
    try:
        value = reader.read(text)
    except json.JSONDecodeError as problem:
        raise _refusal(f"Not valid JSON at line {problem.lineno}, column {problem.colno}.") from None
    except RecursionError:
        raise _refusal(f"Nested deeper than {MOST_DEPTH} levels.") from None
    if _deeper_than(value, MOST_DEPTH):
        raise _refusal(f"Nested deeper than {MOST_DEPTH} levels.")
    if reader.suspicious or _RISKY_ESCAPE.search(raw):
        problems = [problem for problem, _ in zip(_problems(value, ""), range(MOST_PROBLEMS), strict=False)]
        if problems:
            raise InvalidRequest("The request is not valid.", fields=problems)
    return value


def _refusal(message: str) -> InvalidRequest:
    return InvalidRequest.of((WHOLE, message))


def _deeper_than(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    if levels == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(type(item) not in (str, int) and _deeper_than(item, levels - 1) for item in inner)


def _problems(value: Any, path: str) -> Iterator[Field]:
    """Yield everything that is valid JSON but not allowed here."""
    if isinstance(value, str):
        if not text.is_text(value):
            yield Field(path or WHOLE, "Contains a character that can't be stored (NUL or half of a surrogate pair).")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield Field(path or WHOLE, "Use a finite 64-bit number.")
    elif isinstance(value, int):
        if not _MIN_INT <= value <= MAX_ID:
            yield Field(path or WHOLE, "Use a finite 64-bit number.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _problems(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        yield from _problems_of_object(value, path)


def _problems_of_object(value: dict[str, Any], path: str) -> Iterator[Field]:
    for name in getattr(value, "keys_twice", ()):
        yield Field(joined(path, name), "Send this only once.")
    for name, item in value.items():
        if not text.is_text(name):
            yield Field(path or WHOLE, "A name has a character that can't be stored (NUL or half of a surrogate pair).")
        else:
            yield from _problems(item, joined(path, name))


def joined(path: str, name: str | int) -> str:
    """Return the path one level deeper: `profiles[3].profileUrl`."""
    if isinstance(name, int):
        return f"{path}[{name}]"
    shown = text.whole(name[:200])
    return f"{path}.{shown}" if path else shown
