"""Security of pages: headers, cookies, cross-site checks, and error pages."""

import gzip
import io
import logging
import secrets
from collections.abc import Iterable
from functools import lru_cache

from flask import Flask, Request, Response, g, make_response, render_template, request
from flask.sessions import NullSession, SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import HTTPException

from app.core import db_faults, text
from app.core.db import session
from app.core.errors import AppError, InvalidRequest, NotFound, Overloaded
from app.core.logs import request_id
from app.domain.workspace import sessions
from app.pages.framework import page_permissions
from app.pages.framework.base import HOST_ONLY, keeps_page, load_user, redirect_to_login, render

FILES = "/static/"  # files that are the same for every user
COMPRESSED = {"text/html", "text/css", "text/javascript", "image/svg+xml"}
LEAST_COMPRESSED = 1000  # below, what is saved is less than what it costs
MOST_NOISE = 100


def compress(response: Response) -> Response:
    """Compress the answer, unless it is streamed or empty."""
    own_file = request.path.startswith(FILES)
    if response.mimetype not in COMPRESSED or (response.is_streamed and not own_file):
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings["gzip"] or response.status_code in (204, 206, 304):
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) < LEAST_COMPRESSED:
        return response
    tag, _ = response.get_etag()
    if tag:
        response.set_etag(tag, weak=True)
    response.set_data(_kept(content) if own_file else _packed(content))
    response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=64)
def _kept(content: bytes) -> bytes:
    """Compress a shared file once, at the best ratio: it holds no secret."""
    return gzip.compress(content, 9, mtime=0)


def _packed(content: bytes) -> bytes:
    """BREACH mitigation: vary the compressed length."""
    out = io.BytesIO()
    noise = "-" * secrets.randbelow(MOST_NOISE)
    with gzip.GzipFile(noise, "wb", compresslevel=5, fileobj=out, mtime=0) as file:
        file.write(content)
    return out.getvalue()


log = logging.getLogger(__name__)
csrf = CSRFProtect()
NO_PAGES, NONE = ("/v1/", "/mcp/", FILES), NullSession()
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
POLICY_OF_DATA = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
# status: title, what it means and what to do
REFUSALS = {
    400: (
        "Invalid request",
        "Something is missing or malformed. Go back, reload the page and try again.",
    ),
    401: ("Your session ended", "Sign in to continue."),
    403: ("You don't have access", "Ask a workspace owner."),
    404: ("Page not found", "This page doesn't exist, or it belongs to another workspace."),
    405: ("Unsupported request", "Go back and use the buttons on the page."),
    409: ("This changed while you were looking", "Reload the page, then try again."),
    413: ("File too large", "Upload at most 50 MB at once."),
    415: ("Unsupported content type", "Send a form or a CSV file."),
    429: ("Too many requests", "Wait a moment, then try again."),
    500: ("Something went wrong on our side", "Nothing was changed. Your campaigns keep running."),
    503: ("The service is busy", "Nothing was lost. Try again in a moment; your campaigns keep running."),
}


class PagesAlone(SecureCookieSessionInterface):
    """Sessions for pages only: no cookie can act under `/v1`, and files are the same for every user."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return NONE if f"{request.path}/".startswith(NO_PAGES) else super().open_session(app, request)


def configure_security(app: Flask) -> None:
    """Set up cookies, headers and the check of every unsafe request."""
    https = app.config["BASE_URL"].startswith("https://")
    app.session_interface = PagesAlone()
    app.config.update(
        SESSION_COOKIE_NAME=f"{HOST_ONLY}overture" if https else "overture",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=https,
        # Set when a session begins or changes, never by the way: a style that any cache may keep, or an answer that is
        # late, would hand a session to the next visitor.
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=sessions.LONGEST,
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_SSL_STRICT=False,
    )
    csrf.init_app(app)
    app.after_request(_finish)


def check_origin() -> Response | None:
    """Refuse an unsafe request without our origin and the page's token (CSRF); UNASKED is exempt."""
    if request.method in SAFE_METHODS or (request.endpoint or "").startswith(page_permissions.UNASKED):
        return None
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    elsewhere = site not in (None, "same-origin", "none") or (
        origin is not None and text.url_parts(origin).netloc != request.host
    )
    if elsewhere:
        return refusal_page(403, "This request came from another site.", "Open the page in Overture and try again.")
    csrf.protect()
    return None


def check_text() -> None:
    """Refuse text that cannot be stored: NUL, which Postgres refuses, and lone surrogates."""
    if not _are_texts((request.view_args or {}).values()):
        raise NotFound("This address doesn't exist.", recovery="Check the spelling.")
    named = [(name, file.filename) for name, file in request.files.items(multi=True)]
    given = (*request.args.items(multi=True), *request.form.items(multi=True), *named)
    if not _are_texts(part for pair in given for part in pair):
        raise InvalidRequest("The form has a character that can't be stored.", recovery="Remove it and try again.")


def _are_texts(values: Iterable[object]) -> bool:
    return all(text.is_text(value) for value in values if isinstance(value, str))


def _finish(response: Response) -> Response:
    """Add the security headers to every response; pages and files are compressed, too."""
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if f"{request.path}/".startswith(("/v1/", "/mcp/")):
        response.headers.setdefault("Content-Security-Policy", POLICY_OF_DATA)
        return response
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers.setdefault("Referrer-Policy", "same-origin")
    response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    response.headers.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
    if not request.path.startswith(FILES):
        # A page of a workspace stays in no cache; others may be shown again after a look whether they are the same.
        response.headers.setdefault("Cache-Control", "no-store" if "workspace" in g else "private, no-cache")
        response.vary.add("HX-Request")
    return compress(response)


def error_page(error: Exception) -> Response:
    """Show an error as a page, or for htmx as a message on the current page."""
    if isinstance(error, CSRFError) and not load_user():
        return redirect_to_login()
    if isinstance(error, CSRFError):
        return refusal_page(
            400, "This page was open for too long.", "Reload the page and send the form again. Nothing was changed."
        )
    if isinstance(error, AppError):
        shell = not isinstance(error, Overloaded)
        return refusal_page(error.status, error.message, error.recovery, error.retry_after, shell=shell)  # nosec B604
    if isinstance(error, HTTPException) and error.code:
        if error.code < 400:
            return make_response(error.get_response())  # a redirect to the address with the right slash
        return refusal_page(error.code)
    log.error("A page broke", exc_info=error)
    session().rollback()  # after an error Postgres refuses further queries, which the error page needs
    fault = db_faults.find(error)
    if fault is None:
        return refusal_page(500)
    return refusal_page(503, fault.sentence, fault.recovery, fault.retry_after, shell=fault.readable)  # nosec B604


def refusal_page(
    status: int, message: str = "", recovery: str = "", retry_after: int | None = None, *, shell: bool = True
) -> Response:
    """Return the error page: what happened, what it means, what to do; without the menu where it can't be read."""
    title, meaning = REFUSALS.get(status, REFUSALS[400 if status < 500 else 500])
    if request.path.startswith(FILES):
        return Response(f"{title}.\n", status, {"Cache-Control": "no-cache"}, mimetype="text/plain")
    if keeps_page():
        text = " ".join(part for part in (message or f"{title}.", recovery or meaning) if part)
        response = make_response(render_template("_toasts.html", toasts=[("danger", text)]), status)
        response.headers["HX-Reswap"] = "none"
    else:
        if not shell:
            g.pop("workspace", None)
        elif not g.get("workspace") and status != 500:
            load_user()
        text = f"{message} {recovery}".strip() or meaning
        response = render(
            "error.html",
            status=status,
            code=status,
            title=title,
            text=text,
            request_id=request_id.get(),
            wait=retry_after,
        )
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return response
