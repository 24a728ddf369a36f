"""What every page stands on: fragment or whole page, who is signed in, refusals as pages, and safe requests only.

An area is a file here with `area = Blueprint("lists", __name__)` and views such as

    @area.get("/lists")
    @signed_in
    def index(workspace: Workspace) -> Response:
        return render("lists/index.html", part="lists/_rows.html", lists=…)

It is registered by being there; its endpoints are `pages.lists.index`. A line in shell.NAV
puts it into the navigation.
"""

import inspect
from collections.abc import Callable
from datetime import datetime
from functools import cached_property, wraps
from typing import Any, TypeVar, cast, overload
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

from flask import (
    Request,
    Response,
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
from htmx_flask.requests import HtmxAwareRequest, HtmxHeaders
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter

from app.core import clock, text
from app.core.actor import Actor, actor
from app.core.errors import AppError, Forbidden, NotFound
from app.domain.workspace import sessions, team, workspaces
from app.domain.workspace.roles import landing
from app.domain.workspace.sessions import BrowserSession
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions, words

View = TypeVar("View", bound=Callable[..., Any])
HOME = "pages.home.index"
NOT_KEPT = ("csrf_token", "password_again")


class Htmx4Headers(HtmxHeaders):  # type: ignore[misc]
    """The headers htmx 4 sends: the source and the target are written `tag#id`."""

    def __init__(self, headers: Any) -> None:
        super().__init__(headers)
        self.sent = headers

    @property
    def source(self) -> str:
        """The id of the element that asked, or ''."""
        return str(self.sent.get("HX-Source", "")).partition("#")[2]

    @property
    def target(self) -> str:
        """The id of the element that will be replaced, or ''."""
        return str(self.sent.get("HX-Target", "")).partition("#")[2]

    @property
    def partial(self) -> bool:
        """Whether a piece of the page is wanted, not the page."""
        return bool(self) and self.sent.get("HX-Request-Type") != "full" and not self.history_restore_request


class PageRequest(HtmxAwareRequest):  # type: ignore[misc]
    """A request that knows what htmx 4 wants, once somebody asks: most requests of `/v1` never do."""

    __init__ = Request.__init__

    @cached_property
    def htmx(self) -> Htmx4Headers:
        """The headers of htmx."""
        return Htmx4Headers(self.headers)


class RowId(IntegerConverter):
    """`<int:list_id>` in an address; 0, which no row has, for a number that no database could be asked about."""

    def to_python(self, value: str) -> int:
        """See BaseConverter."""
        return text.number(value)


def htmx() -> Htmx4Headers:
    """What htmx says about this request; false when a browser asks by itself."""
    return cast(PageRequest, request).htmx


class SignedIn(UserMixin):  # type: ignore[misc]
    """A user as one session of theirs knows them; `token` is what the browser holds."""

    def __init__(self, user: User, here: BrowserSession | None, token: str) -> None:
        self.user, self.here, self.token = user, here, token

    def get_id(self) -> str:
        """The name of this session in the cookie."""
        return self.token

    @classmethod
    def load(cls, token: str) -> "SignedIn | None":
        """The user of that session, or None when it has ended."""
        found = sessions.find(token)
        return cls(*found, token) if found else None


def render(template: str, part: str | None = None, status: int = 200, **context: Any) -> Response:
    """The whole page for a browser; only `part`, a template of its own, when htmx replaces a piece of it."""
    name = part if part and htmx().partial else template
    response = make_response(render_template(name, **context), status)
    if name == part and (toasts := get_flashed_messages(with_categories=True)):
        response.data += render_template("_toasts.html", toasts=toasts).encode()
    response.vary.add("HX-Request")
    return response


def redirect_to(endpoint: str, **values: Any) -> Response:
    """The browser goes to that endpoint or path with a GET (303; for htmx the whole page changes)."""
    return redirect_to_path(endpoint if endpoint.startswith("/") else url_for(endpoint, **values))


def redirect_to_path(path: str) -> Response:
    """The same for a path of ours."""
    if htmx():
        return Response("", 200, {"HX-Redirect": path})
    return Response("", 303, {"Location": path})


def show_toast(message: str, tone: str = "ok", undo: str = "") -> None:
    """The next page, or this fragment, shows the message. tone: ok info warn danger; a POST to `undo` takes it back."""
    flash(message, f"{tone} {undo}".strip())


@overload
def signed_in(view: View) -> View:
    """Bare: whoever is signed in."""


@overload
def signed_in(*, roles: tuple[str, ...]) -> Callable[[View], View]:
    """With roles: owners and these."""


def signed_in(view: View | None = None, *, roles: tuple[str, ...] = ()) -> Any:
    """The view gets `workspace` first, and `user` when it names one; others are sent to sign in, or told who may."""

    def decorate(view: View) -> View:
        wants_user = "user" in inspect.signature(view).parameters

        @wraps(view)
        def guarded(*arguments: Any, **values: Any) -> Any:
            if not load_user():
                return redirect_to_login()
            if request.endpoint == HOME and not page_permissions.may(g.role, HOME):
                return redirect_to_path(landing(g.role))
            require_permission(roles)
            if request.endpoint in page_permissions.FRESH and request.method == "POST":
                again = reauthenticate()
                if again is not None:
                    return again
            if wants_user:
                values["user"] = g.user
            return view(g.workspace, *arguments, **values)

        guarded.roles = roles  # type: ignore[attr-defined]
        return cast(View, guarded)

    return decorate(view) if view else decorate


def require_permission(roles: tuple[str, ...] = ()) -> None:
    """Check that the user's role may open the page; Forbidden names who can change that."""
    endpoint = request.endpoint or ""
    if endpoint.startswith("pages."):
        allowed = page_permissions.may(g.role, endpoint, change=bool(roles) or request.method not in ("GET", "HEAD"))
    else:
        allowed = not roles or g.role in ("owner", *roles)
    if not allowed:
        raise Forbidden(
            f"Your role ({g.role}) doesn't allow this.",
            recovery=f"Ask a workspace owner: {' or '.join(team.owners(g.workspace))}.",
        )


def may_open(path: str) -> bool:
    """Whether the page behind that path opens for whoever is signed in, by the table of roles."""
    here = parts_of(path).path
    try:
        endpoint, _ = current_app.url_map.bind("").match(here, method="GET")
    except HTTPException:
        return False
    return page_permissions.public(endpoint) or page_permissions.may(g.role, endpoint)


def reauthenticate() -> Response | None:
    """None when the password was given lately, or comes with this form; else the page that asks for it.

    It sends the same form again, with everything that was filled in, to the same address.
    """
    here, problem = current_user.here, ""
    if sessions.recently_confirmed(here):
        return None
    if "password_again" in request.form:
        if workspaces.is_password(g.user, request.form["password_again"]):
            sessions.confirm_password(here)
            return None
        problem = "Wrong password."
    kept = [(name, value) for name, value in request.form.items(multi=True) if name not in NOT_KEPT]
    beside = htmx().partial
    response = make_response(
        render_template("auth/_again.html" if beside else "auth/again.html", kept=kept, problem=problem),
        422 if problem else 200,
    )
    if beside:
        response.headers["HX-Reswap"] = "none"
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("HX-Request")
    return response


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
    g.zone = ZoneInfo(g.workspace.timezone)
    return True


def begin_session(user: User, workspace_id: int | None = None) -> None:
    """They are signed in here, in a session of its own: one planted or left behind before is worth nothing."""
    if current_user.is_authenticated:
        sessions.end_current(current_user.user, current_user.here.id)
    session.clear()
    session.permanent = True
    token = sessions.begin(user, request.remote_addr or "", request.user_agent.string)
    if workspace_id is not None:
        session["workspace"] = workspace_id
    login_user(SignedIn(user, None, token))


def parts_of(address: str) -> SplitResult:
    """The address, taken apart; one that cannot be, as browsers send none, is taken for nowhere."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def redirect_to_login() -> Response:
    """The sign-in page, which returns here: to the page asked for, or to the one whose form or script asked."""
    asked = request.full_path.rstrip("?") if request.method == "GET" else request.referrer
    here = parts_of(str((htmx().current_url if htmx() else asked) or ""))
    back = here.path + (f"?{here.query}" if here.query else "")
    target = url_for("pages.auth.login", next=back if back not in ("/", "") else None)
    if htmx():
        return Response("", 401, {"HX-Redirect": target})
    return Response("", 303, {"Location": target})


def safe_path(path: str | None, otherwise: str = "/") -> str:
    """`path` when it leads to a page of ours, never to another site."""
    parts = parts_of(path or "")
    ours = (
        path and path.startswith("/") and not path.startswith(("//", "/\\")) and not parts.netloc and path.isprintable()
    )
    return str(path) if ours else otherwise


def error_text(refusal: AppError) -> str:
    """The refusal as one saying: what is wrong with a field, or why not and what to do next."""
    return refusal.fields[0].message if refusal.fields else f"{refusal.message} {refusal.recovery}"


def try_verb(verb: Callable[[], object], said: str = "", tone: str = "ok") -> bool:
    """Whether the verb was done; the next page says `said`, or why not. What does not exist stays a page of its own."""
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


def errors_of(refusal: AppError) -> dict[str, str]:
    """The refusal's sentences by field path, as forms show them."""
    return {field.path: field.message for field in refusal.fields}


def local_now() -> datetime:
    """Return the workspace's time; real time without a user."""
    workspace: Workspace | None = g.get("workspace")
    return workspace.now() if workspace else clock.now()


def filter_when(moment: datetime | None, real: bool = False) -> Any:
    """`{{ lead.due_at|when }}`: on the workspace's clock; `|when(real=true)` for what happens in real time."""
    return words.when(moment, g.get("zone") or ZoneInfo("UTC"), clock.now() if real else local_now())


def filter_age(moment: datetime) -> Any:
    """`{{ draft.created_at|age }}`: how long ago, in a word or two, on the workspace's clock."""
    return words.age(moment, g.get("zone") or ZoneInfo("UTC"), local_now())


def filter_day(moment: datetime | None) -> str:
    """`{{ campaign.created_at|day }}`: the date in the workspace's time zone."""
    return words.day(moment, g.get("zone") or ZoneInfo("UTC"))
