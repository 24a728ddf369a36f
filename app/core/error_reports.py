"""Error reports to SENTRY_DSN, if there is one: what broke and in which request, without data about people."""

import logging
import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from app.core.installation import VERSION
from app.core.logs import redact, request_id

log = logging.getLogger(__name__)
MISSING = "Errors are not reported: SENTRY_DSN is set, but the package sentry-sdk is not installed."
REMEDY = "Run `pip install overture[sentry]`."
_ADDRESS = re.compile(r"(?<![^\s@\"'<>(),;:])[^\s@\"'<>(),;:]+@[^\s@\"'<>(),;:]+")
_TOLD = (
    "contexts", "environment", "event_id", "exception", "level", "logger", "platform", "release", "sdk", "timestamp",
)  # fmt: skip
_state = {"missing": False}
_told = {"host": ""}


def missing() -> bool:
    """Return whether reports are wanted, and cannot be made because their package is missing."""
    return _state["missing"]


def host() -> str:
    """Return the host that gets the reports; '' when nothing is reported."""
    return _told["host"]


def start(settings: dict[str, Any]) -> None:
    """Begin to report errors."""
    wanted = bool(settings["SENTRY_DSN"])
    _state["missing"] = wanted and find_spec("sentry_sdk") is None
    if missing():
        log.error("%s %s", MISSING, REMEDY)
    _told["host"] = (urlsplit(settings["SENTRY_DSN"]).hostname or "") if wanted and not missing() else ""
    if not wanted or missing():
        return
    import_module("sentry_sdk").init(
        dsn=settings["SENTRY_DSN"],
        release=VERSION,
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        server_name="",
        before_send=scrub,
        http_proxy=settings["HTTP_PROXY"] or None,
        https_proxy=settings["HTTPS_PROXY"] or None,
        ca_certs=settings["REQUESTS_CA_BUNDLE"] or None,
    )


def scrub(event: dict[str, Any], hint: dict[str, Any]) -> dict[str, Any]:
    """Return what is reported: the error, the route and the request's id; no address, no header, no text of a person.

    The address of a request is left out because some hold a token.
    """
    told = {name: event[name] for name in _TOLD if name in event}
    told["contexts"] = {name: about for name, about in told.get("contexts", {}).items() if name in ("runtime", "os")}
    for one in told.get("exception", {}).get("values", []):
        one["value"] = without_addresses(str(one.get("value", "")))
    if message := event.get("logentry", {}).get("message") or event.get("message"):
        told["logentry"] = {"message": without_addresses(str(message))}
    if route := event.get("transaction"):
        told["transaction"] = route
    if request_id.get():
        told["tags"] = {"request_id": request_id.get()}
    return told


def without_addresses(text: str) -> str:
    """Mask email addresses and secrets."""
    return redact(_ADDRESS.sub("…@…", text))
