"""The Python client of Overture.

    with Overture("https://outreach.example.com", key) as overture:
        founders = overture.lists.create(body=models.NewList(name="Founders"))
        for lead in overture.lists.leads_page(founders.id):
            print(lead.first_name)

Everything that an operation takes and answers is generated from the server's OpenAPI document into `core`; what stands
beside it is written by hand: retries, pages, errors and webhooks.
"""

from .client import AsyncOverture, Overture
from .core import models
from .core.types import UNSET, File, Unset
from .errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    ConversationChanged,
    FieldProblem,
    Forbidden,
    Internal,
    InvalidRequest,
    NotFound,
    NotSupported,
    OvertureError,
    PlanLimitExceeded,
    RateLimited,
    SubscriptionRequired,
    Unauthorized,
    Unavailable,
    WorkspaceSuspended,
)
from .pages import AsyncPages, Pages
from .retries import Retries
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "UNSET",
    "ApiError",
    "AsyncOverture",
    "AsyncPages",
    "Conflict",
    "ConnectionFailed",
    "ConversationChanged",
    "FieldProblem",
    "File",
    "Forbidden",
    "Internal",
    "InvalidRequest",
    "NotFound",
    "NotSupported",
    "Overture",
    "OvertureError",
    "Pages",
    "PlanLimitExceeded",
    "RateLimited",
    "Retries",
    "SubscriptionRequired",
    "Unauthorized",
    "Unavailable",
    "Unset",
    "WebhookVerificationError",
    "WorkspaceSuspended",
    "models",
    "verify_webhook",
]
