"""Lists, leads, imports and the do-not-contact list as API resources."""

from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from app.models import campaigns, leads, people
from app.models.leads import ListType
from app.models.people import Person
from app.resources.base import Columns, Json, Resource, Shape, columns_of
from app.resources.monitors import Fit, fit_of

_OF_PERSON = (
    *("public_id", "profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone", "tags", "custom_fields"),
)


class ListResource(Resource):
    """A list of leads, or of companies; `leadCount` is how many it holds."""

    columns: ClassVar[Columns] = columns_of(
        leads.LeadList, "id", "name", "type", "lead_count", "created_at", "lawful_basis"
    )

    id: int
    name: str
    type: ListType
    lead_count: int
    created_at: datetime
    lawful_basis: str = Field(description='Why these people may be contacted; "" for the workspace\'s default.')


class ListedCompany(Resource):
    """A company of a list of companies."""

    columns: ClassVar[Columns] = columns_of(leads.ListedCompany, "id", "list_id", "name", "domain", "created_at")

    id: int
    list_id: int
    name: str
    domain: str = Field(description='The registered domain of its website; "" when it is not known.')
    created_at: datetime


class CompaniesRemoved(Resource):
    """How many companies were removed, and the token that undoes it for ten minutes."""

    removed: int
    undo: str

    @classmethod
    def of(cls, removed: int, undo: str) -> Json:  # type: ignore[override]
        return {"removed": removed, "undo": undo}


class CompaniesRestored(Resource):
    """How many companies are back, without those added again in between."""

    restored: int

    @classmethod
    def of(cls, number: int) -> Json:
        return {"restored": number}


class PeopleLookUp(Resource):
    """The result of finding people at companies: known people added, and searches started."""

    list_id: int
    added: int = Field(description="Known people added to the list.")
    search_import_ids: list[int]
    already_running: int = Field(description="Companies that are being searched into this list already.")

    @classmethod
    def of(cls, done: Any) -> Json:
        return {
            "listId": done.list_id,
            "added": done.known.added,
            "searchImportIds": [one.id for one in done.searches],
            "alreadyRunning": done.running,
        }


class Lead(Resource):
    """A person in a list."""

    columns: ClassVar[Columns] = (
        *columns_of(leads.Lead, "id", "list_id"),
        *columns_of(Person, *_OF_PERSON),
        *columns_of(leads.Lead, "created_at", "person_id"),
    )

    id: int
    list_id: int | None
    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    position: str
    company_name: str
    company_url: str
    location: str
    image_url: str
    email: str
    phone: str
    tags: list[str]
    custom_fields: dict[str, Any]
    created_at: datetime
    person_id: int = Field(description="The same in every list the person is in.")


class PersonIdentity(Shape):
    """What a person is known by."""

    kind: people.IdentityKind
    value: str


class ValueSource(Shape):
    """Where and when a value came from."""

    field: str = Field(description="A field of the person, or `customFields.` and the name of one.")
    kind: people.SourceKind
    name: str = Field(description="The file, key, member or service.")
    lawful_basis: str
    at: datetime
    typed: bool = Field(description="Edited by a member; imports and calls don't replace it.")


class FormerValue(Shape):
    """A value that was replaced or not used."""

    field: str
    value: Any
    kind: people.SourceKind
    name: str
    known_at: datetime
    ended_at: datetime
    taken: bool = Field(description="false: it was never the person's value here.")


class PersonList(Shape):
    """A list the person is in, and their lead there."""

    id: int
    name: str
    lead_id: int


class PersonCampaign(Shape):
    """A campaign the person is or was in."""

    id: int
    name: str
    state: campaigns.LeadState


class SameCompany(Shape):
    """The person's company, matched by domain or name."""

    domain: str
    name: str = Field(description="Without its legal form, in small letters.")
    by_hand: str | None = Field(description='Set by a member; "" for no company, null when taken from the data.')
    others: int = Field(description="How many others in the workspace work there; 1,001 for more than 1,000.")
    held: bool = Field(description="A reply holds the company until a member decides.")


class PersonRecord(Resource):
    """One person in the workspace, with where each value came from. `leadIds` are their places in lists."""

    id: int
    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    position: str
    company_name: str
    company_url: str
    location: str
    image_url: str
    email: str
    phone: str
    tags: list[str]
    custom_fields: dict[str, Any]
    created_at: datetime
    identities: list[PersonIdentity]
    sources: list[ValueSource]
    history: list[FormerValue]
    lists: list[PersonList]
    lead_ids: list[int]
    campaigns: list[PersonCampaign]
    fit: Fit | None = Field(description="Null without a targeting.")
    same_company: SameCompany

    @classmethod
    def of(cls, record: Any, fit: Any = None) -> Json:
        own = {to_camel(name): getattr(record.person, name) for name in ("id", *_OF_PERSON, "created_at")}
        return own | {
            "identities": [{"kind": one.kind, "value": one.value} for one in record.identities],
            "sources": [
                {
                    "field": _field(one.field),
                    "kind": one.source.kind,
                    "name": one.source.name,
                    "lawfulBasis": one.source.lawful_basis,
                    "at": one.at,
                    "typed": one.typed,
                }
                for one in record.values
            ],
            "history": [
                {
                    "field": _field(name),
                    "value": one.value,
                    "kind": one.source.kind,
                    "name": one.source.name,
                    "knownAt": one.known_at,
                    "endedAt": one.ended_at,
                    "taken": one.taken,
                }
                for name, former in record.history.items()
                for one in former
            ],
            "lists": [
                {"id": place.list.id, "name": place.list.name, "leadId": place.lead.id}
                for place in record.places
                if place.list
            ],
            "leadIds": [place.lead.id for place in record.places],
            "fit": fit_of(fit),
            "campaigns": [
                {"id": campaign.id, "name": campaign.name, "state": lead.state} for lead, campaign in record.campaigns
            ],
            "sameCompany": {
                "domain": record.person.company_domain,
                "name": record.person.company_key,
                "byHand": (record.person.company_by_hand or {}).get("said"),
                "others": record.same_company.others,
                "held": record.same_company.hold is not None,
            },
        }


class MergedField(Shape):
    """A merged field: the value kept, and the one moved to the history."""

    field: str
    value: Any
    other: Any = Field(description='The replaced value; "" for none.')
    from_other: bool = Field(description="The value that stays is the other person's.")


class CampaignStop(Shape):
    """A campaign that stops for one of the two."""

    id: int
    name: str
    reason: str = Field(description="`same_person`: both were in it. `never_contact`: on the do-not-contact list.")


class MergeResult(Resource):
    """The effect of a merge; `undo` is its token for ten minutes, and "" in a preview."""

    person_id: int
    other_id: int
    undo: str
    fields: list[MergedField]
    tags: list[str]
    leads: int = Field(description="List entries of the other person.")
    campaigns: int
    conversations: int
    identities: list[PersonIdentity]
    stops: list[CampaignStop]

    @classmethod
    def of(cls, looked: Any, undo: str) -> Json:  # type: ignore[override]
        return {
            "personId": looked.keep.id,
            "otherId": looked.gone.id,
            "undo": undo,
            "fields": [
                {"field": _field(one.field), "value": one.value, "other": one.other, "fromOther": one.from_other}
                for one in looked.fields
            ],
            **{name: getattr(looked, name) for name in ("tags", "leads", "campaigns", "conversations")},
            "identities": [{"kind": one.kind, "value": one.value} for one in looked.identities],
            "stops": [{"id": one.campaign_id, "name": one.campaign_name, "reason": one.reason} for one in looked.stops],
        }


class MergeUndone(Resource):
    """The restored person."""

    person_id: int

    @classmethod
    def of(cls, person_id: int) -> Json:
        return {"personId": person_id}


def _field(name: str) -> str:
    """Return a field of a person as the API names it."""
    return f"customFields.{name.removeprefix('custom.')}" if name.startswith("custom.") else to_camel(name)


class ProfileProblem(Shape):
    """What is wrong with a profile: its place, from 0, and the field that was left out; "" for the whole profile."""

    index: int
    field: str
    message: str


class AddLeadsResult(Resource):
    """The result of adding profiles; the first four add up to their number."""

    added: int
    updated: int
    skipped: int
    invalid: int
    problems: list[ProfileProblem]

    @classmethod
    def of(cls, result: Any) -> Json:
        problems = [{"index": one.at, "field": one.field, "message": one.message} for one in result.problems]
        counts = {name: getattr(result, name) for name in ("added", "updated", "skipped", "invalid")}
        return counts | {"problems": problems}


class ImportOptOut(Shape):
    """A value about contact permission; for the column `fileName`, the file's name."""

    column: str
    value: str
    meaning: Literal["contact", "doNotContact", "bounced", ""] = Field(description='"" until a member says it.')
    people: int


class LeadImport(Resource):
    """A CSV import. `done` of `total` rows are processed; the last four counts add up to `done`."""

    id: int
    list_id: int
    file_name: str
    state: leads.ImportState
    total: int
    done: int
    added: int
    updated: int
    skipped: int
    invalid: int
    error: str
    created_at: datetime
    finished_at: datetime | None
    problems: int = Field(description="Values left out of imported people.")
    merge: Literal["fill", "overwrite", "replace", "keep"] = Field(description="How known people were updated.")
    lawful_basis: str = Field(description='Why these people may be contacted; "" for the list\'s.')
    encoding: str = Field(description="How the file is read, such as utf-8-sig or cp1252.")
    opt_outs: list[ImportOptOut] = Field(description="Who must not be contacted, according to the file.")
    opted_out: int = Field(description="Of those skipped, how many went to the do-not-contact list.")
    bounced: int = Field(description="Imported people whose bounced address went to the do-not-contact list.")

    @classmethod
    def of(cls, thing: Any) -> Json:
        """Build it with what the file says, by what a member answered."""
        fields = (name for name in cls.model_fields if name != "opt_outs")
        signs = (thing.opt_outs or {}).get("signs", ())
        said = thing.consent or {}
        told = [
            {
                "column": sign["column"],
                "value": sign["value"],
                "meaning": said.get(sign["column"], {}).get(sign["value"]) or _MEANINGS.get(sign["meaning"], ""),
                "people": sign["people"],
            }
            for sign in signs
        ]
        return {to_camel(name): getattr(thing, name) for name in fields} | {"optOuts": told}


_MEANINGS = {"fine": "contact", "never": "doNotContact", "dead": "bounced"}


class ImportRefusal(Resource):
    """A row that was not imported, or a value that was left out of it, with the reason."""

    columns: ClassVar[Columns] = columns_of(leads.ImportRefusal, "id", "row", "cells", "reason", "field")

    id: int
    row: int
    cells: list[str]
    reason: str
    field: str = Field(description='The value that was left out; "" when it is the whole row.')


class SearchImport(Resource):
    """A search of LinkedIn that is read into a list. The four counts after `read` add up to it.

    `waitsFor` says why no page is read now and `waitsUntil` until when; `total` is LinkedIn's own count.
    """

    id: int
    list_id: int
    account_id: int | None
    address: str
    kind: str
    state: leads.SearchImportState
    most: int
    total: int | None
    read: int
    added: int
    updated: int
    skipped: int
    invalid: int
    waits_for: str
    waits_until: datetime | None
    error: str
    created_at: datetime
    finished_at: datetime | None


class NeverContact(Resource):
    """A person or company that must not be contacted. `value` is normalized, `label` as it was sent."""

    columns: ClassVar[Columns] = columns_of(leads.NeverContact, "id", "kind", "value", "label", "reason", "created_at")

    id: int
    kind: leads.NeverContactKind
    value: str
    label: str
    reason: str
    created_at: datetime


class RefusedEntry(Shape):
    """An invalid entry: its position in the request, from 0, and the reason."""

    index: int
    entry: str
    message: str


class AddEntriesResult(Resource):
    """The result of adding do-not-contact entries."""

    added: int
    known: int
    ids: list[int] = Field(description="The entries that were added.")
    refused: list[RefusedEntry]

    @classmethod
    def of(cls, result: Any) -> Json:
        refused = [{"index": line - 1, "entry": entry, "message": why} for line, entry, why in result.refused]
        return {"added": result.added, "known": result.known, "ids": result.ids, "refused": refused}


class LeadsChanged(Resource):
    """How many leads changed, and the token that undoes it for ten minutes; empty when nothing changed."""

    changed: int
    undo: str

    @classmethod
    def of(cls, changed: int, undo: str) -> Json:  # type: ignore[override]
        return {"changed": changed, "undo": undo}


class LeadsRestored(Resource):
    """How many leads were restored, and how many stay because they changed again."""

    restored: int
    kept: int

    @classmethod
    def of(cls, restored: int, kept: int) -> Json:  # type: ignore[override]
        return {"restored": restored, "kept": kept}


class LeadsTagged(Resource):
    """The leads whose tags changed. To undo, call again with these ids and `add` and `remove` swapped."""

    lead_ids: list[int]

    @classmethod
    def of(cls, lead_ids: list[int]) -> Json:
        return {"leadIds": lead_ids}
