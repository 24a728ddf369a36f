"""What the document says of a value beyond its type. That it is so the verb says, together with everything else.

Only how long a text may be is looked at before: the verb counts what is left when the spaces around it are gone.

    name: Annotated[str, A_NAME]
    unit: Annotated[str, among("hours", "days")]
    model_config = any_one_of(case("By email", kind={"const": "email"}, target={"format": "email"}), …)

Numbers and words come from the tables that the verbs read. The made-up requests of the tests hold the two together:
what fits is taken, and what does not is refused.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from app.core.db import MAX_ID
from app.core.text import LONGEST_NAME, number

Json = dict[str, Any]
CASES, IN_PART = "x-any-of", "x-taken-in-part"
SPACE = r"\s\x1c-\x1f\x85"  # what counts as space here, also where a dialect of patterns leaves some out
WRITTEN = {"pattern": f"[^{SPACE}]"}
BLANK = {"pattern": f"^[{SPACE}]*$"}
BASE64 = {"pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"}
ONE_LINE = {"pattern": r"^\s*[^\x00-\x1f]*\s*$"}  # no control characters but at the ends, where spaces do not count
# Space of any kind is made one space, so a tab is fine.
PRINTED = {"pattern": r"^[^\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]*$"}


def described_as(**facts: Any) -> Any:
    """Add this to the value's schema."""
    return Field(json_schema_extra=facts)


def among(*values: Any) -> Any:
    """Limit the value to one of these."""
    return described_as(enum=list(values))


def words(most: int) -> Any:
    """Limit the value to a non-blank text of at most so many characters."""
    return up_to(most, **WRITTEN)


def up_to(most: int, **facts: Any) -> Any:
    """Limit the value to a text of at most so many characters."""
    return Field(max_length=most, json_schema_extra=facts)


def within(least: int, most: int) -> Any:
    """Limit the value to a number in this range."""
    return described_as(minimum=least, maximum=most)


def entries(least: int = 0, most: int | None = None, **facts: Any) -> Any:
    """Limit the value to a list of this length."""
    bounds = {"minItems": least or None, "maxItems": most}
    return described_as(**{name: bound for name, bound in bounds.items() if bound is not None}, **facts)


class AnId:
    """Take an id, also as a string of digits: many languages keep what is that large as one."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._number, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> Json:
        return {**handler(schema), "minimum": 1, "maximum": MAX_ID}

    def _number(self, value: Any) -> Any:
        found = number(value) if isinstance(value, str) else 0
        return found if str(found) == value else value


AN_ID: Any = AnId()
A_NAME = words(LONGEST_NAME)
TIME = described_as(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")
# Formats of our own, which only say what is meant.
ZONE = described_as(format="time-zone")
REGION = described_as(format="holiday-region")
WEEKDAYS = described_as(minItems=1, items={"type": "integer", "minimum": 1, "maximum": 7})
PROFILE = {"format": "profile"}  # its URL or public id
COMPANY_DOMAIN = {"format": "company-domain", "description": "A domain such as acme.com."}
WEBSITE = {"format": "website", "description": "The URL of a website, such as tidemark.example."}
RECEIVER = {
    "format": "webhook-receiver",
    "description": "An `https` URL on the public internet, without a port or with port 443, 8443, 80 or 8080."
    " For tests, OVERTURE_ALLOW_PRIVATE_NETWORK=1 on the server also allows `http`, private addresses and every port.",
}
CHAT = {"format": "chat-webhook", "pattern": r"^\s*https?://\S+\s*$"}


def case(about: str = "", *needed: str, **fields: Any) -> Json:
    """Return one valid combination of body fields: the required ones, and notes on others."""
    found: Json = {"description": about} if about else {}
    if fields:
        found["properties"] = fields
    return found | ({"required": list(needed)} if needed else {})


def any_one_of(*cases: Json, **facts: Any) -> ConfigDict:
    """Require at least one of these combinations of body fields.

    They stand in an extension of ours and, in words, in the description: generators of clients can't name the cases of
    an `anyOf`, and leave out what holds one.
    """
    return ConfigDict(json_schema_extra={CASES: list(cases), **facts})


def in_words(schema: Json) -> Json:
    """Return a schema whose description says which combinations of fields it takes."""
    ways = [one["description"].rstrip(".") for one in schema.get(CASES, ()) if "description" in one]
    if not ways:
        return schema
    either = "; ".join(f"{one[:1].lower()}{one[1:]}" for one in ways)
    return schema | {"description": f"{schema['description']} Allowed: {either}."}


class ShownAs:
    """Show a list as one of these, while the verb checks each value of each entry and keeps what is right."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> Json:
        model = self._model
        name = f"{model.__module__}.{model.__qualname__}:{id(model)}"  # by which it becomes a schema of its own
        return handler(core_schema.list_schema({**model.__pydantic_core_schema__, "ref": name}))


def taken_in_part(schema: Json) -> None:
    """Say that a wrong field of the object doesn't have the request refused."""
    without_defaults(schema)
    schema[IN_PART] = True


def without_defaults(schema: Json) -> None:
    """Drop defaults from the schema: a field left out is not the same as its default."""
    for part in schema["properties"].values():
        part.pop("default", None)
