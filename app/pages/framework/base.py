"""What every page stands on: fragment or whole page, who is signed in, refusals as pages, and safe requests only.

An area is a file here with `area = Blueprint("lists", __name__)` and views such as

    @area.get("/lists")
    def index(workspace: Workspace) -> Response:
        return render("lists/index.html", part="lists/_rows.html", lists=…)

It is registered by being there; its endpoints are `pages.lists.index`, and it is for members alone unless
page_permissions.PUBLIC names it. A line in shell.NAV puts it into the navigation.
"""

import hashlib
import inspect
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo

from flask import (
    Request,
    Response,
    after_this_request,
    current_app,
    flash,
    g,
    get_flashed_messages,
    make_response,
    render_template,
    request,
    session,
    url_for,
)
from flask_login import UserMixin, current_user, login_user
from flask_wtf.csrf import generate_csrf
from htmx_flask.requests import HtmxAwareRequest, HtmxHeaders
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter

from app.core import clock, text
from app.core.actor import Actor, actor, spender
from app.core.crypto import keyring
from app.core.errors import AppError, Forbidden, NotFound
from app.domain.installation.sandbox import sandbox_clock
from app.domain.installation.sandbox.sandbox_clock import FastForward
from app.domain.senders import standing
from app.domain.workspace import sessions, team, two_factor, workspaces
from app.domain.workspace.roles import landing
from app.domain.workspace.sessions import BrowserSession
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, settings_rail, words

View = TypeVar("View", bound=Callable[..., Any])
HOME = "pages.home.index"
STRANGERS = "Sign in with a browser. The API is described in /v1/openapi.json.\n"  # browsers never show it
COOKIE_KEPT = 400 * 86_400  # seconds, the longest that browsers keep a cookie
HOST_ONLY = "__Host-"  # no other host can set a cookie with such a name; browsers take it over HTTPS alone
DEVICE = "overture-device"
NOT_KEPT = ("csrf_token", "password_again")
KEPT = "kept"  # sealed, in the form that asks for the password


class Htmx4Headers(HtmxHeaders):  # type: ignore[misc]
    """The headers htmx 4 sends: the source and the target are written `tag#id`."""

    def __init__(self, headers: Any) -> None:
        super().__init__(headers)
        self.sent = headers

    @property
    def source(self) -> str:
        """Return the id of the requesting element, or ''."""
        return str(self.sent.get("HX-Source", "")).partition("#")[2]

    @property
    def target(self) -> str:
        """Return the id of the element to replace, or ''."""
        return str(self.sent.get("HX-Target", "")).partition("#")[2]

    @property
    def partial(self) -> bool:
        """Return whether a part of the page is requested, not the page."""
        return bool(self) and self.sent.get("HX-Request-Type") != "full" and not self.history_restore_request


class PageRequest(HtmxAwareRequest):  # type: ignore[misc]
    """A request that parses htmx 4 headers lazily: most requests of `/v1` never need them."""

    __init__ = Request.__init__

    @cached_property
    def htmx(self) -> Htmx4Headers:
        return Htmx4Headers(self.headers)


class RowId(IntegerConverter):
    """`<int:list_id>` in an address; 0, which no row has, for a number that no database could be asked about."""

    def to_python(self, value: str) -> int:
        return text.number(value)


def htmx() -> Htmx4Headers:
    """Return the request's htmx headers; false when the browser itself asks."""
    return cast(PageRequest, request).htmx


def keeps_page() -> bool:
    """Return whether the asking page stays open: htmx wants a piece of it, or sent a form of which it shows a piece."""
    return htmx().partial or (bool(htmx()) and request.method == "POST")


class SignedIn(UserMixin):  # type: ignore[misc]
    """A user as one session of theirs knows them; `token` is what the browser holds."""

    def __init__(self, user: User, here: BrowserSession | None, token: str) -> None:
        self.user, self.here, self.token = user, here, token

    def get_id(self) -> str:
        """Return the session's name in the cookie."""
        return self.token

    @classmethod
    def load(cls, token: str) -> "SignedIn | None":
        """Return the user of that session, or None when it has ended; a page's own polls do not prolong it."""
        found = sessions.find(token, attended="X-Unattended" not in request.headers)
        return cls(*found, token) if found else None


def render(template: str, part: str | None = None, status: int = 200, **context: Any) -> Response:
    """Render the whole page for a browser, or only the template `part` when htmx replaces a part."""
    name = part if part and htmx().partial else template
    response = make_response(render_template(name, **context), status)
    if name == part and (toasts := get_flashed_messages(with_categories=True)):
        response.data += render_template("_toasts.html", toasts=toasts).encode()
    response.vary.add("HX-Request")
    return response


def unless_unchanged(response: Response) -> Response:
    """Return 304 when the browser has the same already. The form token differs each time and does not count."""
    body = response.get_data().replace(generate_csrf().encode(), b"")
    response.set_etag(hashlib.sha256(body).hexdigest()[:24])
    response.make_conditional(request)
    return response


def redirect_to(endpoint: str, **values: Any) -> Response:
    """Redirect to an endpoint or path with a GET (303; for htmx the whole page changes)."""
    return redirect_to_path(endpoint if endpoint.startswith("/") else url_for(endpoint, **values))


def redirect_to_path(path: str) -> Response:
    """Redirect to a path of ours."""
    if htmx():
        return Response("", 200, {"HX-Redirect": path})
    return Response("", 303, {"Location": path})


def show_toast(message: str, tone: str = "ok", undo: str = "") -> None:
    """Show a message on the next page or this fragment. tone: ok info warn danger; `undo` is a POST path."""
    flash(message, f"{tone} {undo}".strip())


def signed_in(view: View) -> View:
    """Pass `workspace`, and `user` if the view names it; others sign in first, or learn who has access."""
    wants_user = "user" in inspect.signature(view).parameters

    @wraps(view)
    def guarded(*arguments: Any, **values: Any) -> Any:
        if not load_user():
            return redirect_to_login()
        open_to_all = (request.endpoint or "").startswith(page_permissions.WITHOUT_FACTOR)
        without_factor = two_factor.is_missing(g.user, g.workspace)
        if not open_to_all and without_factor:
            return _redirect_to_factor()
        if request.endpoint == HOME and not page_permissions.may(g.role, HOME):
            return redirect_to_path(landing(g.role))
        _require_permission(request.method not in ("GET", "HEAD"))
        if request.endpoint in page_permissions.FRESH and request.method == "POST":
            again = reauthenticate()
            if again is not None:
                return again
        is_section = request.endpoint in settings_rail.SECTIONS and not without_factor
        if is_section and (group := settings_rail.lead_to_group()):
            return redirect_to_path(group)
        if wants_user:
            values["user"] = g.user
        return view(g.workspace, *arguments, **values)

    return cast(View, guarded)


def may_change(view: View) -> View:
    """Open a GET to those alone who may change what it shows, such as a form."""

    @wraps(view)
    def guarded(*arguments: Any, **values: Any) -> Any:
        _require_permission(change=True)
        return view(*arguments, **values)

    return cast(View, guarded)


def _redirect_to_factor() -> Response:
    """Redirect to the setup of the second factor; what asks by itself gets nothing, so that a code can be typed."""
    return Response("", 204) if "X-Unattended" in request.headers else redirect_to("pages.profile.factor")


def _require_permission(change: bool) -> None:
    """Check that the user's role may open the page; Forbidden names who can change that."""
    endpoint = request.endpoint or ""
    if endpoint.startswith("pages.") and not page_permissions.may(g.role, endpoint, change):
        raise Forbidden(
            f"Your role ({g.role}) doesn't allow this.",
            recovery=f"Ask a workspace owner: {' or '.join(team.owners(g.workspace))}.",
        )


def may_open(path: str) -> bool:
    """Return whether the signed-in user's role may open that path."""
    here = text.url_parts(path).path
    try:
        endpoint, _ = current_app.url_map.bind("").match(here, method="GET")
    except HTTPException:
        return False
    return page_permissions.public(endpoint) or page_permissions.may(g.role, endpoint)


def reauthenticate() -> Response | None:
    """Return None when the password was confirmed recently or with this form; else the page that asks for it.

    That page sends the same form again, with everything that was filled in, to the same address: sealed, so that no
    password typed there stands in its HTML.
    """
    here, problem = current_user.here, ""
    bound = f"again|{g.user.id}|{request.path}|{g.workspace.id}"
    request.form = _unsealed(request.form, bound)
    if sessions.recently_confirmed(here):
        return None
    if "password_again" in request.form:
        if workspaces.is_password(g.user, request.form["password_again"]):
            login_user(SignedIn(g.user, here, sessions.confirm_password(here)))
            return None
        problem = "Wrong password."
    filled = [(name, value) for name, value in request.form.items(multi=True) if name not in NOT_KEPT]
    kept = urlsafe_b64encode(keyring().seal(json.dumps(filled).encode(), bound)).decode()
    beside = keeps_page()
    context = {"kept": kept, "problem": problem, "in_place": htmx().target if not htmx().partial else ""}
    response = make_response(
        render_template("auth/_again.html" if beside else "auth/again.html", **context), 422 if problem else 200
    )
    if beside:
        response.headers["HX-Reswap"] = "none"
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("HX-Request")
    return response


def _unsealed(form: MultiDict[str, str], bound: str) -> ImmutableMultiDict[str, str]:
    """Return what was filled in before the password was asked for, with the answer; nothing when it was altered."""
    if KEPT not in form:
        return ImmutableMultiDict(form)
    try:
        filled = json.loads(keyring().unseal(urlsafe_b64decode(form[KEPT]), bound))
    except ValueError:
        filled = []
    asked = [(name, form[name]) for name in NOT_KEPT if name in form]
    return ImmutableMultiDict([*((name, value) for name, value in filled), *asked])


def load_user() -> bool:
    """Load the session: with a user, `g` gets user, workspace, role, time zone and time."""
    if not current_user.is_authenticated:
        return False
    g.user = current_user.user
    g.places = workspaces.of_user(g.user)
    if not g.places:
        return False
    chosen = session.get("workspace")
    g.workspace, g.role = next((place for place in g.places if place[0].id == chosen), g.places[0])
    called = f"{g.user.name} ({g.user.email})" if g.user.name else g.user.email
    actor.set(Actor(called, g.user.id, request.remote_addr or ""))
    spender.set(g.workspace.id)
    g.zone = ZoneInfo(g.workspace.timezone)
    return True


def begin_session(user: User, workspace_id: int | None = None) -> None:
    """Sign the user in with a new session: session fixation and leftovers have no effect."""
    if current_user.is_authenticated:
        sessions.end_current(current_user.user, current_user.here.id)
    session.clear()
    session.permanent = True
    token = sessions.begin(user, request.remote_addr or "", request.user_agent.string)
    if workspace_id is not None:
        session["workspace"] = workspace_id
    login_user(SignedIn(user, None, token))
    remember_device(user)


def remember_device(user: User) -> None:
    """Let this browser show that the user has signed in on it: tries elsewhere never make them wait here."""
    if workspaces.is_known_device(user, known_device()):
        return
    token = workspaces.device_token(user)

    @after_this_request
    def keep(response: Response) -> Response:
        keep_in_browser(response, DEVICE, token)
        return response


def known_device() -> str:
    """Return the device token in this browser's cookie; '' if there is none."""
    return kept_in_browser(DEVICE)[:200]


def keep_in_browser(response: Response, name: str, value: str) -> None:
    """Let this browser show the value from now on; an empty one is forgotten."""
    called, secure = _cookie(name), current_app.config["SESSION_COOKIE_SECURE"]
    if value:
        response.set_cookie(called, value, max_age=COOKIE_KEPT, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(called, secure=secure, httponly=True, samesite="Lax")


def kept_in_browser(name: str) -> str:
    """Return the value of this browser's cookie of that name; '' if there is none."""
    return request.cookies.get(_cookie(name), "")


def _cookie(name: str) -> str:
    return f"{HOST_ONLY}{name}" if current_app.config["SESSION_COOKIE_SECURE"] else name


def redirect_to_login() -> Response:
    """Redirect to the sign-in page, which returns to the page asked for or the page of the form or script."""
    asked = request.full_path.rstrip("?") if request.method == "GET" else request.referrer
    here = text.url_parts(str((htmx().current_url if htmx() else asked) or ""))
    back = here.path + (f"?{here.query}" if here.query else "")
    target = url_for("pages.auth.login", next=back if back not in ("/", "") else None)
    if htmx():
        return Response("", 401, {"HX-Redirect": target})
    headers = {"Location": target, "Link": '</v1/openapi.json>; rel="service-desc"'}
    return Response(STRANGERS, 303, headers, content_type="text/plain; charset=utf-8")


def safe_path(path: str | None, otherwise: str = "/") -> str:
    """Return `path` if it is a path of ours, never another site, else `otherwise`."""
    parts = text.url_parts(path or "")
    ours = (
        path and path.startswith("/") and not path.startswith(("//", "/\\")) and not parts.netloc and path.isprintable()
    )
    return str(path) if ours else otherwise


def came_from(otherwise: str = "/") -> str:
    """Return the page whose button was pressed, if it is one of ours."""
    return safe_path((request.referrer or "").removeprefix(request.host_url.rstrip("/")), otherwise)


def error_text(refusal: AppError) -> str:
    """Return the error in one text: the problem of a field, or the reason and what to do next."""
    return refusal.fields[0].message if refusal.fields else f"{refusal.message} {refusal.recovery}"


def try_verb(verb: Callable[[], object], said: str = "", tone: str = "ok") -> bool:
    """Run the verb and show `said` or the error on the next page; return whether it worked. NotFound stays a page."""
    try:
        verb()
    except NotFound:
        raise
    except AppError as refusal:
        show_toast(error_text(refusal), "danger")
        return False
    if said:
        show_toast(said, tone)
    return True


class Errors(dict[str, str]):
    """Sentences by field path, as forms show them; a field without an error has an empty one."""

    def __missing__(self, path: str) -> str:
        return ""


def errors_of(refusal: AppError | None) -> Errors:
    """Return the error's sentences by field path."""
    return Errors({field.path: field.message for field in refusal.fields} if refusal else {})


def local_now() -> datetime:
    """Return the workspace's time; real time without a user."""
    workspace: Workspace | None = g.get("workspace")
    return workspace.now() if workspace else clock.now()


def filter_when(moment: datetime | None, real: bool = False, exact: bool = False) -> Any:
    """Format a time, `{{ lead.due_at|when }}`, on the workspace's clock; `|when(real=true)` is for real time.

    Behind a word such as “by”, “since” or “until”, use `|when(exact=true)`: “in 5 min” would not fit.
    A page with real time in a sandbox whose clock was moved says so at its end.
    """
    if real and moment is not None:
        g.real_time = True
    return words.when(moment, g.get("zone") or ZoneInfo("UTC"), clock.now() if real else local_now(), exact)


def pace_of(account: Any) -> str:
    """Return what a sender may send a day now, and later on."""
    return ", ".join(standing.pace([account], local_now()))


def filter_age(moment: datetime) -> Any:
    """Format an age, `{{ draft.created_at|age }}`, in a word or two, on the workspace's clock."""
    return words.age(moment, g.get("zone") or ZoneInfo("UTC"), local_now())


def filter_day(moment: datetime | None) -> str:
    """Format a date, `{{ campaign.created_at|day }}`, in the workspace's time zone."""
    return words.day(moment, g.get("zone") or ZoneInfo("UTC"))


def latest_skip(workspace: Workspace) -> FastForward | None:
    """Return the workspace's last fast-forward, looked up once for a page."""
    if "latest_skip" not in g:
        g.latest_skip = sandbox_clock.latest_skip(workspace)
    found: FastForward | None = g.latest_skip
    return found
