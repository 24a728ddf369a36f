"""The one decorator of `/v1`: address, scope, body, answer, status and errors of an endpoint stand in one place.

    class NewList(Body):
        name: str

    @endpoint("POST", "/lists", scope="lists:write", body=NewList, returns=resources.ListResource, status=201,
              errors="E409")
    def create(workspace: Workspace, body: NewList) -> LeadList:
        return leads.create_list(workspace, body.name)

The view gets the workspace, then the ids of the path in their order, then the body when one is declared, then the
filters by name. What it returns goes through `returns.of(…)`; a tuple gives several arguments. A list endpoint says
`page_of=` instead and returns a select whose first entity or column is (or has) the id that pages are cut by, or such
a select `Prepared`.

Everything but a GET runs in one transaction, so a failure on the way to the answer leaves no effect. `outside=True`
is for views that must call the network: then each verb has its own transaction.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import sqlalchemy as sa
from flask import Blueprint, Response, request
from pydantic import BaseModel
from werkzeug.routing import BaseConverter

from app.api import gate
from app.api.answers import answer, json_text
from app.api.bodies import Empty, parsed, validated
from app.core import paging
from app.core.db import MAX_ID, transaction
from app.core.errors import InvalidRequest, NotFound
from app.core.logs import request_id
from app.core.paging import Page, Window
from app.core.reads import Pages
from app.domain import keys, traffic, workspaces
from app.domain.keys import Caller
from app.domain.traffic import Kept
from app.resources import Resource

Scope = str
View = TypeVar("View", bound=Callable[..., Any])
E0 = (400, 401, 403, 429, 503)
ERROR_SETS = {"E0": E0, "E404": (*E0, 404), "E409": (*E0, 409), "E404+409": (*E0, 404, 409)}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_IDS = re.compile(r"<id:(\w+)>")
_ID = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_MISSING: Any = object()

v1 = Blueprint("v1", __name__, url_prefix="/v1")


class IdConverter(BaseConverter):
    """An id in a path. What cannot be one becomes 0, which nothing has, and is refused once the key was checked."""

    def to_python(self, value: str) -> int:
        """The id, or 0."""
        number = int(value) if _ID.fullmatch(value) else 0
        return number if number <= MAX_ID else 0


@dataclass(frozen=True)
class Filter:
    """A query parameter of a list: how its text is read (ValueError refuses it in a sentence), and its JSON Schema."""

    parse: Callable[[str], Any]
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


def one_of(*values: str) -> Filter:
    """A filter that takes one of these words."""

    def parse(given: str) -> str:
        if given not in values:
            raise ValueError(f"Must be one of {', '.join(values)}.")
        return given

    return Filter(parse, {"type": "string", "enum": list(values)})


@dataclass(frozen=True)
class Prepared:
    """A page from a select that was compiled before, and its parameters: for lists that scripts walk all the time."""

    pages: Pages
    given: dict[str, Any]


@dataclass(frozen=True)
class Endpoint:
    """One declaration. Scope checks, the contract test and the OpenAPI document are made from these."""

    method: str
    path: str
    view: Callable[..., Any]
    scope: Scope | None
    returns: type[Resource] | None
    page_of: type[Resource] | None
    body: type[BaseModel] | None
    status: int
    errors: str
    filters: Mapping[str, Filter]
    oldest_first: bool
    costly: bool
    outside: bool
    ids: tuple[str, ...]

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every status that the endpoint may answer with."""
        return (self.status, *ERROR_SETS[self.errors])

    @property
    def name(self) -> str:
        """`campaigns.resume`: module and function of the view."""
        return f"{self.view.__module__.rpartition('.')[2]}.{self.view.__name__}"


ENDPOINTS: list[Endpoint] = []


def endpoint(
    method: str,
    path: str,
    *,
    scope: Scope | None = _MISSING,
    returns: type[Resource] | None = _MISSING,
    page_of: type[Resource] | None = None,
    body: type[BaseModel] | None = None,
    status: int = 200,
    errors: str = _MISSING,
    filters: Mapping[str, Filter] | None = None,
    oldest_first: bool = False,
    costly: bool = False,
    outside: bool = False,
) -> Callable[[View], View]:
    """The view answers `method` on `/v1` + `path` as declared; TypeError when the declaration leaves something out."""
    _check(method, path, scope, returns, page_of, body, status, errors)

    def decorate(view: View) -> View:
        declared = Endpoint(
            method=method,
            path=path,
            view=view,
            scope=scope,
            returns=None if returns is _MISSING else returns,
            page_of=page_of,
            body=body,
            status=status,
            errors=errors,
            filters=filters or {},
            oldest_first=oldest_first,
            costly=costly,
            outside=outside,
            ids=tuple(_IDS.findall(path)),
        )
        if any(known.method == method and known.path == path for known in ENDPOINTS):
            raise TypeError(f"{method} {path} is declared twice.")
        ENDPOINTS.append(declared)
        v1.add_url_rule(
            path,
            endpoint=declared.name.replace(".", "_"),
            view_func=_Answering(declared),
            methods=[method],
            provide_automatic_options=False,
            merge_slashes=False,
        )
        return view

    return decorate


def _check(
    method: str,
    path: str,
    scope: Any,
    returns: Any,
    page_of: type[Resource] | None,
    body: type[BaseModel] | None,
    status: int,
    errors: Any,
) -> None:
    """Nothing is left out, and nothing contradicts."""
    what = f"{method} {path}"
    if method not in METHODS or not path.startswith("/"):
        raise TypeError(f"{what}: not a method and a path.")
    if scope is _MISSING or not (scope is None or scope in keys.SCOPES):
        raise TypeError(f"{what}: say its scope, one of domain.keys.SCOPES.")
    if (returns is _MISSING) == (page_of is None):
        raise TypeError(f"{what}: say what it returns, or what it is a page of.")
    if (returns is None) != (status == 204):
        raise TypeError(f"{what}: nothing is returned with status 204, and only then.")
    if errors is _MISSING or errors not in ERROR_SETS:
        raise TypeError(f"{what}: say its errors, one of {', '.join(ERROR_SETS)}.")
    if (method == "POST") != ("409" in errors) and method in ("GET", "POST"):
        raise TypeError(f"{what}: a POST has 409 among its errors, for Idempotency-Key, and a GET has not.")
    if ("<id:" in path) != ("404" in errors):
        raise TypeError(f"{what}: an id in the path, and only that, can be missing.")
    if (body is not None and method in ("GET", "DELETE")) or (page_of is not None and method != "GET"):
        raise TypeError(f"{what}: only GET has pages, and only POST, PUT and PATCH have a body.")


class _Answering:
    """The view function that Flask calls: every check in the order of the house, then the view, then its answer."""

    def __init__(self, declared: Endpoint) -> None:
        self.declared = declared
        self.__name__ = declared.name.replace(".", "_")

    def __call__(self, **ids: int) -> Response:
        declared = self.declared
        caller = gate.admit(declared.scope, declared.costly)
        found = [ids[name] for name in declared.ids]
        if 0 in found:
            raise NotFound("There is nothing with that id.")
        if declared.method == "GET":
            return answer(self._read(caller, found), declared.status)
        return self._write(caller, found)

    def _read(self, caller: Caller, found: list[int]) -> bytes:
        declared = self.declared
        if declared.page_of is None:
            return self._text(declared.view(caller.workspace, *found))
        window, filters = _window(caller, declared.filters)
        listed = declared.view(caller.workspace, *found, **filters)
        if isinstance(listed, Prepared):
            page = listed.pages.page(window, **listed.given)
        else:
            page = _cut(listed, window, declared.page_of, oldest_first=declared.oldest_first)
        return json_text({"data": declared.page_of.many(page.rows), "nextCursor": page.next_cursor})

    def _write(self, caller: Caller, found: list[int]) -> Response:
        declared = self.declared
        value = parsed(declared.body, declared.method)
        if declared.body is None and value == {}:
            value = None

        def perform() -> Kept:
            arguments: list[Any] = list(found)
            if declared.body is not None:
                arguments.append(validated(declared.body, value))
            elif value is not None:
                validated(Empty, value)
            result = declared.view(workspaces.get(caller.workspace.id), *arguments)
            return Kept(declared.status, b"" if declared.returns is None else self._text(result))

        key = request.headers.get("Idempotency-Key") if declared.method == "POST" else None
        if key is not None:
            query = list(request.args.items(multi=True))
            asked = traffic.fingerprint(declared.method, request.path, query, value)
            kept = traffic.once(
                caller.workspace,
                traffic.check_key(key),
                asked,
                request_id.get(),
                perform,
                together=not declared.outside,
            )
        elif declared.outside:
            kept = perform()
        else:
            with transaction():
                kept = perform()
        response = answer(kept.body, kept.status)
        if kept.replayed:
            response.headers["Idempotent-Replayed"] = "true"
        return response

    def _text(self, result: Any) -> bytes:
        returns = self.declared.returns
        assert returns is not None
        return json_text(returns.of(*result) if type(result) is tuple else returns.of(result))


def _window(caller: Caller, filters: Mapping[str, Filter]) -> tuple[Window, dict[str, Any]]:
    """Which page is asked for and the filters that were given, or every problem in the query string."""
    args, problems = request.args, []
    if not args:
        return Window.of(args, (caller.workspace.id, request.path)), {}
    for name in ("limit", "cursor", *filters):
        if len(args.getlist(name)) > 1:
            problems.append((name, "Give it once."))
    given: dict[str, Any] = {}
    for name, wanted in filters.items():
        if name in args:
            try:
                given[name] = wanted.parse(args[name])
            except ValueError as refusal:
                problems.append((name, str(refusal)))
    try:
        bound = (caller.workspace.id, request.path, *(f"{name}={args[name]}" for name in sorted(given)))
        window = Window.of(args, bound)
    except InvalidRequest as refusal:
        problems += refusal.fields
    if problems:
        raise InvalidRequest.of(*problems)
    return window, given


def _cut(query: sa.Select[Any], window: Window, page_of: type[Resource], *, oldest_first: bool) -> Page:
    """One page of the select, as rows of the columns that the resource is made from, or else of what was selected."""
    first = query.column_descriptions[0]["expr"]
    key = getattr(first, "id", first)
    if page_of.columns:
        query = query.with_only_columns(*page_of.columns, maintain_column_froms=True)
    return paging.page(query, key, window, newest_first=not oldest_first)
