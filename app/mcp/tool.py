'''Tools: what an assistant may call. Each is one declaration, and its docstring is what a model reads.

    @tool("List the senders", scope="accounts:read", takes=Nothing)
    def list_senders(call: Call, asked: Nothing) -> Json:
        """List the social accounts and mailboxes that send, with their ids …"""

A tool calls a verb and returns a short object. `writes` says that it changes something, `contacts` that people may hear
from it: then a member approves first, unless the key says otherwise. `costly` draws from the smaller rate as well.
'''

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeVar

from pydantic import Field

from app.api.framework.bodies import Body
from app.api.framework.dispatch import cut
from app.core.paging import Listed, Page, Window
from app.domain.workspace.api_keys import SCOPES, Caller
from app.domain.workspace.workspaces import Workspace
from app.resources import Json, Resource
from app.resources.field_docs import FieldDocs

MOST = 50  # of one page: what a model reads, it pays for
LONGEST_TEXT = 2000  # of one message; the rest is cut


class Nothing(Body):
    """No arguments."""


class OnePage(Body):
    """Which page of a list is wanted."""

    limit: Annotated[int, Field(ge=1, le=MOST, description="The maximum number of items to return.")] = 10
    cursor: Annotated[
        str, Field(max_length=500, description="`nextCursor` of the previous page; empty for the first page.")
    ] = ""


@dataclass(frozen=True)
class Call:
    """Who calls, and in which workspace."""

    workspace: Workspace
    caller: Caller
    base_url: str

    @property
    def by(self) -> str:
        """Return the name under which members see what the assistant did."""
        return self.caller.title

    @property
    def approves(self) -> bool:
        """Return whether a member has to approve before people are contacted."""
        return not self.caller.without_approval

    def link(self, path: str) -> str:
        """Return the address of a page."""
        return self.base_url + path

    def page(self, asked: OnePage, found: Listed, *, of: type[Resource] | None = None) -> Page:
        """Return one page; its rows are resources with `of`, else as selected. Its cursor fits the same question."""
        given = asked.model_dump(mode="json", exclude={"limit", "cursor"})
        named = (self.workspace.id, type(asked).__name__, *(f"{name}={given[name]}" for name in sorted(given)))
        window = Window.of({"limit": str(asked.limit), "cursor": asked.cursor}, named)
        read = cut(found, window, of)
        return Page(of.many(read.rows) if of else read.rows, read.next_cursor)


Asked = TypeVar("Asked", bound=Body)
Run = Callable[[Call, Any], Json]


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    title: str
    scope: str
    takes: type[Body]
    run: Run
    writes: bool
    contacts: bool
    costly: bool

    @cached_property
    def description(self) -> str:
        """Return what a model reads: the docstring, in one paragraph each."""
        return "\n\n".join(" ".join(part.split()) for part in (self.run.__doc__ or "").strip().split("\n\n"))

    @cached_property
    def schema(self) -> Json:
        """Return the JSON Schema of the arguments."""
        return self.takes.model_json_schema(schema_generator=FieldDocs)


def tool(
    title: str,
    *,
    scope: str,
    takes: type[Asked],
    writes: bool = False,
    contacts: bool = False,
    costly: bool = False,
) -> Callable[[Callable[[Call, Asked], Json]], Tool]:
    """Make a function a tool of its name."""

    def declare(run: Callable[[Call, Asked], Json]) -> Tool:
        if scope not in SCOPES or not run.__doc__:
            raise TypeError(f"{run.__name__}: give a known scope and a docstring.")
        return Tool(run.__name__, title, scope, takes, run, writes=writes or contacts, contacts=contacts, costly=costly)

    return declare


def picked(thing: Mapping[str, Any], names: str) -> Json:
    """Return these fields of an object, without the empty ones: a model needs no list of what is missing."""
    return {name: thing[name] for name in names.split() if thing[name] not in ("", None, [], {})}


def listed(page: Page, shown: Iterable[Json]) -> Json:
    """Return a page as tools show it; `nextCursor` is missing on the last one."""
    found: Json = {"data": list(shown)}
    return found | ({"nextCursor": page.next_cursor} if page.next_cursor else {})
