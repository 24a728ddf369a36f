"""`GET /v1/openapi.json`: the OpenAPI document of this application, made and loaded when it is first asked for."""

import hashlib
from typing import Any

from flask import Flask, Response, current_app, request

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.endpoint import v1

KEPT_BY = "openapi"  # the name under which an application keeps its document


def register(app: Flask) -> None:
    """Provide the app's OpenAPI document, built at the first request and cached."""
    app.extensions[KEPT_BY] = _Kept(app)


class _Kept:
    """The document of one application. Pages read it from the application, for they do not know the API."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._document: dict[str, Any] = {}
        self._text = b""
        self.tag = ""

    def __call__(self) -> dict[str, Any]:
        if not self._document:
            from app.api.framework.openapi import document

            self._document = document(ENDPOINTS, self._app.config["BASE_URL"])
        return self._document

    def text(self) -> bytes:
        """Return the document as JSON."""
        if not self._text:
            self._text = self._app.json.dumps(self(), ensure_ascii=False, sort_keys=False).encode()
            self.tag = hashlib.sha256(self._text).hexdigest()[:20]
        return self._text


@v1.get("/openapi.json", provide_automatic_options=False)
def show() -> Response:
    """The document, to anybody: it holds nothing of a workspace."""
    kept = current_app.extensions[KEPT_BY]
    response = Response(kept.text(), content_type="application/json")
    response.set_etag(kept.tag)
    response.headers["Cache-Control"] = "public, max-age=300"
    response.make_conditional(request)
    return response
