"""Endpoint declarations, the source of enforcement, the OpenAPI document, the reference and the tests."""

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from app.api.framework.csv_bodies import CsvFile
from app.core import clock, text
from app.core.db import MAX_ID
from app.domain.leads import csv_export, profiles
from app.resources import Resource

Scope = str
REFUSALS = (400, 401, 403, 429, 503)  # of every endpoint
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SHOWN_YEARS = "^(?!0001|9999)"  # the years 1 and 9999 overflow in some time zones
A_MOMENT = "Use a date and time such as 2026-03-02T09:00:00Z."
PLACES = re.compile(r"<(?:id:)?(\w+)>")
IDS = re.compile(r"<id:(\w+)>")
_MISSING: Any = object()


@dataclass(frozen=True)
class Filter:
    """A query parameter: how its text is read (ValueError refuses it in a sentence), its JSON Schema, what it does."""

    parse: Callable[[str], Any]
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    description: str = ""


def one_of(*values: str, about: str = "") -> Filter:
    """Declare a query parameter that takes one of these words."""

    def parse(given: str) -> str:
        if given not in values:
            raise ValueError(f"Use one of {', '.join(values)}.")
        return given

    return Filter(parse, {"type": "string", "enum": list(values)}, about)


FORMAT = one_of(*csv_export.FORMATS, about="The format of the file: CSV or Excel workbook. If omitted, CSV.")


def text_of(longest: int, description: str = "", *, line: bool = False) -> Filter:
    """Declare a query parameter for a text of at most so many characters, with `line` on one line."""

    def parse(given: str) -> str:
        if len(given) > longest:
            raise ValueError(f"Use at most {longest} characters.")
        if not (profiles.is_single_line(given) if line else text.is_text(given)):
            raise ValueError(
                "Contains a line break or control character." if line else "Contains a character that can't be stored."
            )
        return given

    pattern = r"^[^\x00-\x1f\x7f-\x9f]*$" if line else r"^[^\x00]*$"
    return Filter(parse, {"type": "string", "maxLength": longest, "pattern": pattern}, description)


def id_of(thing: str, description: str = "") -> Filter:
    """Declare a query parameter that takes the id of a thing."""

    def parse(given: str) -> int:
        if not (wanted := text.number(given)):
            raise ValueError(f"Use the id of {thing}.")
        return wanted

    return Filter(parse, {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID}, description)


def moment_of(description: str) -> Filter:
    """Declare a query parameter that takes a date and time."""

    def parse(given: str) -> datetime:
        try:
            return clock.moment(given)
        except ValueError:
            raise ValueError(A_MOMENT) from None

    return Filter(parse, {"type": "string", "format": "date-time", "pattern": SHOWN_YEARS}, description)


def day_of(description: str) -> Filter:
    """Declare a query parameter that takes a day."""

    def parse(given: str) -> date:
        try:
            return date.fromisoformat(given)
        except ValueError:
            raise ValueError("Use a day such as 2026-12-31.") from None

    return Filter(parse, {"type": "string", "format": "date", "pattern": r"^\d{4}-\d\d-\d\d$"}, description)


def _truth(given: str) -> bool:
    if given not in ("true", "false"):
        raise ValueError("Use true or false.")
    return given == "true"


DRY_RUN = Filter(
    _truth,
    {"type": "boolean"},
    "If true, the response shows what would happen, but nothing is changed and no one is contacted. The ids of new"
    " objects in the response are not valid afterwards.",
)


@dataclass(frozen=True)
class Ready:
    """What an `outside` view has come to; `finish` has its effect, in the transaction in which its answer is kept."""

    finish: Callable[[], Any]


@dataclass
class Endpoint:
    """One declaration: `method` on `/v1` + `path` goes to the view. It needs `returns` or `page_of`."""

    method: str
    path: str
    _: KW_ONLY
    scope: Scope | None
    returns: type[Resource] | type[CsvFile] | None = _MISSING
    page_of: type[Resource] | None = None
    body: type[BaseModel] | None = None
    csv: int = 0
    status: int = 200
    filters: Mapping[str, Filter] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    if_match: bool = False
    oldest_first: bool = False
    costly: bool = False
    outside: bool = False
    dry: bool = False  # whether it can be tried without any effect
    example: Mapping[str, Any] | None = None
    view: Callable[..., Any] = field(init=False)
    ids: tuple[str, ...] = field(init=False)
    places: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        if (self.returns is _MISSING) == (self.page_of is None):
            raise TypeError(f"{self.method} {self.path}: declare its resource, in `returns` or `page_of`.")
        if self.returns is None:
            self.status = 204
        self.returns = None if self.page_of else self.returns
        self.filters = {**self.filters, **({"dryRun": DRY_RUN} if self.dry else {})}
        self.ids, self.places = tuple(IDS.findall(self.path)), tuple(PLACES.findall(self.path))

    @property
    def statuses(self) -> tuple[int, ...]:
        """Return every status that the endpoint may answer with."""
        unknown = (404,) if self.places else ()
        conflict = () if self.method == "GET" else (409,)  # at least where another request had this Idempotency-Key
        return (self.status, *REFUSALS, *unknown, *conflict)

    @property
    def name(self) -> str:
        """Return `campaigns.resume`: module and function of the view."""
        return f"{self.view.__module__.rpartition('.')[2]}.{self.view.__name__}"

    @property
    def answer(self) -> type[Resource] | None:
        """Return the resource of a successful answer, alone or in a page."""
        found = self.page_of or self.returns
        return found if found is not None and issubclass(found, Resource) else None

    @property
    def answers_file(self) -> bool:
        """Return whether a successful answer is a CSV."""
        return self.returns is CsvFile

    @property
    def summary(self) -> str:
        """Return the first line of the view's docstring."""
        return (self.view.__doc__ or "").strip().partition("\n")[0]


ENDPOINTS: list[Endpoint] = []
