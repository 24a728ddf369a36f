"""What every answer is made of: shapes, resources with an address, pages, and the envelope of refusals.

The classes are the contract: documents and tests are made from them. Answers are built as plain dicts by `of` and
`many`, which is much quicker than filling the classes; the tests hold every answer against its class.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from app.core.errors import ERROR_CODES

Json = dict[str, Any]

T = TypeVar("T")

Columns = tuple[Any, ...]


class Shape(BaseModel):
    """An object in an answer: camelCase, every field there, none besides."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, extra="forbid")


class Resource(Shape):
    """A thing with an address. `columns` are what a page of it is read from, in the order of its fields."""

    columns: ClassVar[Columns] = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls._fields = tuple(cls.model_fields)
        cls._names = tuple(to_camel(name) for name in cls.model_fields)

    @classmethod
    def of(cls, thing: Any) -> Json:
        """The resource of a row or an object that has attributes of these names."""
        return {name: getattr(thing, field) for name, field in zip(cls._names, cls._fields, strict=True)}

    @classmethod
    def many(cls, things: Sequence[Any]) -> list[Json]:
        """The resources of the rows of a page; rows of `columns` are taken as they come."""
        if cls.columns:
            return [dict(zip(cls._names, row, strict=True)) for row in things]
        return [cls.of(*thing) if type(thing) is tuple else cls.of(thing) for thing in things]


class Page(Shape, Generic[T]):
    """One page of a list; `nextCursor` is "" on the last."""

    data: list[T]
    next_cursor: str


class ErrorField(Shape):
    """One invalid input."""

    path: str
    message: str


class Error(Shape):
    """What went wrong, and what to do next."""

    code: Literal[tuple(ERROR_CODES)]  # type: ignore[valid-type]
    message: str
    request_id: str
    recovery: str | None = None
    fields: list[ErrorField] | None = None


class ErrorEnvelope(Shape):
    """The body of every failure."""

    error: Error


def columns_of(model: Any, *names: str) -> Columns:
    """The columns of a table by name."""
    return tuple(model.__table__.c[name] for name in names)
