"""Lists, leads, imports and the do-not-contact list as API resources."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic import Field

from app.models import leads
from app.models.leads import ListType
from app.models.people import Person
from app.resources.base import Columns, Json, Resource, Shape, columns_of


class ListResource(Resource):
    """A list of leads."""

    columns: ClassVar[Columns] = columns_of(leads.LeadList, "id", "name", "type", "lead_count", "created_at")

    id: int
    name: str
    type: ListType
    lead_count: int
    created_at: datetime


class Lead(Resource):
    """A person in a list."""

    columns: ClassVar[Columns] = (
        *columns_of(leads.Lead, "id", "list_id"),
        *columns_of(
            Person,
            *"public_id profile_url first_name last_name headline position company_name company_url".split(),
            *"location image_url email phone tags custom_fields".split(),
        ),
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
    problems: int = Field(description="Values that were left out of people who were taken.")


class ImportRefusal(Resource):
    """A row that was not imported, or a value that was left out of it, with the reason."""

    columns: ClassVar[Columns] = columns_of(leads.ImportRefusal, "id", "row", "cells", "reason", "field")

    id: int
    row: int
    cells: list[str]
    reason: str
    field: str = Field(description='The value that was left out; "" when it is the whole row.')


class SearchImport(Resource):
    """A search of the network that is read into a list. The four counts after `read` add up to it.

    `waitsFor` says why no page is read now and `waitsUntil` until when; `total` is the network's own count.
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
    """How many leads are as before, and how many stay because they were changed again since."""

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
