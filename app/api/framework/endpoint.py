'''The one decorator of `/v1`: address, scope, body, answer and status of an endpoint stand in one place.

    class NewList(Body):
        """What a list is called."""
        name: str

    @endpoint("POST", "/lists", scope="lists:write", body=NewList, returns=resources.ListResource, status=201,
              example={"name": "Founders in Berlin"})
    def create(workspace: Workspace, body: NewList) -> LeadList:
        """Create an empty list."""
        return lists.create_list(workspace, body.name)

The view gets the workspace, then what stands in the path in its order, then the body when one is declared; by name,
as far as they were given, the query parameters of `filters` (`campaignId` arrives as `campaign_id`). What it returns
goes through `returns.of(…)`; a tuple gives several arguments, and `returns=None` is status 204. The first line of its
docstring is the summary in the published document, all of it is the description. `example` is a body that fits; without
one, one is made up. The errors follow: 404 if the path has parameters, 409 for everything but a GET.

**Lists** say `page_of=` instead and return a select whose first entity or column is (or has) the id that pages are cut
by, or what `core.paging` calls `Paged`.

**Query parameters** of any endpoint: `filters={"by": one_of("day", "step"), "campaignId": id_of("a campaign"), "query":
text_of(200)}`, or `Filter(parse, schema, description)`.

**Words in a path**: `"/autopilot/docs/<kind>", words={"kind": ("icp", "style")}`; any other word is 404. Of `()` the
view itself knows the words.

**An answer that is a file**: `returns=CsvFile`, and the view returns `CsvFile("founders.csv", content)` where content
is bytes or an iterable of bytes, which is sent while it is made (`exports.csv_chunks(rows)`).

**A body that is a file**: `csv=50_000_000` is the most bytes of a body sent as `text/csv`. The view gets a `CsvUpload`
(`.stream` for the verb, `.size`) in place of the body, or, when `body=` is declared too and JSON was sent, that body:

    @endpoint("POST", LIST + "/imports", scope="lists:write", csv=50_000_000, filters={"fileName": Filter(str)},
              returns=resources.LeadImport, status=202)
    def start(workspace: Workspace, list_id: int, body: CsvUpload, file_name: str = "people.csv") -> LeadImport:

**A precondition**: `if_match=True` gives the view `if_match=`, the header If-Match without its quotes, or None.

Everything but a GET runs in one transaction, so a failure on the way to the answer leaves no effect. `outside=True`
is for views that must call the network or work for long: then each verb has its own transaction. Such a view can
return `Ready(finish)`: what `finish` does, and the answer it gives, are kept together. `costly=True` draws from the
smaller rate as well. `dry=True`, for what contacts people, takes `?dryRun=true`: the view runs as always, its answer is
sent, and the transaction is undone.
'''

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Blueprint

from app.api.framework.csv_bodies import CsvFile, CsvUpload
from app.api.framework.declarations import (
    ENDPOINTS,
    FORMAT,
    METHODS,
    Endpoint,
    Filter,
    Ready,
    day_of,
    id_of,
    moment_of,
    one_of,
    text_of,
)
from app.api.framework.dispatch import Answering
from app.domain.workspace import api_keys

__all__ = [
    "ENDPOINTS",
    "FORMAT",
    "CsvFile",
    "CsvUpload",
    "Endpoint",
    "Filter",
    "Ready",
    "day_of",
    "endpoint",
    "id_of",
    "moment_of",
    "one_of",
    "text_of",
    "v1",
]

View = TypeVar("View", bound=Callable[..., Any])

v1 = Blueprint("v1", __name__, url_prefix="/v1")


class Declaration(Endpoint):
    """A declaration as a decorator of its view."""

    def __call__(self, view: View) -> View:
        """Route to the view; raise TypeError for a declaration that contradicts itself."""
        self.view = view
        _check(self)
        ENDPOINTS.append(self)
        v1.add_url_rule(
            self.path,
            endpoint=self.name.replace(".", "_"),
            view_func=Answering(self),
            methods=[self.method],
            provide_automatic_options=False,
            merge_slashes=False,
        )
        return view


endpoint = Declaration


def _check(one: Endpoint) -> None:
    """Raise TypeError when the declaration contradicts itself."""
    writes = one.method in ("POST", "PUT", "PATCH")
    rules = {
        "not a method and a path.": one.method in METHODS and one.path.startswith("/"),
        "declare a scope of domain.workspace.api_keys.SCOPES.": one.scope is None or one.scope in api_keys.SCOPES,
        "a GET returns something.": one.method != "GET" or one.status != 204,
        "declare the words in the path, and no others.": {*one.places} - {*one.ids} == {*one.words},
        "only a GET can have pages.": one.page_of is None or one.method == "GET",
        "only POST, PUT and PATCH have a body.": writes or (one.body is None and not one.csv),
        "only a body can have examples.": one.example is None or one.body is not None,
        "only a change in one transaction can have a dry run.": not one.dry or (writes and not one.outside),
        "only a GET can return a file.": one.returns is not CsvFile or one.method == "GET",
        "is declared twice.": not any((one.method, one.path) == (known.method, known.path) for known in ENDPOINTS),
    }
    for rule, kept in rules.items():
        if not kept:
            raise TypeError(f"{one.method} {one.path}: {rule}")
