"""Application errors: a code, a sentence and what to do next. ERROR_CODES maps codes to HTTP statuses."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple


class Field(NamedTuple):
    """One invalid input: `path` is a JSON path such as `sequence[1].delay.unit`."""

    path: str
    message: str


@dataclass(frozen=True)
class Code:
    """An error code's HTTP status, and the default advice to the caller."""

    status: int
    recovery: str


ERROR_CODES: dict[str, Code] = {
    "invalid_request": Code(400, "Correct the fields in error.fields and send the request again."),
    "not_supported": Code(400, "Use a supported value."),
    "unauthorized": Code(401, "Send a valid API key as 'Authorization: Bearer <API_KEY>'."),
    "forbidden": Code(403, "Use a key or a role with this permission."),
    "subscription_required": Code(403, "Renew the subscription. You can still read data."),
    "plan_limit_exceeded": Code(403, "Free some of your quota or upgrade your plan."),
    "workspace_suspended": Code(403, "Contact your server admin."),
    "not_found": Code(404, "It may have been deleted, or it may belong to another workspace."),
    "conflict": Code(409, "Read the current state and try again."),
    "conversation_changed": Code(409, "Read the newer message and send again."),
    "rate_limited": Code(429, "Wait as many seconds as Retry-After says, then retry."),
    "unavailable": Code(503, "Nothing was changed. Retry with backoff."),
    "internal": Code(503, "Nothing was changed. Retry; if it fails again, report the request id."),
}


class AppError(Exception):
    """A refused request, which the API, the pages, MCP and the CLI show to the caller. Subclasses set the code."""

    code = "internal"

    def __init__(
        self,
        message: str,
        recovery: str | None = None,
        fields: list[Field] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.recovery = recovery or ERROR_CODES[self.code].recovery
        self.fields = fields or []
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        """Return the HTTP status of this error."""
        return ERROR_CODES[self.code].status


class InvalidRequest(AppError):
    """Some input is not valid; `fields` names each problem."""

    code = "invalid_request"

    @classmethod
    def of(cls, *problems: tuple[str, str]) -> "InvalidRequest":
        """Return one error for all `(path, message)` problems."""
        return cls("The request is not valid.", fields=[Field(*problem) for problem in problems])

    @classmethod
    def raise_for(cls, problems: Collection[tuple[str, str]]) -> None:
        """Raise one error for all `(path, message)` problems, if there are any."""
        if problems:
            raise cls.of(*problems)


class NotSupported(AppError):
    """The value is known but this installation does not do it."""

    code = "not_supported"


class Unauthorized(AppError):
    """No valid key or session."""

    code = "unauthorized"


class Forbidden(AppError):
    """Known caller without the right."""

    code = "forbidden"


class SubscriptionRequired(AppError):
    """The subscription ended; only reading is possible."""

    code = "subscription_required"


class PlanLimitExceeded(AppError):
    """A quota of the plan, or the credit balance, is used up."""

    code = "plan_limit_exceeded"


class WorkspaceSuspended(AppError):
    """The operator suspended the workspace."""

    code = "workspace_suspended"


class NotFound(AppError):
    """It does not exist, or belongs to another workspace, which looks the same."""

    code = "not_found"


class Conflict(AppError):
    """The state does not allow the move."""

    code = "conflict"


class ConversationChanged(AppError):
    """The thread moved on after the text was composed."""

    code = "conversation_changed"


class RateLimited(AppError):
    """Too many requests from this caller."""

    code = "rate_limited"


class Unavailable(AppError):
    """This installation, or a service it needs, is busy."""

    code = "unavailable"


class Overloaded(Unavailable):
    """More requests wait than can be served soon: this one is answered without asking the database."""
