"""Connected services as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape

DOLLAR = 1_000_000
Kind = Literal["social", "people", "email", "verify", "phone", "signals", "crm", "meetings"]


class ServiceField(Shape):
    """A field of a service's settings."""

    name: str
    label: str
    secret: bool
    optional: bool
    hint: str
    value: str = Field(description='The saved settings, secrets masked; "" before the service is connected.')


class Service(Resource):
    """A service and its health. Position and times are null while it is not connected."""

    name: str
    title: str
    serves: list[Kind]
    guide: str
    link: str
    fields: list[ServiceField]
    connected: bool
    position: int | None
    health: Literal["", "well", "failing"]
    about: str
    failure: str
    daily_budget: float | None = Field(description="US dollars; null for no limit.")
    used_today: int
    spent_today: float = Field(description="Dollars.")
    checked_at: datetime | None
    succeeded_at: datetime | None
    failed_at: datetime | None

    @classmethod
    def of(cls, state: Any) -> Json:
        service, login = state.service, state.login
        shown = login.shown if login else {}
        budget = login.daily_budget if login else None
        return {
            "name": service.name,
            "title": service.title,
            "serves": sorted(service.serves),
            "guide": service.guide,
            "link": service.link,
            "fields": [
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
            "connected": login is not None,
            "position": login and login.position,
            "health": ("well" if login.well else "failing") if login else "",
            "about": login.about if login else "",
            "failure": login.failure if login else "",
            "dailyBudget": None if budget is None else budget / DOLLAR,
            "usedToday": state.used,
            "spentToday": state.spent / DOLLAR,
            "checkedAt": login and login.checked_at,
            "succeededAt": login and login.succeeded_at,
            "failedAt": login and login.failed_at,
        }


class Services(Resource):
    """All services: connected ones first, in the order of use."""

    services: list[Service]

    @classmethod
    def of(cls, states: Sequence[Any]) -> Json:
        return {"services": Service.many(states)}
