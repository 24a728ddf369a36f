"""The unsubscribe page of emails. Its address is the permission: no session, no cookie, no script."""

from flask import Blueprint, Response, make_response, render_template

from app.core.errors import NotFound
from app.domain.privacy import unsubscribe

area = Blueprint("unsubscribing", __name__)


@area.get("/u/<token>")
def show(token: str) -> Response:
    """Show a button; a visit changes nothing, because programs open every link of an email."""
    return _page(token, "asked")


@area.post("/u/<token>")
def leave(token: str) -> Response:
    """Unsubscribe the person; mail programs call this too."""
    return _page(token, "done")


@area.post("/u/<token>/undo")
def come_back(token: str) -> Response:
    """Undo an unsubscribe by mistake."""
    return _page(token, "undone")


def _page(token: str, wanted: str) -> Response:
    try:
        wish = unsubscribe.read(token)
    except NotFound as refusal:
        return _answer(404, state="unknown", said=refusal)
    if wanted == "done":
        unsubscribe.leave(wish)
    elif wanted == "undone":
        unsubscribe.come_back(wish)
    left = unsubscribe.has_left(wish)
    state = "left" if left else "back" if wanted == "undone" else "asked"
    undo = left and unsubscribe.can_come_back(wish)
    late = left and unsubscribe.may_still_arrive(wish)
    return _answer(200, state=state, token=token, name=wish.workspace.name, undo=undo, late=late)


def _answer(status: int, **context: object) -> Response:
    response = make_response(render_template("unsubscribe.html", **context), status)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
