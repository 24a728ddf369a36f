"""People as API resources: their record, the merge of two, and what they answered last."""

from datetime import datetime
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from app.models import campaigns, people
from app.resources.base import Json, Resource, Shape, Values
from app.resources.monitors import Fit

MarkName = Literal["none", "positive", "generic", "negative", "not_now", "replied_elsewhere", "met"]


class PersonAnswer(Resource):
    """A person's last reply, received by Overture or recorded by a member."""

    person_id: int
    """The id of the person."""
    answer: MarkName
    """The last sentiment that is not neutral (else `generic`), or what a member recorded; `none` without a reply."""
    replied_at: datetime | None
    """When the person replied, or when a member recorded the answer; null if there is no reply."""
    come_back_at: datetime | None
    """When the person asked to be contacted again; null if the person did not ask."""

    @classmethod
    def of(cls, person: Any, answer: str = "none") -> Json:
        return cls.filled(person, person_id=person.id, answer=answer)


class PersonIdentity(Shape):
    """An identifier of a person."""

    kind: people.IdentityKind
    """The kind of identifier, such as an email address."""
    value: str
    """The normalized identifier, as used for comparison: lower case, without prefixes."""


class ValueSource(Shape):
    """The source of one of the person's values."""

    field: str
    """The name of the field, or `customFields.` followed by the name of a custom field."""
    kind: people.SourceKind
    """The kind of source."""
    name: str
    """The name of the file, API key, member or service that the value came from."""
    lawful_basis: str
    """The lawful basis given with the import or list; empty if none was given."""
    at: datetime
    """When the value was first received."""
    typed: bool
    """True if a member edited the value. Imports and API calls do not replace edited values."""


class FormerValue(Shape):
    """A value that was replaced or never used."""

    field: str
    """The name of the field."""
    value: Any
    """The former value."""
    kind: people.SourceKind
    """The kind of source."""
    name: str
    """The name of the value's source, such as a file."""
    known_at: datetime
    """When the value was received."""
    ended_at: datetime
    """When the value was replaced or rejected."""
    taken: bool
    """True if the value was used and then replaced, false if it was never used."""


class PersonList(Shape):
    """A list that the person is in, with the id of the person's lead."""

    id: int
    """The id of the list."""
    name: str
    """The name of the list."""
    lead_id: int
    """The id of the person's lead in that list."""


class PersonCampaign(Shape):
    """A campaign the person is or was in."""

    id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""
    state: campaigns.LeadState
    """The person's state in the campaign."""


class SameCompany(Shape):
    """The person's company, matched by domain or name."""

    domain: str
    """The domain by which people are matched; empty if people are matched by company name."""
    name: str
    """The name of the company in lower case, without the legal form, such as Ltd."""
    by_hand: str | None
    """The company as set by a member: empty for no company, null if a member has not set it."""
    others: int
    """How many other people in the workspace work at the company; 1,001 means more than 1,000."""
    held: bool
    """True if everyone at the company is on hold after a reply, until a member decides."""


class PersonRecord(Resource):
    """A person in the workspace, with the source of each value."""

    id: int
    """The id of the person."""
    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if it is not known."""
    first_name: str
    """The first name; empty if not known."""
    last_name: str
    """The last name; empty if not known."""
    headline: str
    """The headline of the profile; empty if not known."""
    position: str
    """The job title; empty if not known."""
    company_name: str
    """The name of the company; empty if not known."""
    company_url: str
    """The URL of the company's website or page; empty if not known."""
    location: str
    """The person's location, as stated on their profile; empty if not known."""
    image_url: str
    """The URL of the profile picture; empty if there is none."""
    email: str
    """The email address; empty if not known."""
    phone: str
    """The phone number; empty if not known."""
    tags: list[str]
    """The tags, in the order they were added."""
    custom_fields: dict[str, Any]
    """The person's custom fields, by name."""
    created_at: datetime
    """When the person was created."""
    identities: list[PersonIdentity]
    """All identifiers of the person."""
    sources: list[ValueSource]
    """The sources of the current values, one entry per field."""
    history: list[FormerValue]
    """Values that were replaced or rejected, newest first."""
    lists: list[PersonList]
    """The lists the person is in."""
    lead_ids: list[int]
    """The ids of the person's leads, one per list."""
    campaigns: list[PersonCampaign]
    """The campaigns the person is or was in."""
    fit: Fit | None
    """How well the person fits the targeting; null if there is no targeting."""
    same_company: SameCompany
    """The company by which the person's colleagues are recognized."""

    @classmethod
    def of(cls, record: Any, fit: Any = None) -> Json:
        return cls.filled(
            record.person,
            identities=record.identities,
            sources=[
                ValueSource.filled(one.source, field=_field(one.field), at=one.at, typed=one.typed)
                for one in record.values
            ],
            history=[
                FormerValue.filled(one, field=_field(name), kind=one.source.kind, name=one.source.name)
                for name, former in record.history.items()
                for one in former
            ],
            lists=[PersonList.filled(place.list, lead_id=place.lead.id) for place in record.places if place.list],
            lead_ids=[place.lead.id for place in record.places],
            fit=fit,
            campaigns=[PersonCampaign.filled(campaign, state=lead.state) for lead, campaign in record.campaigns],
            same_company={
                "domain": record.person.company_domain,
                "name": record.person.company_key,
                "byHand": (record.person.company_by_hand or {}).get("said"),
                "others": record.same_company.others,
                "held": record.same_company.hold is not None,
            },
        )


class MergedField(Shape):
    """A field in which two merged people differ."""

    field: str
    """The name of the field."""
    value: Any
    """The value that is kept in the merge."""
    other: Any
    """The value that is replaced, but stays in the history; empty if there is none."""
    from_other: bool
    """True if the kept value is that of the other person."""


class CampaignStop(Shape):
    """A campaign that the merge ends for one of the two people."""

    id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""
    reason: str
    """Why the campaign ends: `same_person` if both were in it, `never_contact` if one is on the do-not-contact list."""


class MergeResult(Resource):
    """The result of merging two people, or a preview of the result."""

    person_id: int
    """The id of the person who is kept."""
    other_id: int
    """The id of the person who is merged into `personId`."""
    undo: str
    """The token that undoes the merge within ten minutes; empty in a preview."""
    fields: list[MergedField]
    """The fields in which the two people differ."""
    tags: list[str]
    """All tags of the merged person."""
    leads: int
    """How many leads of the other person move to the person who is kept."""
    campaigns: int
    """How many campaigns move to the person who is kept."""
    conversations: int
    """How many conversations move to the person who is kept."""
    identities: list[PersonIdentity]
    """All identifiers of the merged person."""
    stops: list[CampaignStop]
    """The campaigns that end for one of the two people."""

    @classmethod
    def of(cls, looked: Any, undo: str) -> Json:  # type: ignore[override]
        return cls.filled(
            looked,
            person_id=looked.keep.id,
            other_id=looked.gone.id,
            undo=undo,
            fields=[MergedField.filled(one, field=_field(one.field)) for one in looked.fields],
            stops=[{"id": one.campaign_id, "name": one.campaign_name, "reason": one.reason} for one in looked.stops],
        )


class MergeUndone(Values):
    """The person who was restored by undoing the merge."""

    person_id: int
    """The id of the restored person."""


def _field(name: str) -> str:
    """Return a field of a person as the API names it."""
    return f"customFields.{name.removeprefix('custom.')}" if name.startswith("custom.") else to_camel(name)
