"""Connected services as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape

DOLLAR = 1_000_000
Kind = Literal["social", "people", "email", "verify", "phone", "signals", "crm", "meetings"]


class ServiceField(Shape):
    """A field of a service's settings."""

    name: str
    """The key of the field in `values`."""
    label: str
    """The label to show."""
    secret: bool
    """True if the value is never shown again."""
    optional: bool
    """True if it may be left out."""
    hint: str
    """What to enter; empty if the label says it."""
    value: str
    """The saved settings, secrets masked; "" before the service is connected."""


class Service(Resource):
    """A service and its health. Position and times are null while it is not connected."""

    name: str
    """The stable name of the service, such as `hunter`."""
    title: str
    """The name to show."""
    serves: list[Kind]
    """What the service is used for."""
    guide: str
    """How to get the credentials."""
    link: str
    """The address of the page where they are found."""
    fields: list[ServiceField]
    """The settings needed to connect."""
    connected: bool
    """Whether it is connected."""
    position: int | None
    """Its position among similar services, from 1; null while not connected."""
    health: Literal["", "well", "failing"]
    """Whether it works; empty before the first use."""
    about: str
    """What it does, in one sentence."""
    failure: str
    """What went wrong last; empty if nothing."""
    daily_budget: float | None
    """US dollars; null for no limit."""
    used_today: int
    """How many requests were made today."""
    spent_today: float
    """Dollars."""
    checked_at: datetime | None
    """When it was last tested; null if never."""
    succeeded_at: datetime | None
    """When a request last succeeded; null if never."""
    failed_at: datetime | None
    """When a request last failed; null if never."""

    @classmethod
    def of(cls, state: Any) -> Json:
        service, login = state.service, state.login
        shown = login.shown if login else {}
        budget = login.daily_budget if login else None
        return cls.filled(
            service,
            serves=sorted(service.serves),
            fields=[
                {
                    "name": field.name,
                    "label": field.label,
                    "secret": field.secret,
                    "optional": field.optional or field.made,
                    "hint": field.hint,
                    "value": shown.get(field.name, ""),
                }
                for field in service.fields
            ],
            connected=login is not None,
            position=login and login.position,
            health=("well" if login.well else "failing") if login else "",
            about=login.about if login else "",
            failure=login.failure if login else "",
            daily_budget=None if budget is None else budget / DOLLAR,
            used_today=state.used,
            spent_today=state.spent / DOLLAR,
            checked_at=login and login.checked_at,
            succeeded_at=login and login.succeeded_at,
            failed_at=login and login.failed_at,
        )


class Services(Resource):
    """All services: connected ones first, in the order of use."""

    services: list[Service]
    """Connected services first, in the order of use."""

    @classmethod
    def of(cls, states: Sequence[Any]) -> Json:
        return {"services": Service.many(states)}
