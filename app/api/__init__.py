"""`/v1`: one file per resource group, each endpoint one declaration."""

import pkgutil
from importlib import import_module

from flask import Flask

from app.api.framework import openapi_route, request_logging
from app.api.framework.endpoint import IdConverter, v1

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
v1.after_request(request_logging.log_request)


def register(app: Flask) -> None:
    """Register every endpoint."""
    app.url_map.converters["id"] = IdConverter
    app.register_blueprint(v1)
    openapi_route.register(app)


def is_ours(path: str) -> bool:
    """Return whether a path belongs to `/v1`, even if it answers with an error."""
    return path == "/v1" or path.startswith("/v1/")
