"""Base classes of API responses: shapes, resources with an id, pages and errors.

The classes are the contract; the documents and tests are made from them. Responses are built as plain dicts by `of`
and `many`, which is faster than filling the classes; the tests check every response against its class.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.core.errors import ERROR_CODES

Json = dict[str, Any]

T = TypeVar("T")

CODES = "x-codes"


def _of_table(name: str) -> Any:
    """Name the table of codes that a value is from; the document lists each once."""
    return Field(json_schema_extra={CODES: name})


ReasonCode = Annotated[str, _of_table("ReasonCode")]
EventKind = Annotated[str, _of_table("EventKind")]
StepKind = Annotated[str, _of_table("StepKind")]
TaskType = Annotated[str, _of_table("TaskType")]
SignalKind = Annotated[str, _of_table("SignalKind")]

Columns = tuple[Any, ...]


class Shape(BaseModel):
    """An object in a response, in camelCase and with exactly these fields."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid", defer_build=True)
    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls._fields = tuple(cls.model_fields)
        cls._names = tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def filled(cls, thing: Any, **composed: Any) -> Json:
        """Build the object from what is composed, and the rest from the attributes of that name."""
        return {
            name: composed[field] if field in composed else getattr(thing, field)
            for name, field in zip(cls._names, cls._fields, strict=True)
        }


class Resource(Shape):
    """An object with an id. `columns` lists the database columns of a page, in the order of the fields."""

    columns: ClassVar[Columns] = ()

    @classmethod
    def of(cls, thing: Any) -> Json:
        """Build the resource from a row or an object with these attributes."""
        return cls.filled(thing)

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """Build the resources of a page's rows."""
        if cls.columns:
            return [dict(zip(cls._names, row, strict=True)) for row in things]
        return [cls.of(*thing) if type(thing) is tuple else cls.of(thing) for thing in things]


class Page(Shape, Generic[T]):
    """A page of a list; on the last page, `nextCursor` is ""."""

    data: list[T]
    """The items on this page."""
    next_cursor: str
    """The cursor of the next page; empty on the last page."""


class ErrorField(Shape):
    """An invalid field in the request."""

    path: str
    """The path of the invalid field in the request, such as `sequence[2].message`."""
    message: str
    """What is wrong, and how to fix it."""


class Error(Shape):
    """An error, and what to do next."""

    code: Literal[tuple(ERROR_CODES)]  # type: ignore[valid-type]
    """The code of the error, which does not change."""
    message: str
    """What went wrong, as a sentence you can show to users."""
    request_id: str
    """The id of the request, for when you ask for help."""
    recovery: str | None = None
    """What to do next; absent if the message already says so."""
    fields: list[ErrorField] | None = None
    """Every invalid field; only present for invalid input."""


class ErrorEnvelope(Shape):
    """The body of every error response."""

    error: Error
    """What went wrong."""


def columns_of(model: Any, *names: str) -> Columns:
    """Return a table's columns by name."""
    return tuple(model.__table__.c[name] for name in names)
