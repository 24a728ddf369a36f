"""Connected services as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape, Values

DOLLAR = 1_000_000
Kind = Literal["social", "people", "email", "verify", "phone", "signals", "crm", "meetings"]


class ServiceField(Shape):
    """A setting of a service."""

    name: str
    """The name of the setting, to use as a key in `values`."""
    label: str
    """The label of the setting, which you can show to users."""
    secret: bool
    """True if the value is a secret, which is only returned masked."""
    optional: bool
    """True if the setting is optional."""
    hint: str
    """Help on what to enter; empty if there is none."""
    value: str
    """The saved value, masked if it is a secret; empty before the service is connected."""


class Service(Resource):
    """A service that you can connect, and its health."""

    name: str
    """The name of the service in requests, such as `hunter`."""
    title: str
    """The name of the service, which you can show to users."""
    serves: list[Kind]
    """The purposes of the service."""
    guide: str
    """Where to find the credentials, as a sentence you can show to users."""
    link: str
    """The URL of the page where you can find the credentials."""
    fields: list[ServiceField]
    """The settings to send when you connect the service."""
    connected: bool
    """Whether the service is connected."""
    position: int | None
    """The position among services for the same purpose, starting at 1; null if the service is not connected."""
    health: Literal["", "well", "failing"]
    """Whether the service works (`well`) or fails (`failing`); empty before the first use."""
    about: str
    """What the service does, in one sentence."""
    failure: str
    """The last problem with the service; empty if there is none."""
    daily_budget: float | None
    """The maximum to spend per day, in US dollars; null for no limit."""
    used_today: int
    """How many requests were made today."""
    spent_today: float
    """How much was spent today, in US dollars."""
    checked_at: datetime | None
    """When the service was last tested; null if it has never been tested."""
    succeeded_at: datetime | None
    """When a request to the service last succeeded; null if none has."""
    failed_at: datetime | None
    """When a request to the service last failed; null if none has."""

    @classmethod
    def of(cls, state: Any) -> Json:
        service, login = state.service, state.login
        shown = login.shown if login else {}
        budget = login.daily_budget if login else None
        return cls.filled(
            service,
            serves=sorted(service.serves),
            fields=[
                ServiceField.filled(field, optional=field.optional or field.made, value=shown.get(field.name, ""))
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


class Services(Values):
    """The services you can connect, with their health."""

    services: list[Service]
    """All services: connected services first, in the order in which they are used."""
