"""The request and what is kept with it, themselves; the application itself is `core.db.this_app`.

Flask's own names for them are proxies that look them up with every word, for a microsecond each. Where every request of
`/v1` passes, that adds up to a tenth of it.
"""

from typing import Any

from flask import Request, g, request


def this_request() -> Request:
    """What `request` stands for."""
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found


def kept_here() -> Any:
    """What `g` stands for."""
    return g._get_current_object()
