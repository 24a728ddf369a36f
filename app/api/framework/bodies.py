"""Request bodies: strict camelCase classes that report every problem at once.

The JSON is strict (RFC 8259, RFC 7493): UTF-8, unique keys, finite 64-bit numbers, limited depth.
"""

import codecs
import copy
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from flask import g, request
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, core_schema, from_json
from werkzeug.exceptions import UnsupportedMediaType

from app.api.framework.declarations import A_MOMENT, SHOWN_YEARS
from app.api.framework.schema_notes import AN_ID
from app.core import clock, text
from app.core.db import MAX_ID
from app.core.errors import Field as Problem
from app.core.errors import InvalidRequest

# pydantic's error types in our words; the braces are filled from the broken rule.
SENTENCES = {
    "missing": "Required.",
    "extra_forbidden": "Unknown field. Remove it.",
    "string_type": "Use a string.",
    "int_type": "Use a whole number.",
    "float_type": "Use a number.",
    "bool_type": "Use true or false.",
    "list_type": "Use a list.",
    "dict_type": "Use an object.",
    "model_type": "Use an object.",
    "literal_error": "Use {expected}.",
    "string_too_short": "Use at least {min_length} characters.",
    "string_too_long": "Use at most {max_length:,} characters.",
    "too_short": "List at least {min_length}.",
    "too_long": "Use at most {max_length:,} items.",
    "greater_than_equal": "Use {ge} or more.",
    "less_than_equal": "Use {le} or less.",
    "greater_than": "Use more than {gt}.",
    "less_than": "Use less than {lt}.",
    "moment": A_MOMENT,
    "day": "Use a day such as 2027-05-03.",
}
OTHERWISE = "This value is not valid."


class Body(BaseModel):
    """What a request may say. Unknown fields are refused, and nothing is converted silently."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        hide_input_in_errors=True,
    )


class Empty(Body):
    """The body of a request that says nothing: absent, or `{}`."""


def _moment(value: Any) -> datetime:
    try:
        return clock.moment(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("moment", "moment") from None


def _wall_time(value: Any) -> datetime:
    try:
        return clock.wall_time(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("moment", "moment") from None


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("day", "day") from None


@dataclass(frozen=True)
class AtMost:
    """A list may have so many entries. That is looked at first: a million wrong ones are one problem, quickly found."""

    entries: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"maxItems": self.entries, **handler(schema)}  # the verb may allow fewer

    def _check(self, value: Any) -> Any:
        if isinstance(value, list) and len(value) > self.entries:
            raise PydanticCustomError("too_long", "too_long", {"max_length": self.entries})
        return value


Id = Annotated[int, Field(ge=1, le=MAX_ID), AN_ID]
Moment = Annotated[datetime, BeforeValidator(_moment), Field(json_schema_extra={"pattern": SHOWN_YEARS})]
WallTime = Annotated[datetime, BeforeValidator(_wall_time), Field(json_schema_extra={"pattern": SHOWN_YEARS})]
"""A moment that may come without a zone, which the verb adds."""
Day = Annotated[date, BeforeValidator(_day), Field(json_schema_extra={"pattern": r"^\d{4}-\d\d-\d\d$"})]
ShownDay = Annotated[Day, Field(json_schema_extra={"pattern": SHOWN_YEARS + r"\d{4}-\d\d-\d\d$"})]
B = TypeVar("B", bound=BaseModel)


def parsed(declared: type[BaseModel] | None, method: str, *, csv_only: bool = False) -> Any:
    """Return the JSON value of the request, or None if no body is expected or sent."""
    if method in ("GET", "DELETE"):
        return None
    if csv_only:
        raise UnsupportedMediaType
    raw = g.sent = request.get_data(cache=False)
    if not raw and declared is None:
        return None
    if not raw:
        raise InvalidRequest.of((WHOLE, "Send a JSON object."))
    kind = request.mimetype_params.get("charset", "utf-8").lower()
    if declared is not None and (request.mimetype != "application/json" or kind not in ("utf-8", "utf8")):
        raise UnsupportedMediaType
    return read_json(raw)


def validated(declared: type[B], value: Any) -> B:
    """Return the body; raise InvalidRequest that names every problem."""
    try:
        return declared.model_validate(value)
    except ValidationError as problem:
        raise InvalidRequest("The request is not valid.", fields=_fields(problem)) from None


# Blanks for values of the wrong type, by pydantic's error type.
BLANKS: dict[str, Any] = {
    "missing": None,
    "string_type": "",
    "string_too_long": "",
    "int_type": 0,
    "float_type": 0.0,
    "bool_type": False,
    "list_type": [],
    "dict_type": {},
    "model_type": {},
}


def blanked(declared: type[B], value: Any) -> B | None:
    """Return the body with blanks for values of a wrong type, to check the rest; None if that fails."""
    whole = copy.deepcopy(value)
    for _ in range(4):  # a filled blank may have problems of its own, which the next pass fills
        try:
            return declared.model_validate(whole)
        except ValidationError as problem:
            errors = problem.errors(include_url=False, include_input=False)
            if not all(_blank(whole, error["loc"], error["type"]) for error in errors):
                return None
    return None


def _blank(whole: Any, place: tuple[int | str, ...], kind: str) -> bool:
    """Blank the value at that place; return whether it could be."""
    if not place or (kind not in BLANKS and kind != "extra_forbidden"):
        return False
    at: Any = whole
    try:
        for name in place[:-1]:
            at = at[name]
        if kind == "extra_forbidden":
            del at[place[-1]]
        else:
            at[place[-1]] = copy.copy(BLANKS[kind])
    except (KeyError, IndexError, TypeError):  # the place names one alternative of a union, which is not in the body
        return False
    return True


def _fields(problem: ValidationError) -> list[Problem]:
    """Return pydantic's problems with JSON paths and our sentences."""
    found = []
    errors = problem.errors(include_url=False, include_input=False)
    for error in errors[:MOST_PROBLEMS]:
        path = ""
        for name in error["loc"]:
            path = joined(path, name)
        context = {**error.get("ctx", {})}
        if "expected" in context:
            # '' means "not given", so the error does not offer it as a value.
            context["expected"] = context["expected"].removeprefix("'', ").replace("'", "")
        sentence = SENTENCES.get(error["type"], OTHERWISE).format_map(context)
        found.append(Problem(path or WHOLE, sentence))
    return found


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


def read_json(raw: bytes) -> Any:
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


def _problems(value: Any, path: str) -> Iterator[Problem]:
    """Yield everything that is valid JSON but not allowed here."""
    if isinstance(value, str):
        if not text.is_text(value):
            yield Problem(path or WHOLE, "Contains a character that can't be stored (NUL or half of a surrogate pair).")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield Problem(path or WHOLE, "Use a finite 64-bit number.")
    elif isinstance(value, int):
        if not _MIN_INT <= value <= MAX_ID:
            yield Problem(path or WHOLE, "Use a finite 64-bit number.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _problems(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        yield from _problems_of_object(value, path)


def _problems_of_object(value: dict[str, Any], path: str) -> Iterator[Problem]:
    for name in getattr(value, "keys_twice", ()):
        yield Problem(joined(path, name), "Send this field only once.")
    for name, item in value.items():
        if not text.is_text(name):
            yield Problem(
                path or WHOLE, "A field name has a character that can't be stored (NUL or half of a surrogate pair)."
            )
        else:
            yield from _problems(item, joined(path, name))


def joined(path: str, name: str | int) -> str:
    """Return the path one level deeper: `profiles[3].profileUrl`."""
    if isinstance(name, int):
        return f"{path}[{name}]"
    shown = text.whole(name[:200])
    return f"{path}.{shown}" if path else shown
