"""Lists, leads, imports and the do-not-contact list as API resources."""

from datetime import date, datetime
from typing import Any, ClassVar, Literal

from app.models import leads
from app.models.leads import ListType
from app.models.people import Person
from app.resources.base import Columns, Json, Resource, Shape, columns_of

OF_PERSON = (
    *("public_id", "profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone", "tags", "custom_fields"),
)


class ListResource(Resource):
    """A list of people or of companies."""

    columns: ClassVar[Columns] = columns_of(
        leads.LeadList, "id", "name", "type", "lead_count", "created_at", "lawful_basis"
    )

    id: int
    """The id of the list."""
    name: str
    """The name of the list."""
    type: ListType
    """What the list contains: people or companies."""
    lead_count: int
    """How many people or companies are in the list."""
    created_at: datetime
    """When the list was created."""
    lawful_basis: str
    """The lawful basis for contacting these people; empty for the workspace's default."""


class ListedCompany(Resource):
    """A company in a list of companies."""

    columns: ClassVar[Columns] = columns_of(leads.ListedCompany, "id", "list_id", "name", "domain", "created_at")

    id: int
    """The id of the company."""
    list_id: int
    """The list the company is in."""
    name: str
    """The name of the company."""
    domain: str
    """The registered domain of the company's website; empty if not known."""
    created_at: datetime
    """When the company was created."""


class CompaniesRemoved(Resource):
    """The companies that were removed from a list, which can be undone for ten minutes."""

    removed: int
    """How many companies were removed."""
    undo: str
    """The token to send to the undo endpoint within ten minutes; empty if nothing was removed."""

    @classmethod
    def of(cls, removed: int, undo: str) -> Json:  # type: ignore[override]
        return {"removed": removed, "undo": undo}


class CompaniesRestored(Resource):
    """The companies that were put back in a list."""

    restored: int
    """How many companies were put back, not counting those that had already been added again."""

    @classmethod
    def of(cls, number: int) -> Json:
        return {"restored": number}


class PeopleLookUp(Resource):
    """The result of finding people at companies: people added, and searches started."""

    list_id: int
    """The list these people are added to."""
    added: int
    """Known people added to the list."""
    search_import_ids: list[int]
    """The searches that were started, one per company; follow them with `GET /v1/search-imports/{id}`."""
    already_running: int
    """How many of the companies are already being searched for this list."""

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
        *columns_of(Person, *OF_PERSON),
        *columns_of(leads.Lead, "created_at", "person_id"),
    )

    id: int
    """The id of the lead."""
    list_id: int | None
    """The list the lead is in; null if the list was deleted."""
    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if no profile is known."""
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
    """The tags, in alphabetical order."""
    custom_fields: dict[str, Any]
    """The person's custom fields, by name."""
    created_at: datetime
    """When the lead was created."""
    person_id: int
    """The id of the person, which is the same in every list they are in."""


class ProfileProblem(Shape):
    """What is wrong with one of the profiles you sent."""

    index: int
    """The position of the profile in the request, from 0."""
    field: str
    """The field that was left out; empty if the whole profile was rejected."""
    message: str
    """What is wrong and how to correct it."""


class AddLeadsResult(Resource):
    """The result of adding profiles. `added`, `updated`, `skipped` and `invalid` add up to the number you sent."""

    added: int
    """People who were added to the list."""
    updated: int
    """People already in the list whose data was updated."""
    skipped: int
    """People already in the list whose data has not changed."""
    invalid: int
    """Profiles that were rejected."""
    problems: list[ProfileProblem]
    """What was wrong with each profile."""

    @classmethod
    def of(cls, result: Any) -> Json:
        problems = [{"index": one.at, "field": one.field, "message": one.message} for one in result.problems]
        return cls.filled(result, problems=problems)


class ImportOptOut(Shape):
    """A value in the file that says whether people may be contacted."""

    column: str
    """The name of the column; `fileName` if the value is the name of the file itself."""
    value: str
    """The value in the file, such as `unsubscribed`."""
    meaning: Literal["contact", "doNotContact", "bounced", ""]
    """What the value means; empty until a member chooses."""
    people: int
    """How many rows have this value."""


class LeadImport(Resource):
    """A CSV import. `added`, `updated`, `skipped` and `invalid` add up to `done`."""

    id: int
    """The id of the import."""
    list_id: int
    """The list the people are added to."""
    file_name: str
    """The name of the file."""
    state: leads.ImportState
    """The state of the import."""
    total: int
    """Rows in the file, not counting the header."""
    done: int
    """Rows processed so far."""
    added: int
    """Rows that added a person."""
    updated: int
    """Rows that updated a person already in the list."""
    skipped: int
    """Rows that contained nothing new."""
    invalid: int
    """Rows that were not imported; `GET …/refusals` lists the reasons."""
    error: str
    """Why the whole import failed; empty if it did not."""
    created_at: datetime
    """When the import was created."""
    finished_at: datetime | None
    """When the import ended, whatever the outcome; null while it runs."""
    problems: int
    """How many invalid values were left out of imported people; the refusals name them."""
    merge: Literal["fill", "overwrite", "replace", "keep"]
    """How people who are already known are updated."""
    lawful_basis: str
    """The lawful basis for contacting these people; empty to use the list's."""
    encoding: str
    """The character encoding of the file, such as utf-8-sig or cp1252."""
    opt_outs: list[ImportOptOut]
    """Values in the file that say who may or may not be contacted."""
    opted_out: int
    """How many of the skipped people were added to the do-not-contact list."""
    bounced: int
    """Imported people whose bounced address was added to the do-not-contact list."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        """Build it with what the file says, by what a member answered."""
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
        return cls.filled(thing, opt_outs=told)


_MEANINGS = {"fine": "contact", "never": "doNotContact", "dead": "bounced"}


class ImportRefusal(Resource):
    """A row that was not imported, or a value in a row that was left out."""

    columns: ClassVar[Columns] = columns_of(leads.ImportRefusal, "id", "row", "cells", "reason", "field")

    id: int
    """The id of the refusal."""
    row: int
    """The number of the row in the file; the header is row 1."""
    cells: list[str]
    """The cells of the row, as they are in the file."""
    reason: str
    """What is wrong and how to correct it."""
    field: str
    """The field whose value was left out; empty if the whole row was rejected."""


class SearchImport(Resource):
    """A LinkedIn search that is imported into a list. `added`, `updated`, `skipped` and `invalid` add up to `read`.

    While the import is waiting, `waitsFor` says why and `waitsUntil` says when it continues.
    """

    id: int
    """The id of the import."""
    list_id: int
    """The list the people are added to."""
    account_id: int | None
    """The LinkedIn account used to load the search results; null if it has been removed."""
    address: str
    """The URL of the search."""
    kind: str
    """What kind of search the URL is for, such as a saved search in Sales Navigator."""
    state: leads.SearchImportState
    """The state of the import."""
    most: int
    """The maximum number of people to import."""
    total: int | None
    """How many people the search has, according to LinkedIn; null until the first page has been loaded."""
    read: int
    """People scanned so far."""
    added: int
    """People who were added to the list."""
    updated: int
    """People already in the list whose data was updated."""
    skipped: int
    """People already in the list whose data has not changed."""
    invalid: int
    """People who could not be added, for example because their profile is hidden."""
    waits_for: str
    """Why the import is waiting, as a sentence; empty if it is not waiting."""
    waits_until: datetime | None
    """When the import continues; null if that depends on you."""
    error: str
    """Why the import failed; empty if it did not."""
    created_at: datetime
    """When the import was created."""
    finished_at: datetime | None
    """When the import ended, whatever the outcome; null while it runs."""


class NeverContact(Resource):
    """A person or company that must not be contacted."""

    columns: ClassVar[Columns] = columns_of(
        leads.NeverContact, "id", "kind", "value", "label", "reason", "until", "created_at"
    )

    id: int
    """The id of the do-not-contact entry."""
    kind: leads.NeverContactKind
    """Whether the entry is a profile, an email address, a domain or a company."""
    value: str
    """The entry, normalized for comparing."""
    label: str
    """The entry as it was sent."""
    reason: str
    """Why the person or company must not be contacted; empty if no reason was given."""
    until: date | None
    """The last day on which the entry applies; null if it does not expire."""
    created_at: datetime
    """When the do-not-contact entry was created."""


class RefusedEntry(Shape):
    """An invalid do-not-contact entry."""

    index: int
    """The position of the entry in the request, from 0."""
    entry: str
    """The entry as it was sent."""
    message: str
    """What is wrong and how to correct it."""


class AddEntriesResult(Resource):
    """The result of adding do-not-contact entries."""

    added: int
    """Entries that are new."""
    known: int
    """Entries that the workspace already had."""
    ids: list[int]
    """The entries that were added."""
    refused: list[RefusedEntry]
    """Entries that were rejected."""

    @classmethod
    def of(cls, result: Any) -> Json:
        refused = [{"index": line - 1, "entry": entry, "message": why} for line, entry, why in result.refused]
        return cls.filled(result, refused=refused)


class LeadsChanged(Resource):
    """The leads that were changed, which can be undone for ten minutes."""

    changed: int
    """How many leads changed."""
    undo: str
    """The token that undoes the change within ten minutes; empty if nothing changed."""

    @classmethod
    def of(cls, changed: int, undo: str) -> Json:  # type: ignore[override]
        return {"changed": changed, "undo": undo}


class LeadsRestored(Resource):
    """The leads that were restored, and those left alone because they have been changed again."""

    restored: int
    """How many leads were restored."""
    kept: int
    """How many leads were left alone because they have been changed again since."""

    @classmethod
    def of(cls, restored: int, kept: int) -> Json:  # type: ignore[override]
        return {"restored": restored, "kept": kept}


class LeadsTagged(Resource):
    """The leads whose tags changed. To undo this, call again with these ids, and with `add` and `remove` swapped."""

    lead_ids: list[int]
    """The leads whose tags changed."""

    @classmethod
    def of(cls, lead_ids: list[int]) -> Json:
        return {"leadIds": lead_ids}
