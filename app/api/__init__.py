"""`/v1`: one file per resource group, each endpoint one declaration."""

import pkgutil
from importlib import import_module

from flask import Flask, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.api import log, openapi
from app.api.answering import Answering
from app.api.endpoint import IdConverter, v1
from app.api.files import CSV

MOST_BYTES = 5_000_000

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def register(app: Flask) -> None:
    """Every endpoint answers."""
    app.url_map.converters["id"] = IdConverter
    app.before_request(_begin)
    app.register_blueprint(v1)
    openapi.register(app)
    log.register(app)


def is_ours(path: str) -> bool:
    """Whether `/v1` answers at this path, be it with an error."""
    return path == "/v1" or path.startswith("/v1/")


def _begin() -> None:
    """Bodies that are too large are refused before anything else is looked at."""
    if is_ours(request.path):
        g.api_headers = {}
        if "CONTENT_LENGTH" not in request.environ and "CONTENT_TYPE" not in request.environ:
            request.max_content_length = MOST_BYTES
            return
        most = request.max_content_length = _most_bytes()
        if (request.content_length or 0) > most:
            raise RequestEntityTooLarge


def _most_bytes() -> int:
    """How large this body may be: a file may be larger than JSON."""
    if request.mimetype == CSV and request.endpoint is not None:
        view = current_app.view_functions[request.endpoint]
        if isinstance(view, Answering):
            return max(view.declared.csv, MOST_BYTES)
    return MOST_BYTES
