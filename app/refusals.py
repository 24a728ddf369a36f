"""What goes wrong anywhere is answered in the language of the address: JSON under `/v1`, a page elsewhere."""

from flask import Flask, Response, request

from app import api
from app.api.framework.responses import error_answer
from app.pages.framework.safety import error_page


def register(app: Flask) -> None:
    """Every failure has an answer."""
    app.register_error_handler(Exception, _answer)


def _answer(error: Exception) -> Response:
    return error_answer(error) if api.is_ours(request.path) else error_page(error)
