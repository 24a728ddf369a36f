"""Billing as API resources: plan, credits and cancellation."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic.alias_generators import to_camel

from app.models import billing
from app.models.billing import EntryKind
from app.models.workspaces import Subscription
from app.resources.base import Columns, Json, Resource, Shape, columns_of


class Credits(Shape):
    """The workspace's credits."""

    balance: int
    """All of the workspace's credits, including those on hold."""
    held: int
    """Credits on hold for lookups that are running."""
    available: int
    """Credits that can be spent: `balance` minus `held`."""


class Quota(Shape):
    """The usage and limit of one quota."""

    used: int
    """How much of the quota is used."""
    limit: int
    """The maximum that the plan allows."""


class Quotas(Shape):
    """The quotas of the plan."""

    accounts: Quota
    """How many senders are connected, and how many the plan allows."""
    running_campaigns: Quota
    """How many campaigns are running, and how many the plan allows."""
    leads: Quota
    """How many people are in all lists, and how many the plan allows."""


class Billing(Resource):
    """The workspace's plan, with its usage and limits."""

    plan: str
    """The name of the plan."""
    status: Subscription
    """The state of the subscription."""
    trial_ends_at: datetime | None
    """When the trial ends; null if there is no trial."""
    ends_at: datetime | None
    """When the trial or the current period ends; null if it does not end."""
    cancel_at: datetime | None
    """When the canceled subscription ends; null if it is not canceled."""
    can_extend: bool
    """Whether the trial can still be extended."""
    credits: Credits
    """The credit balance."""
    quotas: Quotas
    """The usage and limits of each quota."""

    @classmethod
    def of(cls, overview: Any) -> Json:
        quotas = {to_camel(name): vars(room) for name, room in overview.quotas.items()}
        return cls.filled(overview, quotas=quotas)


class CancelResult(Resource):
    """When the canceled subscription ends."""

    trialing: bool
    """True if a trial was canceled, false if a paid subscription was."""
    can_extend: bool
    """Whether the trial can still be extended."""
    ends_at: str
    """The same as `cancelAt`; empty if the subscription ended immediately."""
    cancel_at: datetime | None
    """When the subscription ends; null if it ended immediately."""


class CreditEntry(Resource):
    """A change to the workspace's credits."""

    columns: ClassVar[Columns] = columns_of(
        billing.CreditEntry, "id", "kind", "amount", "held", "ref", "purpose", "note", "created_at"
    )

    id: int
    """The id of the change."""
    kind: EntryKind
    """The kind of change."""
    amount: int
    """The change in the balance; negative if credits were spent or expired."""
    held: int
    """The change in the credits on hold; negative if credits were released."""
    ref: str
    """A reference to the cause of the change, such as a lookup; empty if there is none."""
    purpose: str
    """What the credits were for."""
    note: str
    """A note about the change; empty if there is none."""
    created_at: datetime
    """When the change was made."""
