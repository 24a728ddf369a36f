"""Billing as API resources: plan, credits and cancellation."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic.alias_generators import to_camel

from app.models import billing
from app.models.billing import EntryKind
from app.models.workspaces import Subscription
from app.resources.base import Columns, Json, Resource, Shape, columns_of


class Credits(Shape):
    """The credit balance, the held credits, and the available credits."""

    balance: int
    held: int
    available: int


class Quota(Shape):
    """Usage and limit of one quota."""

    used: int
    limit: int


class Quotas(Shape):
    """The quotas of the plan."""

    accounts: Quota
    running_campaigns: Quota
    leads: Quota


class Billing(Resource):
    """The plan and what is left of it. `endsAt` is the end of the trial or the current period."""

    plan: str
    status: Subscription
    trial_ends_at: datetime | None
    ends_at: datetime | None
    cancel_at: datetime | None
    can_extend: bool
    credits: Credits
    quotas: Quotas

    @classmethod
    def of(cls, overview: Any) -> Json:
        quotas = {to_camel(name): vars(room) for name, room in overview.quotas.items()}
        return {**super().of(overview), "credits": vars(overview.credits), "quotas": quotas}


class CancelResult(Resource):
    """When the subscription ends: with the trial or with the paid period."""

    trialing: bool
    can_extend: bool
    ends_at: str
    cancel_at: datetime | None


class CreditEntry(Resource):
    """One credit movement: `amount` changes the balance, `held` the held credits."""

    columns: ClassVar[Columns] = columns_of(
        billing.CreditEntry, "id", "kind", "amount", "held", "ref", "purpose", "note", "created_at"
    )

    id: int
    kind: EntryKind
    amount: int
    held: int
    ref: str
    purpose: str
    note: str
    created_at: datetime
