"""Authorization and rate limits: key, suspension, scope and rate, in that order."""

from flask import current_app, g, request

from app.core.actor import actor, spender
from app.core.errors import Forbidden, RateLimited, Unauthorized, WorkspaceSuspended
from app.domain.platform import rate_limits
from app.domain.platform.rate_limits import Rate
from app.domain.workspace import api_keys, workspaces
from app.domain.workspace.api_keys import Caller
from app.domain.workspace.workspaces import User

MEMBERS_KEY = "Use a key that an owner created under Developers → API keys."


def authorize(scope: str | None, costly: bool) -> Caller:
    """Return the caller if the key covers `scope` (None: any key) and is within the rate limit."""
    caller = act_as(_authenticated())
    if scope is not None and not caller.may(scope):
        g.api_headers["WWW-Authenticate"] = f'Bearer realm="api", error="insufficient_scope", scope="{scope}"'
        raise Forbidden(f"This key lacks the scope {scope}.", recovery=_way_to(scope, caller))
    if current_app.config["OVERTURE_RATE_LIMIT"] != "off":
        _draw(caller, [rate_limits.USUAL, rate_limits.COSTLY] if costly else [rate_limits.USUAL])
    return caller


def act_as(caller: Caller) -> Caller:
    """Return the caller, who acts from now on in this context; raise WorkspaceSuspended for a suspended workspace."""
    may_skip = caller.may(api_keys.APPROVING)
    actor.set(actor.get()._replace(name=caller.title, may_skip_approval=may_skip))
    spender.set(caller.workspace_id)
    if caller.workspace.suspended_at is not None:
        raise WorkspaceSuspended("This workspace is suspended.")
    return caller


def maker() -> User | None:
    """Return the member for whom the caller's key speaks; None for a key of the server."""
    return workspaces.find_user(g.caller.maker_id) if g.caller.maker_id else None


def member() -> User:
    """Return that member; raise Forbidden for a key of the server, which speaks for nobody."""
    if (found := maker()) is None:
        raise Forbidden("This key was created on the server and does not belong to a member.", recovery=MEMBERS_KEY)
    return found


def _way_to(scope: str, caller: Caller) -> str:
    if scope in caller.withheld:
        return "The key's creator lacks this permission. Ask an owner to grant the permission or to take over the key."
    return f"Use a key that has the scope {scope}."


def _authenticated() -> Caller:
    header = request.environ.get("HTTP_AUTHORIZATION")
    try:
        caller = api_keys.authenticate(header)
    except Unauthorized:
        _count_failure()
        detail = ', error="invalid_token"' if header else ""
        g.api_headers["WWW-Authenticate"] = f'Bearer realm="api"{detail}'
        raise
    g.workspace, g.caller = caller.workspace, caller
    return caller


def _count_failure() -> None:
    """Count a failed key per address. Valid keys from the same address are not limited: many share one."""
    if current_app.config["OVERTURE_RATE_LIMIT"] == "off":
        return
    drawn = rate_limits.consume_local(rate_limits.FAILED, request.remote_addr or "")
    if not drawn.allowed:
        raise RateLimited("Too many requests without a valid API key.", retry_after=int(drawn.wait) + 1)


def _draw(caller: Caller, buckets: list[Rate]) -> None:
    """Take from all buckets; the answer's headers show the tightest one."""
    wanted = [(rate, str(caller.key_id)) for rate in buckets]
    drawn = rate_limits.consume_all([*wanted, (rate_limits.OF_WORKSPACE, str(caller.workspace_id))])
    # The workspace's bucket is shown only when it refuses: it promises nothing to a single key.
    told = [each for each in drawn if each.rate is not rate_limits.OF_WORKSPACE or not each.allowed]
    g.api_headers["RateLimit-Policy"] = ", ".join(each.rate.policy for each in told)
    g.api_headers["RateLimit"] = ", ".join(each.state for each in told)
    refused = [each for each in drawn if not each.allowed]
    if refused:
        wait = max(int(each.wait) + 1 for each in refused)
        raise RateLimited(f"Too many requests with this key. Try again in {wait} s.", retry_after=wait)
