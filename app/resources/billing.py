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
    """All credits the workspace has."""
    held: int
    """Credits reserved for lookups that are running."""
    available: int
    """Credits that can be spent: `balance` less `held`."""


class Quota(Shape):
    """Usage and limit of one quota."""

    used: int
    """How many are in use."""
    limit: int
    """How many the plan allows."""


class Quotas(Shape):
    """The quotas of the plan."""

    accounts: Quota
    """Connected senders."""
    running_campaigns: Quota
    """Running campaigns."""
    leads: Quota
    """People in all lists together."""


class Billing(Resource):
    """The plan and what is left of it. `endsAt` is the end of the trial or the current period."""

    plan: str
    """The name of the plan."""
    status: Subscription
    """The state of the subscription."""
    trial_ends_at: datetime | None
    """When the trial ends; null if there is none."""
    ends_at: datetime | None
    """When the trial or the current period ends; null if neither does."""
    cancel_at: datetime | None
    """When the subscription ends after a cancellation; null if it was not canceled."""
    can_extend: bool
    """Whether the trial can still be extended."""
    credits: Credits
    """The credits."""
    quotas: Quotas
    """Use and limits of the plan."""

    @classmethod
    def of(cls, overview: Any) -> Json:
        quotas = {to_camel(name): vars(room) for name, room in overview.quotas.items()}
        return {**super().of(overview), "credits": vars(overview.credits), "quotas": quotas}


class CancelResult(Resource):
    """When the subscription ends: with the trial or with the paid period."""

    trialing: bool
    """Whether a trial was canceled."""
    can_extend: bool
    """Whether the trial can still be extended."""
    ends_at: str
    """When it ends; empty if immediately."""
    cancel_at: datetime | None
    """The same as a timestamp; null if immediately."""


class CreditEntry(Resource):
    """One credit movement: `amount` changes the balance, `held` the held credits."""

    columns: ClassVar[Columns] = columns_of(
        billing.CreditEntry, "id", "kind", "amount", "held", "ref", "purpose", "note", "created_at"
    )

    id: int
    """The id of the movement."""
    kind: EntryKind
    """What kind of movement it is."""
    amount: int
    """The change of the balance; negative when credits are spent."""
    held: int
    """The change of the held credits."""
    ref: str
    """What it belongs to, such as the id of a lookup; empty if nothing."""
    purpose: str
    """What the credits were for."""
    note: str
    """A remark; empty if there is none."""
    created_at: datetime
    """When the movement was created."""
