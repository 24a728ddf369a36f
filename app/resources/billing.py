"""The plan, the credits, and how the subscription ends."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic.alias_generators import to_camel

from app.models import billing
from app.models.billing import EntryKind
from app.models.workspaces import Subscription
from app.resources.base import Columns, Json, Resource, Shape, columns_of


class Credits(Shape):
    """Credits owned, those of them that are spoken for, and those that can be spent now."""

    balance: int
    held: int
    available: int


class Quota(Shape):
    """How much of something is used, and how much the plan has room for."""

    used: int
    limit: int


class Quotas(Shape):
    """What the plan has room for."""

    accounts: Quota
    running_campaigns: Quota
    leads: Quota


class Billing(Resource):
    """The plan and what is left of it. `endsAt` is the end of the trial or of the present period."""

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
        """The overview, with the names that JSON has."""
        quotas = {to_camel(name): vars(room) for name, room in overview.quotas.items()}
        return {**super().of(overview), "credits": vars(overview.credits), "quotas": quotas}


class CancelResult(Resource):
    """How the subscription ends: a trial without a charge, anything else with its period."""

    trialing: bool
    can_extend: bool
    ends_at: str
    cancel_at: datetime | None


class CreditEntry(Resource):
    """One movement of credits: `amount` changes what is owned, `held` what is spoken for."""

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
