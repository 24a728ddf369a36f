"""Base classes of API responses: shapes, resources with an id, pages and errors.

The classes are the contract; the documents and tests are made from them. Responses are built as plain dicts by `of`
and `many`, which is faster than filling the classes; the tests check every response against its class.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar, get_args, get_origin

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
    _builders: ClassVar[tuple["Builder | None", ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls._fields = tuple(cls.model_fields)
        cls._names = tuple(field.alias or name for name, field in cls.model_fields.items())
        cls._builders = tuple(_builder(field.annotation) for field in cls.model_fields.values())

    @classmethod
    def filled(cls, thing: Any, **composed: Any) -> Json:
        """Build the object from what is composed, and the rest from the attributes of that name.

        A field whose type is another shape is built by that one's `of` or `filled`; a dict is such an object already.
        """
        found = {}
        for name, field, build in zip(cls._names, cls._fields, cls._builders, strict=True):
            value = composed[field] if field in composed else getattr(thing, field)
            found[name] = build(value) if build else value
        return found


Builder = Callable[..., Any]


def _builder(kind: Any) -> Builder | None:
    """Return what builds the values of a field of this type; None where they are shown as they are."""
    if isinstance(kind, type) and issubclass(kind, Shape):
        return partial(_built, getattr(kind, "of", kind.filled))
    inner = next((found for one in get_args(kind) if (found := _builder(one))), None)
    if inner is None or get_origin(kind) is not list:
        return inner
    return lambda values: values and [inner(value) for value in values]


def _built(build: Builder, value: Any) -> Any:
    if value is None or isinstance(value, dict):
        return value
    return build(*value) if type(value) is tuple else build(value)


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
        return [_built(cls.of, thing) for thing in things]


class Values(Resource):
    """A resource whose fields are given one by one, in their order."""

    @classmethod
    def of(cls, *values: Any) -> Json:
        return cls.filled(None, **dict(zip(cls._fields, values, strict=True)))


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
