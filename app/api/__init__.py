"""`/v1`: one file per resource group, each endpoint one declaration."""

import pkgutil
from importlib import import_module

from flask import Flask
from werkzeug.exceptions import RequestEntityTooLarge

from app.api import log, openapi
from app.api.answering import MOST_BYTES
from app.api.endpoint import IdConverter, v1
from app.context import this_request

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
v1.after_request(log.note)


def register(app: Flask) -> None:
    """Every endpoint answers."""
    app.url_map.converters["id"] = IdConverter
    app.before_request(_refuse_too_large)
    app.register_blueprint(v1)
    openapi.register(app)


def is_ours(path: str) -> bool:
    """Whether `/v1` answers at this path, be it with an error."""
    return path == "/v1" or path.startswith("/v1/")


def _refuse_too_large() -> None:
    """Where no endpoint could say so, what is too large is refused for that before its address is."""
    asked = this_request()
    if asked.url_rule is None and is_ours(asked.path) and (asked.content_length or 0) > MOST_BYTES:
        raise RequestEntityTooLarge
