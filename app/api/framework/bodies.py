"""Request bodies: strict camelCase classes that report every problem at once."""

import copy
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
from pydantic_core import PydanticCustomError, core_schema
from werkzeug.exceptions import UnsupportedMediaType

from app.api.framework import strict_json
from app.api.framework.declarations import A_MOMENT, SHOWN_YEARS
from app.api.framework.schema_notes import AN_ID
from app.api.framework.strict_json import WHOLE, joined
from app.core import clock
from app.core.db import MAX_ID
from app.core.errors import Field as Problem
from app.core.errors import InvalidRequest

# pydantic's error types in our words; the braces are filled from the broken rule.
SENTENCES = {
    "missing": "Required.",
    "extra_forbidden": "Unknown field. Remove it.",
    "string_type": "Use a text.",
    "int_type": "Use a whole number.",
    "float_type": "Use a number.",
    "bool_type": "Use true or false.",
    "list_type": "Use a list.",
    "dict_type": "Use an object.",
    "model_type": "Use an object.",
    "literal_error": "Use {expected}.",
    "string_too_short": "Use at least {min_length} characters.",
    "string_too_long": "Use at most {max_length:,} characters.",
    "too_short": "Use at least {min_length} items.",
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
        use_attribute_docstrings=True,
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
        return {"maxItems": self.entries, **handler(schema)}  # what the verb allows may be less

    def _check(self, value: Any) -> Any:
        if isinstance(value, list) and len(value) > self.entries:
            raise PydanticCustomError("too_long", "too_long", {"max_length": self.entries})
        return value


Id = Annotated[int, Field(ge=1, le=MAX_ID), AN_ID]
Moment = Annotated[datetime, BeforeValidator(_moment), Field(json_schema_extra={"pattern": SHOWN_YEARS})]
WallTime = Annotated[datetime, BeforeValidator(_wall_time), Field(json_schema_extra={"pattern": SHOWN_YEARS})]
"""A moment that may come without a zone, which the verb adds."""
Day = Annotated[date, BeforeValidator(_day), Field(json_schema_extra={"pattern": r"^\d{4}-\d\d-\d\d$"})]
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
    return strict_json.read(raw)


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
    for _ in range(4):  # a blank where nothing stood shows at the next look what should stand there
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
    except (KeyError, IndexError, TypeError):  # a place that is not in the body itself, such as one way of reading it
        return False
    return True


def _fields(problem: ValidationError) -> list[Problem]:
    """Return pydantic's problems with JSON paths and our sentences."""
    found = []
    errors = problem.errors(include_url=False, include_input=False)
    for error in errors[: strict_json.MOST_PROBLEMS]:
        path = ""
        for name in error["loc"]:
            path = joined(path, name)
        context = {**error.get("ctx", {})}
        if "expected" in context:
            # '' stands for nothing given: no one has to be told to send it.
            context["expected"] = context["expected"].removeprefix("'', ").replace("'", "")
        sentence = SENTENCES.get(error["type"], OTHERWISE).format_map(context)
        found.append(Problem(path or WHOLE, sentence))
    return found
