"""Errors: one class per error code of the API, so that a program catches what it can mend."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import httpx


class OvertureError(Exception):
    """Anything that went wrong between you and Overture."""


class ConnectionFailed(OvertureError):
    """No response arrived, after all tries. A POST may have taken effect: repeat it with the same idempotency key."""

    def __init__(self, message: str, idempotency_key: str = "") -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class FieldProblem(NamedTuple):
    """One invalid field: its JSON path, such as `profiles[3].profileUrl`, and what is wrong with it."""

    path: str
    message: str


@dataclass
class ApiError(OvertureError):
    """The server refused, and nothing was changed. `code` is '' if a proxy responded instead."""

    status: int
    code: str
    message: str
    request_id: str
    recovery: str
    fields: list[FieldProblem]

    def __str__(self) -> str:
        problems = "".join(f" {field.path}: {field.message}" for field in self.fields)
        return f"{self.message}{problems or (self.recovery and f' {self.recovery}')} ({self.code} {self.request_id})"


class InvalidRequest(ApiError):
    """The request is not valid; `fields` lists every problem."""


class NotSupported(ApiError):
    """The server does not support this value."""


class Unauthorized(ApiError):
    """The API key is missing or not valid."""


class Forbidden(ApiError):
    """The key lacks the scope."""


class SubscriptionRequired(ApiError):
    """The subscription has ended. Reading still works."""


class PlanLimitExceeded(ApiError):
    """The plan's quota or the credits are used up."""


class WorkspaceSuspended(ApiError):
    """The workspace is suspended."""


class NotFound(ApiError):
    """The object does not exist, or belongs to another workspace."""


class Conflict(ApiError):
    """The current state does not allow this, or the idempotency key has been used for a different request."""


class ConversationChanged(ApiError):
    """A newer message has arrived since you read the conversation."""


class RateLimited(ApiError):
    """Too many requests with this key, after all tries."""


class Unavailable(ApiError):
    """The server is busy, after all tries."""


class Internal(ApiError):
    """Something went wrong on the server, after all tries."""


BY_CODE: dict[str, type[ApiError]] = {
    "invalid_request": InvalidRequest,
    "not_supported": NotSupported,
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "subscription_required": SubscriptionRequired,
    "plan_limit_exceeded": PlanLimitExceeded,
    "workspace_suspended": WorkspaceSuspended,
    "not_found": NotFound,
    "conflict": Conflict,
    "conversation_changed": ConversationChanged,
    "rate_limited": RateLimited,
    "unavailable": Unavailable,
    "internal": Internal,
}


def error_of(response: httpx.Response) -> ApiError:
    """Return the error that a response reports, once it has been read."""
    found = _envelope(response)
    code = str(found.get("code", ""))
    return BY_CODE.get(code, ApiError)(
        status=response.status_code,
        code=code,
        message=str(found.get("message") or f"The server returned {response.status_code}."),
        request_id=str(found.get("requestId") or response.headers.get("X-Request-Id", "")),
        recovery=str(found.get("recovery", "")),
        fields=[FieldProblem(each["path"], each["message"]) for each in found.get("fields", [])],
    )


def _envelope(response: httpx.Response) -> dict[str, Any]:
    try:
        found = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}
