"""What tests of webhooks look at, and an endpoint that can be taken away."""

from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.domain.webhooks import delivery_log, endpoints
from app.models.webhooks import Delivery, DeliveryAttempt, Webhook
from app.models.workspaces import Workspace


def log(workspace: Workspace, webhook: Webhook, **filters: Any) -> list[Any]:
    """The delivery log, newest first."""
    query = delivery_log.page(workspace, webhook.id, **filters).order_by(Delivery.id.desc())
    return list(session().execute(query))


def only(workspace: Workspace, webhook: Webhook) -> Any:
    (delivery,) = log(workspace, webhook)
    return delivery


def fresh(workspace: Workspace, webhook: Webhook) -> Webhook:
    session().expire_all()
    return endpoints.get(workspace, webhook.id)


def count_attempts() -> int:
    """How many tries there were in all."""
    return session().scalar(sa.select(sa.func.count(DeliveryAttempt.id))) or 0


class Switch:
    """An endpoint that can be taken away and given back."""

    def __init__(self, url: str) -> None:
        self.url, self.there = url, False

    def post(self, url: str, headers: Any, body: bytes) -> Any:
        if not self.there:
            raise ports.Unreachable("Connection refused.")
        return ports.Answer(200, "", 1)

    def objection(self, url: str) -> str:
        """None."""
        return ""
