"""Provider webhooks: `POST /hooks/<provider>/<token>`, without a session; a secret verifies each call."""

import json

from flask import Blueprint, Flask, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from app.core import text
from app.core.errors import AppError, NotFound, RateLimited, Unauthorized
from app.domain.billing import stripe_checkout
from app.domain.engine.inbound import provider_webhooks
from app.domain.platform import rate_limits
from app.domain.platform.rate_limits import Rate
from app.domain.tasks.meetings import bookings

MOST = 256 * 1024  # bytes of a request body
WRONG = Rate("hooks", 1, 60)  # calls of one address whose token or secret is wrong
bp = Blueprint("hooks", __name__, url_prefix="/hooks")


def register(app: Flask) -> None:
    """Register the providers' webhook endpoints."""
    app.register_blueprint(bp)


@bp.before_request
def _refuse_odd_address() -> None:
    """Raise NotFound for an address that the database cannot be asked about."""
    if not all(part.isascii() and part.isprintable() for part in (request.view_args or {}).values()):
        raise NotFound("Webhook address not found.")


@bp.errorhandler(AppError)
def _refused(problem: AppError) -> ResponseReturnValue:
    """Answer with a sentence that reveals nothing about this installation.

    Only wrong calls count: a provider sends the calls of all workspaces from one address and is never refused.
    """
    if isinstance(problem, NotFound | Unauthorized):
        drawn = rate_limits.consume(WRONG, request.remote_addr or "")
        if not drawn.allowed:
            problem = RateLimited("Too many calls.", retry_after=max(1, round(drawn.wait)))
    headers = {"Retry-After": str(problem.retry_after)} if problem.retry_after else {}
    return {"message": problem.message}, problem.status, headers


@bp.errorhandler(HTTPException)
def _not_read(problem: HTTPException) -> ResponseReturnValue:
    """Answer a request that is too large or malformed."""
    return {"message": problem.name}, problem.code or 400


@bp.post("/<provider>/<token>")
def take(provider: str, token: str) -> ResponseReturnValue:
    """Apply a network's webhook call, now or in a job."""
    number = provider_webhooks.take(provider, token, dict(request.headers), _body(token))
    return {"accounts": number}, 200


@bp.post("/<provider>/<token>/sign-in")
def take_sign_in(provider: str, token: str) -> ResponseReturnValue:
    """Finish a hosted sign-in that began here."""
    try:
        told = json.loads(_body(token))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not all(text.is_text(str(value)) for value in told.values()):
        raise Unauthorized("Sign-in not found.")
    provider_webhooks.take_sign_in(provider, token, told)
    return {"accounts": 1}, 200


@bp.post("/meetings/<service>/<workspace>")
def take_meeting(service: str, workspace: str) -> ResponseReturnValue:
    """Apply what a service tells of a booked meeting."""
    body = _body(f"{service} {workspace}")
    return {"heard": bookings.take(service, text.number(workspace), dict(request.headers), body)}, 200


@bp.post("/stripe")
def take_sale() -> ResponseReturnValue:
    """Queue a lookup of a sold subscription."""
    heard = stripe_checkout.handle_event(_body("stripe"), request.headers.get("Stripe-Signature", ""))
    return {"heard": heard}, 200


def _body(token: str) -> bytes:
    """Return the request body, unless it is too large."""
    if len(token) > 64:
        raise NotFound("Webhook address not found.")
    request.max_content_length = MOST
    if (request.content_length or 0) > MOST:
        raise RequestEntityTooLarge
    return request.get_data()
