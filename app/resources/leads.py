"""Lists, leads, imports and the do-not-contact list as API resources."""

from datetime import date, datetime
from typing import Any, ClassVar, Literal

from app.models import leads
from app.models.leads import ListType
from app.models.people import Person
from app.resources.base import Columns, Json, Resource, Shape, Values, columns_of

OF_PERSON = (
    *("public_id", "profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone", "tags", "custom_fields"),
)


class ListResource(Resource):
    """A list of people or companies."""

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
    """The id of the list the company is in."""
    name: str
    """The name of the company."""
    domain: str
    """The registered domain of the company's website; empty if not known."""
    created_at: datetime
    """When the company was created."""


class CompaniesRemoved(Values):
    """The result of removing companies from a list, which you can undo for ten minutes."""

    removed: int
    """How many companies were removed."""
    undo: str
    """The token to send to the undo endpoint within ten minutes; empty if nothing was removed."""


class CompaniesRestored(Values):
    """The result of putting companies back in a list."""

    restored: int
    """How many companies were put back in the list, not counting companies that had been added again."""


class PeopleLookUp(Resource):
    """The result of looking for people at companies."""

    list_id: int
    """The id of the list to which people are added."""
    added: int
    """How many people who were already in the workspace were added to the list."""
    search_import_ids: list[int]
    """The ids of the search imports, one per company; see `GET /v1/search-imports/{searchImportId}`."""
    already_running: int
    """How many companies were skipped because a search for them into this list is already running."""

    @classmethod
    def of(cls, done: Any) -> Json:
        searches = [one.id for one in done.searches]
        return cls.filled(done, added=done.known.added, search_import_ids=searches, already_running=done.running)


class Lead(Resource):
    """A person's entry in a list."""

    columns: ClassVar[Columns] = (
        *columns_of(leads.Lead, "id", "list_id"),
        *columns_of(Person, *OF_PERSON),
        *columns_of(leads.Lead, "created_at", "person_id"),
    )

    id: int
    """The id of the lead."""
    list_id: int | None
    """The id of the list the lead is in; null if the list was deleted."""
    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if you only gave the `publicId`, with which steps work, too."""
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
    """The person's custom fields by name, each with the JSON value it was given (imports give texts)."""
    created_at: datetime
    """When the lead was created."""
    person_id: int
    """The id of the person, which is the same in all lists."""


class ProfileProblem(Shape):
    """A problem with one of the profiles you sent."""

    index: int
    """The position of the profile in the request, starting at 0."""
    field: str
    """The field with the problem, which was left out; empty if the whole profile was rejected."""
    message: str
    """What is wrong, and how to fix it."""


class AddLeadsResult(Resource):
    """The result of adding profiles. `added`, `updated`, `skipped` and `invalid` add up to the number of profiles."""

    added: int
    """How many people were added to the list."""
    updated: int
    """How many people were already in the list and have been updated."""
    skipped: int
    """How many people were skipped: already in the list without new data, on the do-not-contact list, or erased."""
    invalid: int
    """How many profiles were rejected."""
    problems: list[ProfileProblem]
    """The problems, each with the position of the profile in the request."""

    @classmethod
    def of(cls, result: Any) -> Json:
        return cls.filled(result, problems=[ProfileProblem.filled(one, index=one.at) for one in result.problems])


class ImportOptOut(Shape):
    """A value in the file that may say whether people can be contacted."""

    column: str
    """The name of the column; `fileName` if the value is the name of the file itself."""
    value: str
    """The value in the file; `(a date)`, `(any text)`, `(other values)` and `(empty)` stand for several values."""
    meaning: Literal["contact", "doNotContact", "bounced", ""]
    """What the value means; empty if this is not clear yet."""
    people: int
    """How many rows have the value."""


class LeadImport(Resource):
    """An import of a CSV file or Excel workbook. `added`, `updated`, `skipped` and `invalid` add up to `done`."""

    id: int
    """The id of the import."""
    list_id: int
    """The id of the list into which the file is imported."""
    file_name: str
    """The name of the file."""
    state: leads.ImportState
    """The state of the import."""
    total: int
    """How many rows the file has, not counting the header."""
    done: int
    """How many rows have been processed so far."""
    added: int
    """How many rows added a person or company."""
    updated: int
    """How many rows updated a person or company already in the list."""
    skipped: int
    """How many rows were skipped: the person is in the list already and the row has no new data, they are on the
    do-not-contact list (`optedOut` because of this file), or they were erased. Skipped rows are not listed.
    """
    invalid: int
    """How many rows were not imported; for the reasons, see `GET …/refusals`."""
    error: str
    """Why the whole import failed; empty if it did not."""
    created_at: datetime
    """When the import was created."""
    finished_at: datetime | None
    """When the import ended, successfully or not; null while it is running."""
    problems: int
    """How many invalid values were left out of imported rows; see `GET …/refusals`."""
    merge: Literal["fill", "overwrite", "replace", "keep"]
    """How the import updates people who are already known."""
    lawful_basis: str
    """The lawful basis for contacting these people; empty to use the list's."""
    encoding: str
    """The character encoding of the file, such as utf-8-sig or cp1252."""
    opt_outs: list[ImportOptOut]
    """Values in the file that say not to contact people, or for which you sent `consent`; others are not listed."""
    opted_out: int
    """How many of the skipped rows opt out in this file; the do-not-contact list may have had some of them already."""
    bounced: int
    """How many people have a bounced email address, which was added to the do-not-contact list."""

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
    """A row that was not imported, or a value that was left out of an imported row."""

    columns: ClassVar[Columns] = columns_of(leads.ImportRefusal, "id", "row", "cells", "reason", "field")

    id: int
    """The id of the refusal."""
    row: int
    """The number of the row in the file; the header is row 1."""
    cells: list[str]
    """The cells of the row, as in the file."""
    reason: str
    """What is wrong, and how to fix it."""
    field: str
    """The field whose value was left out; empty if the whole row was not imported."""


class SearchImport(Resource):
    """The import of a LinkedIn search into a list.

    `added`, `updated`, `skipped` and `invalid` add up to `read`.
    """

    id: int
    """The id of the import."""
    list_id: int
    """The id of the list to which people are added."""
    account_id: int | None
    """The id of the LinkedIn account that loads the results; null if the account has been removed."""
    address: str
    """The URL of the search."""
    kind: str
    """The kind of search in words, such as “Saved search in Sales Navigator”."""
    state: leads.SearchImportState
    """The state of the import."""
    most: int
    """The maximum number of people to import."""
    total: int | None
    """How many results the search has, according to LinkedIn; null until the first page has been loaded."""
    read: int
    """How many people have been read from the search so far."""
    added: int
    """How many people were added to the list."""
    updated: int
    """How many people were already in the list and have been updated."""
    skipped: int
    """How many people were skipped: already in the list without new data, on the do-not-contact list, or erased."""
    invalid: int
    """How many people could not be added, for example because their profile is hidden."""
    waits_for: str
    """Why the import is waiting, as a sentence; empty if it is not waiting."""
    waits_until: datetime | None
    """When the import continues; null if it is not waiting, or if this depends on you."""
    error: str
    """Why the import failed; empty if it did not."""
    created_at: datetime
    """When the import was created."""
    finished_at: datetime | None
    """When the import ended, successfully or not; null while it is running."""


class NeverContact(Resource):
    """A person or company that must not be contacted."""

    columns: ClassVar[Columns] = columns_of(
        leads.NeverContact, "id", "kind", "value", "label", "reason", "until", "created_at"
    )

    id: int
    """The id of the do-not-contact entry."""
    kind: leads.NeverContactKind
    """The kind of entry: a LinkedIn profile (`person`), an email address, a domain, a company or an erased person."""
    value: str
    """The entry as compared, in lower case: the public id of a `person`, the address of an `email`, a `domain` without
    `www.`, a `company` without its legal form, such as Ltd; for an `erased` person, a hash.
    """
    label: str
    """The entry as you sent it, without its prefix; from an import, the public id or address; empty for `erased`."""
    reason: str
    """Why the person or company must not be contacted; empty if no reason was given."""
    until: date | None
    """The last day on which the entry applies; null if it does not expire."""
    created_at: datetime
    """When the do-not-contact entry was created."""


class RefusedEntry(Shape):
    """An invalid do-not-contact entry."""

    index: int
    """The position of the entry in the request, starting at 0."""
    entry: str
    """The entry as you sent it."""
    message: str
    """What is wrong, and how to fix it."""


class AddEntriesResult(Resource):
    """The result of adding do-not-contact entries."""

    added: int
    """How many entries were added."""
    known: int
    """How many entries were already on the do-not-contact list."""
    ids: list[int]
    """The ids of the entries that were added."""
    refused: list[RefusedEntry]
    """The entries that were rejected, each with the reason."""

    @classmethod
    def of(cls, result: Any) -> Json:
        refused = [{"index": line - 1, "entry": entry, "message": why} for line, entry, why in result.refused]
        return cls.filled(result, refused=refused)


class LeadsChanged(Values):
    """The result of changing leads, which you can undo for ten minutes."""

    changed: int
    """How many leads changed."""
    undo: str
    """The token that undoes the change within ten minutes; empty if nothing changed."""


class LeadsRestored(Values):
    """How many leads were restored or unblocked."""

    restored: int
    """How many leads were restored or unblocked."""
    kept: int
    """How many leads were not, because they have changed again since then."""


class LeadsTagged(Values):
    """The leads whose tags changed. To undo the change, send the same ids with `add` and `remove` swapped."""

    lead_ids: list[int]
    """The ids of the leads whose tags changed."""
