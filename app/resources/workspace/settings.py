"""A workspace's settings as API resources."""

from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class Retention(Shape):
    """How many days logs are kept; 0 means until the workspace is deleted."""

    requests: int
    """How many days the log of API requests is kept."""
    deliveries: int
    """How many days webhook deliveries are kept."""
    payloads: int
    """How many days the contents of events are kept; older events are no longer listed."""


class Settings(Resource):
    """The settings of the workspace."""

    name: str
    """The name of the workspace."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    merge: Literal["", "fill", "overwrite", "replace", "keep"]
    """How imports update people who are already known; empty for the default of each source."""
    lawful_basis: str
    """The lawful basis for contacting people in lists that do not have their own; empty for none."""
    undo_seconds: int
    """How many seconds you have to undo a reply after sending it."""
    meeting_link: str
    """The booking link for members who have not set their own; empty for none."""
    retention: Retention
    """How long logs are kept."""

    @classmethod
    def of(cls, workspace: Any, days: Any) -> Json:  # type: ignore[override]
        return cls.filled(workspace, retention={name: days[name] for name in Retention.model_fields})


class ContactRules(Resource):
    """The default contact rules for all campaigns: who is left out, and how often people are contacted."""

    contacted_days: int
    """People contacted by another campaign or a member within this many days are left out; 0 to turn off."""
    replied: bool
    """Whether people who replied to any campaign are left out."""
    said_no: bool
    """Whether people who said “no” or “not now” are left out."""
    colleague_talks: bool
    """Whether people who are already in conversation with another of your senders are left out."""
    customers: bool
    """Whether people who are customers, or have an open deal, in the connected CRM are left out."""
    company_days: int
    """People whose company was contacted within this many days are left out; 0 to turn off."""
    tags: list[str]
    """People with one of these tags are left out."""
    touches: int
    """The maximum number of times one person may be contacted within `days`; 0 for no limit."""
    days: int
    """The number of days that `touches` applies to."""
    per_day: int
    """The maximum number of times one person may be contacted in a day; 0 for no limit."""
    company_people: int
    """The maximum number of people at one company who may be contacted at the same time; 0 for no limit."""
    company_stop: bool
    """Whether a reply puts everyone else at the same company on hold."""
    opt_out_holds_company: bool
    """Whether an opt-out puts everyone else at the same company on hold."""

    @classmethod
    def of(cls, rules: Any) -> Json:
        return {name: rules[field] for name, field in zip(cls._names, cls._fields, strict=True)}
