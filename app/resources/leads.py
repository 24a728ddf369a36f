"""Lists, the people in them, imports and the never-contact list."""

from datetime import datetime
from typing import Any, ClassVar

from pydantic import Field

from app.models import leads
from app.models.leads import ListType
from app.resources.base import Columns, Json, Resource, Shape, columns_of


class ListResource(Resource):
    """A collection of leads."""

    columns: ClassVar[Columns] = columns_of(leads.LeadList, "id", "name", "type", "lead_count", "created_at")

    id: int
    name: str
    type: ListType
    lead_count: int
    created_at: datetime


class Lead(Resource):
    """A person in a list."""

    columns: ClassVar[Columns] = columns_of(
        leads.Lead,
        *"id list_id public_id profile_url first_name last_name headline position company_name company_url".split(),
        *"location image_url email phone tags custom_fields created_at".split(),
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


class AddLeadsResult(Resource):
    """What became of the profiles that were given."""

    added: int
    updated: int
    skipped: int
    invalid: int


class LeadImport(Resource):
    """A CSV on its way into a list. `done` of `total` rows have been dealt with; the last four add up to `done`."""

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


class ImportRefusal(Resource):
    """A row that an import did not take, as it stood in the file, and why."""

    columns: ClassVar[Columns] = columns_of(leads.ImportRefusal, "id", "row", "cells", "reason")

    id: int
    row: int
    cells: list[str]
    reason: str


class NeverContact(Resource):
    """Somebody, or some company, that must not be contacted. `value` is in normal form, `label` as it was given."""

    columns: ClassVar[Columns] = columns_of(leads.NeverContact, "id", "kind", "value", "label", "reason", "created_at")

    id: int
    kind: leads.NeverContactKind
    value: str
    label: str
    reason: str
    created_at: datetime


class RefusedEntry(Shape):
    """An entry that names nobody: its place in the request from 0, and why."""

    index: int
    entry: str
    message: str


class AddEntriesResult(Resource):
    """What became of the never-contact entries that were given."""

    added: int
    known: int
    ids: list[int] = Field(description="The entries that were added.")
    refused: list[RefusedEntry]

    @classmethod
    def of(cls, result: Any) -> Json:
        """The counts and the refused entries."""
        refused = [{"index": line - 1, "entry": entry, "message": why} for line, entry, why in result.refused]
        return {"added": result.added, "known": result.known, "ids": result.ids, "refused": refused}
