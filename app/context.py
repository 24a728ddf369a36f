"""The request, the application and what is kept with the request, themselves.

Flask's own names for them are proxies that look them up with every word, for a microsecond each. Where every request of
`/v1` passes, that adds up to a tenth of it.
"""

from typing import Any

from flask import Flask, Request, current_app, g, request


def this_request() -> Request:
    """What `request` stands for."""
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found


def this_app() -> Flask:
    """What `current_app` stands for."""
    found: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return found


def kept_here() -> Any:
    """What `g` stands for."""
    return g._get_current_object()
