"""Dispatch a request to its endpoint: every check in order, then the view, then the response."""

import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import sqlalchemy as sa
from flask import Response, g, request
from pydantic.alias_generators import to_snake
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import BaseConverter

from app.api.framework import authorization
from app.api.framework.bodies import Empty, blanked, parsed, validated
from app.api.framework.csv_bodies import CSV, FILES, CsvFile, CsvUpload, received
from app.api.framework.declarations import Endpoint, Filter, Ready
from app.api.framework.responses import MOST_BYTES, answer, json_text
from app.core import paging
from app.core.db import transaction
from app.core.errors import AppError, Field, InvalidRequest, NotFound
from app.core.logs import request_id
from app.core.paging import Listed, Page, Window
from app.core.text import number, shorten
from app.domain.platform import idempotency
from app.domain.platform.idempotency import Kept
from app.domain.workspace import workspaces
from app.domain.workspace.api_keys import Caller
from app.resources import Resource

LONGEST_TAG = 255


class IdConverter(BaseConverter):
    """An id in a path. What cannot be one becomes 0, which nothing has, and is refused once the key was checked."""

    def to_python(self, value: str) -> int:
        """Return the id, or 0 when it is invalid."""
        return 0 if value.startswith("0") else number(value)


class _UndoneError(Exception):
    """Ends the transaction of a dry run."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept


class Answering:
    """The view function that Flask calls."""

    def __init__(self, declared: Endpoint) -> None:
        self.declared = declared
        self.__name__ = declared.name.replace(".", "_")
        self.named = {name: to_snake(name) for name in declared.filters}

    def __call__(self, **places: Any) -> Response:
        g.api_headers = {}
        self._refuse_too_large()
        caller = authorization.authorize(self.declared.scope, self.declared.costly)
        return self._answer(caller, places)

    def _refuse_too_large(self) -> None:
        """Refuse a body that is too large before any other check; a file may be larger than JSON."""
        takes = self.declared.csv
        most = request.max_content_length = (
            max(takes, MOST_BYTES) if takes and request.mimetype in FILES else MOST_BYTES
        )
        if (request.content_length or 0) > most:
            raise RequestEntityTooLarge

    def _answer(self, caller: Caller, places: dict[str, Any]) -> Response:
        declared = self.declared
        found = [places[name] for name in declared.places]
        if 0 in found or any(words and places[name] not in words for name, words in declared.words.items()):
            raise NotFound("No object has this id." if 0 in found else "No object has this name.")
        if declared.method == "GET":
            return self._read(caller, found)
        return self._write(caller, found)

    def _read(self, caller: Caller, found: list[Any]) -> Response:
        declared = self.declared
        if declared.page_of is None:
            result = declared.view(caller.workspace, *found, **self._options())
            if isinstance(result, CsvFile):
                return result.response(declared.status)
            return answer(self._text(result), declared.status)
        window, filters = _window(caller, declared.filters)
        listed = declared.view(caller.workspace, *found, **{self.named[name]: filters[name] for name in filters})
        page = cut(listed, window, declared.page_of, oldest_first=declared.oldest_first)
        text = json_text({"data": declared.page_of.many(page.rows), "nextCursor": page.next_cursor})
        return answer(text, declared.status)

    def _options(self) -> dict[str, Any]:
        """Return the view's named arguments: the given query parameters and the precondition."""
        declared = self.declared
        options: dict[str, Any] = {}
        if request.args:
            given, problems = _given(declared.filters)
            if problems:
                raise InvalidRequest.of(*problems)
            given.pop("dryRun", None)
            options = {self.named[name]: value for name, value in given.items()}
        if declared.if_match:
            options["if_match"] = _if_match()
        return options

    def _write(self, caller: Caller, found: list[Any]) -> Response:
        declared = self.declared
        if declared.csv and request.mimetype in FILES:
            with received() as upload:
                return self._once(caller, found, upload)
        value = parsed(declared.body, declared.method, csv_only=bool(declared.csv and declared.body is None))
        if declared.body is None and value == {}:
            value = None
        return self._once(caller, found, value)

    def _once(self, caller: Caller, found: list[Any], value: Any) -> Response:
        """Return the view's answer, or the one stored under the request's idempotency key."""
        declared = self.declared

        def perform() -> Kept | Callable[[], Kept]:
            try:
                body, options = self._checked(value)
            except InvalidRequest as refusal:
                raise self._with_more(refusal, caller, found, value) from None
            result = declared.view(workspaces.get(caller.workspace.id), *found, *body, **options)
            return (lambda: self._kept(result.finish())) if isinstance(result, Ready) else self._kept(result)

        key = request.headers.get("Idempotency-Key")
        if key is not None:
            key = idempotency.check_key(key)
        if declared.dry and request.args.get("dryRun") == "true":
            return self._undone(perform)
        if key is not None:
            query = list(request.args.items(multi=True))
            sent = {CSV: value.digest} if isinstance(value, CsvUpload) else value
            asked = idempotency.fingerprint(declared.method, request.path, query, sent)
            kept = idempotency.with_idempotency_key(
                caller.workspace,
                key,
                asked,
                request_id.get(),
                perform,
                together=not declared.outside,
            )
        else:
            kept = self._without_key(perform)
        response = answer(kept.body, kept.status)
        if kept.replayed:
            response.headers["Idempotent-Replayed"] = "true"
        return response

    def _without_key(self, perform: Callable[[], Kept | Callable[[], Kept]]) -> Kept:
        with nullcontext() if self.declared.outside else transaction():
            found = perform()
            if isinstance(found, Kept):
                return found
            with transaction():
                return found()

    def _undone(self, perform: Callable[[], Kept | Callable[[], Kept]]) -> Response:
        """Return the view's answer and undo what it did; no idempotency key is used up."""
        try:
            with transaction():
                kept = perform()
                assert isinstance(kept, Kept)
                raise _UndoneError(kept)
        except _UndoneError as undone:
            response = answer(undone.kept.body, undone.kept.status)
            response.headers["Dry-Run"] = "true"
            return response

    def _with_more(self, refusal: InvalidRequest, caller: Caller, found: list[int], value: Any) -> InvalidRequest:
        """Return the error with the view's own problems for the values that could be read.

        Run the view with blanks for the others, in a transaction that the error rolls back.
        """
        declared = self.declared
        body = None if declared.body is None or declared.outside else blanked(declared.body, value)
        if body is None:
            return refusal
        named = {_outermost(field.path) for field in refusal.fields}
        try:
            with transaction():
                declared.view(workspaces.get(caller.workspace.id), *found, body, **self._options())
                raise refusal
        except InvalidRequest as second:
            more = [field for field in second.fields if _outermost(field.path) not in named]
        except AppError:
            more = []
        return InvalidRequest(refusal.message, fields=[*refusal.fields, *more])

    def _kept(self, result: Any) -> Kept:
        return Kept(self.declared.status, b"" if self.declared.returns is None else self._text(result))

    def _checked(self, value: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return the view's positional and named arguments from the body; raise every problem in either."""
        declared, problems = self.declared, list[Field]()
        body: list[Any] = []
        options: dict[str, Any] = {}
        try:
            options = self._options()
        except InvalidRequest as refusal:
            problems += refusal.fields
        try:
            if isinstance(value, CsvUpload):
                body = [value]
            elif declared.body is not None:
                body = [validated(declared.body, value)]
            elif value is not None:
                validated(Empty, value)
        except InvalidRequest as refusal:
            problems += refusal.fields
        if problems:
            raise InvalidRequest("The request is not valid.", fields=problems)
        return body, options

    def _text(self, result: Any) -> bytes:
        returns = self.declared.returns
        assert returns is not None
        assert not issubclass(returns, CsvFile)
        return json_text(returns.of(*result) if type(result) is tuple else returns.of(result))


def _outermost(path: str) -> str:
    """Return the body field that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _if_match() -> str | None:
    """Return the If-Match value without its quotes; None when there is no precondition."""
    given = request.headers.get("If-Match", "").strip()
    if not given or given == "*":
        return None
    if len(given) > LONGEST_TAG or not given.isascii() or not given.isprintable():
        raise InvalidRequest.of(("If-Match", f"Use at most {LONGEST_TAG} visible ASCII characters."))
    return given[1:-1] if len(given) >= 2 and given[0] == given[-1] == '"' else given


def _given(filters: Mapping[str, Filter], *also: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the parsed query parameters and their problems."""
    args = request.args
    problems = [(name, "Send this only once.") for name in filters if len(args.getlist(name)) > 1]
    unknown = (name for name in args if name not in filters and name not in also)
    problems += [(shorten(name, 60), "Unknown query parameter. Remove it.") for name in unknown]
    given: dict[str, Any] = {}
    for name, wanted in filters.items():
        if name in args:
            try:
                given[name] = wanted.parse(args[name])
            except ValueError as refusal:
                problems.append((name, str(refusal)))
    return given, problems


def _window(caller: Caller, filters: Mapping[str, Filter]) -> tuple[Window, dict[str, Any]]:
    """Return the page window and the given filters; raise every problem in the query string."""
    args = request.args
    if not args:
        return Window.of(args, (caller.workspace.id, request.path)), {}
    given, problems = _given(filters, "limit", "cursor")
    problems += [(name, "Send this only once.") for name in ("limit", "cursor") if len(args.getlist(name)) > 1]
    try:
        bound = (caller.workspace.id, request.path, *(f"{name}={args[name]}" for name in sorted(given)))
        window = Window.of(args, bound)
    except InvalidRequest as refusal:
        problems += refusal.fields
    if problems:
        raise InvalidRequest.of(*problems)
    return window, given


def cut(listed: Listed, window: Window, page_of: type[Resource] | None, *, oldest_first: bool = False) -> Page:
    """Return one page of the list, as rows for the resource or as what was selected."""
    if not isinstance(listed, sa.Select):
        return listed.page(window)
    query: sa.Select[Any] = listed
    first = query.column_descriptions[0]["expr"]
    key = getattr(first, "id", first)
    if page_of and page_of.columns:
        query = query.with_only_columns(*page_of.columns, maintain_column_froms=True)
    return paging.page(query, key, window, newest_first=not oldest_first)
