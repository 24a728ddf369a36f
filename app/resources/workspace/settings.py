"""A workspace's settings as API resources."""

from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape


class Retention(Shape):
    """For how many days things are kept; 0 for as long as the workspace exists."""

    requests: int
    deliveries: int
    payloads: int


class Settings(Resource):
    """Workspace-wide settings."""

    name: str
    timezone: str
    merge: Literal["", "fill", "overwrite", "replace", "keep"] = Field(
        description='How to update known people; "" for the default of each source.'
    )
    lawful_basis: str = Field(description='The default lawful basis for lists without one; "" for none.')
    undo_seconds: int = Field(description="How long you can undo a reply.")
    meeting_link: str = Field(description='Where members without their own link book meetings; "" for none.')
    retention: Retention

    @classmethod
    def of(cls, workspace: Any, days: Any) -> Json:  # type: ignore[override]
        return {
            "name": workspace.name,
            "timezone": workspace.timezone,
            "merge": workspace.merge,
            "lawfulBasis": workspace.lawful_basis,
            "undoSeconds": workspace.undo_seconds,
            "meetingLink": workspace.meeting_link,
            "retention": {name: days[name] for name in Retention.model_fields},
        }


class ContactRules(Resource):
    """The default contact rules of all campaigns: who is left out, and contact limits."""

    contacted_days: int = Field(description="Contacted by another campaign within these days; 0: off.")
    replied: bool
    said_no: bool
    colleague_talks: bool = Field(description="Another sender has an open conversation with them.")
    customers: bool = Field(description="They or their company are a customer, or have an open deal, in the CRM.")
    company_days: int = Field(description="A colleague was contacted within these days; 0: off.")
    tags: list[str]
    touches: int = Field(description="The most contacts with one person within `days`; 0: no limit.")
    days: int
    per_day: int = Field(description="The most contacts with one person in a day; 0: no limit.")
    company_people: int = Field(description="The most people of one company contacted at once; 0: no limit.")
    company_stop: bool = Field(description="Hold the company after a reply.")
    opt_out_holds_company: bool = Field(description="Hold the company after an opt-out.")

    @classmethod
    def of(cls, rules: Any) -> Json:
        return {name: rules[field] for name, field in zip(cls._names, cls._fields, strict=True)}
