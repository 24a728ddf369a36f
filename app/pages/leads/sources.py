"""Where values of a person came from, in words."""

from typing import Any, NamedTuple

from app.domain.leads.csv_mapping import CSV_FIELDS
from app.domain.leads.profiles import TEXTS
from app.domain.leads.records import Known, Record
from app.domain.people.people import CUSTOM

LABELS = {column: CSV_FIELDS[name] for name, (column, _) in TEXTS.items()} | {"image_url": "Picture", "tags": "Tags"}
_KINDS = {
    "api": "Your API",
    "file": "A file",
    "hand": "Entered by a member",
    "search": "A search",
    "customers": "A customer source",
    "enrichment": "A lookup",
    "crm": "A CRM",
    "network": "The person's profile or messages",
    "merge": "A merge",
    "earlier": "Unknown (before tracking)",
}
_NAMED = {
    "api": "API: {}",
    "file": "File {}",
    "hand": "Entered by {}",
    "enrichment": "Looked up with {}",
    "crm": "CRM: {}",
}
IDENTITIES = {"profile": "Profile", "member": "Member ID", "email": "Email"}


class Row(NamedTuple):
    """A field on the page: its value and source, and former values or values that were not taken."""

    label: str
    known: Known | None
    former: list[Any]


def label(name: str) -> str:
    """Return what a field is called on pages."""
    return LABELS.get(name) or name.removeprefix(CUSTOM)


def words(source: Any) -> str:
    """Return a source in words."""
    if not source.name:
        return _KINDS[source.kind]
    return _NAMED.get(source.kind, _KINDS[source.kind] + ": {}").format(source.name)


def rows(record: Record) -> list[Row]:
    """Return every field of the person that has or had a value."""
    known = {one.field: one for one in record.values}
    names = [*known, *(name for name in record.history if name not in known)]
    return [Row(label(name), known.get(name), record.history.get(name, [])) for name in names]
