"""A workspace's settings as API resources."""

from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class Retention(Shape):
    """For how many days things are kept; 0 for as long as the workspace exists."""

    requests: int
    """Days the request log is kept."""
    deliveries: int
    """Days webhook deliveries are kept."""
    payloads: int
    """Days the bodies of requests and deliveries are kept."""


class Settings(Resource):
    """Workspace-wide settings."""

    name: str
    """The name of the workspace."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    merge: Literal["", "fill", "overwrite", "replace", "keep"]
    """How to update known people; "" for the default of each source."""
    lawful_basis: str
    """The default lawful basis for lists without one; "" for none."""
    undo_seconds: int
    """How long you can undo a reply."""
    meeting_link: str
    """Where members without their own link book meetings; "" for none."""
    retention: Retention
    """How long logs are kept."""

    @classmethod
    def of(cls, workspace: Any, days: Any) -> Json:  # type: ignore[override]
        return cls.filled(workspace, retention={name: days[name] for name in Retention.model_fields})


class ContactRules(Resource):
    """The default contact rules of all campaigns: who is left out, and contact limits."""

    contacted_days: int
    """Contacted by another campaign within these days; 0: off."""
    replied: bool
    """Whether people who replied to any campaign are left out."""
    said_no: bool
    """Whether people who declined are left out."""
    colleague_talks: bool
    """Another sender has an open conversation with them."""
    customers: bool
    """They or their company are a customer, or have an open deal, in the CRM."""
    company_days: int
    """A colleague was contacted within these days; 0: off."""
    tags: list[str]
    """People with one of these tags are left out."""
    touches: int
    """The most contacts with one person within `days`; 0: no limit."""
    days: int
    """The number of days over which `touches` is counted."""
    per_day: int
    """The most contacts with one person in a day; 0: no limit."""
    company_people: int
    """The most people of one company contacted at once; 0: no limit."""
    company_stop: bool
    """Hold the company after a reply."""
    opt_out_holds_company: bool
    """Hold the company after an opt-out."""

    @classmethod
    def of(cls, rules: Any) -> Json:
        return {name: rules[field] for name, field in zip(cls._names, cls._fields, strict=True)}
