"""A workspace's settings as API resources."""

from typing import Any, Literal

from app.resources.base import Json, Resource, Shape


class Retention(Shape):
    """How many days data is kept; 0 to keep it until the workspace is deleted."""

    requests: int
    """How many days the log of API requests is kept; 0 for no limit."""
    deliveries: int
    """How many days webhook deliveries are kept; 0 for no limit."""
    payloads: int
    """How many days the contents of events are kept; 0 for no limit. Older events are no longer listed."""


class Settings(Resource):
    """The settings of the workspace."""

    name: str
    """The name of the workspace."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    merge: Literal["", "fill", "overwrite", "replace", "keep"]
    """How imports update people who are already known; empty for the default of each source."""
    lawful_basis: str
    """The default lawful basis for contacting people, for lists without their own; empty for none."""
    undo_seconds: int
    """How many seconds you have to undo a reply in the dashboard; messages sent with a key are not held back."""
    meeting_link: str
    """The default booking link, for members without their own; empty for none."""
    retention: Retention
    """How long logs and events are kept."""

    @classmethod
    def of(cls, workspace: Any, days: Any) -> Json:  # type: ignore[override]
        return cls.filled(workspace, retention={name: days[name] for name in Retention.model_fields})


class ContactRules(Resource):
    """The default contact rules for all campaigns: who is excluded, and how often people may be contacted."""

    contacted_days: int
    """How many days people stay excluded after another campaign or a member contacted them; 0 to turn off."""
    replied: bool
    """Whether to exclude people who replied to any campaign."""
    said_no: bool
    """Whether to exclude people who said “no” or “not now”."""
    colleague_talks: bool
    """Whether to exclude people who are already in conversation with another of your senders."""
    customers: bool
    """Whether to exclude people who are customers, or have an open deal, in the connected CRM."""
    company_days: int
    """How many days people stay excluded after their company was contacted; 0 to turn off."""
    tags: list[str]
    """People with any of these tags are excluded."""
    touches: int
    """The maximum number of times one person may be contacted in `days` days; 0 for no limit."""
    days: int
    """The number of days for the limit in `touches`."""
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
