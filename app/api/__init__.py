"""`/v1`: one file per resource group, each endpoint one declaration."""

import pkgutil
from collections.abc import Callable, Collection
from importlib import import_module
from typing import NoReturn

from flask import Flask
from werkzeug.exceptions import MethodNotAllowed

from app.api.framework import openapi_route, responses
from app.api.framework.declarations import ENDPOINTS, METHODS
from app.api.framework.dispatch import IdConverter
from app.api.framework.endpoint import v1

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    # The framework has no endpoints, and some of its parts load when they are asked for.
    if not _module.name.startswith(f"{__name__}.framework"):
        import_module(_module.name)
v1.after_request(responses.log_request)


def register(app: Flask) -> None:
    """Register every endpoint."""
    app.url_map.converters["id"] = IdConverter
    app.register_blueprint(v1)
    _refuse_other_methods(app)
    openapi_route.register(app)


def is_ours(path: str) -> bool:
    """Return whether a path belongs to `/v1`, even if it answers with an error."""
    return path == "/v1" or path.startswith("/v1/")


def _refuse_other_methods(app: Flask) -> None:
    """Refuse what a path does not take that could also name a thing: `PATCH /approvals/bulk` is not about a draft."""
    routes, taken_by = app.url_map.bind(""), dict[str, set[str]]()
    for one in ENDPOINTS:
        if not one.places:
            taken_by.setdefault(one.path, set()).update({"GET", "HEAD"} if one.method == "GET" else {one.method})
    shared = {path: taken for path, taken in taken_by.items() if {*routes.allowed_methods(f"/v1{path}")} - taken}
    for path, taken in shared.items():
        app.add_url_rule(
            f"/v1{path}",
            endpoint=f"refused {path}",
            view_func=_refusal(taken),
            methods={*METHODS, "OPTIONS", "TRACE"} - taken,
            provide_automatic_options=False,
        )


def _refusal(taken: Collection[str]) -> Callable[[], NoReturn]:
    def refuse() -> NoReturn:
        raise MethodNotAllowed(sorted(taken))

    return refuse
