"""The do-not-contact list."""

from datetime import date
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Day
from app.api.framework.endpoint import FORMAT, CsvFile, CsvUpload, Ready, day_of, endpoint, one_of, text_of
from app.api.framework.schema_notes import up_to
from app.domain.leads import never_contact_files
from app.domain.people.exclusions import never_contact
from app.domain.platform import csv_files
from app.domain.workspace.workspaces import Workspace

ENTRIES = "/never-contact"
ENTRY = ENTRIES + "/<id:entry_id>"
MOST = 1000


class NewEntries(Body):
    """The entries to add to the do-not-contact list."""

    entries: Annotated[list[str], Field(min_length=1), AtMost(MOST)]
    """LinkedIn profile URLs, email addresses, domains or company names. A prefix sets the kind: `person:` (with the URL
    or public id), `email:`, `domain:` or `company:`. An entry for a profile or an address stops everything to this
    person, on LinkedIn and by email.
    """
    reason: Annotated[str, up_to(never_contact.LONGEST)] = ""
    """Why not to contact these people and companies; stored with each entry."""
    until: Day | None = None
    """The last day, in UTC, on which the entries apply; null if they do not expire."""


@endpoint(
    "GET",
    ENTRIES,
    scope="lists:read",
    page_of=resources.NeverContact,
    filters={
        "query": text_of(200, "Only entries that contain all of these words."),
        "kind": one_of(*never_contact.K, about="Only entries of this kind."),
    },
)
def page(workspace: Workspace, query: str = "", kind: str = "") -> sa.Select[Any]:
    """List the do-not-contact entries, newest first.

    To find new entries, list until you reach an id you know; to find removed entries, compare the whole list. There is
    an event when a person unsubscribes (`unsubscribed`), but not when a member adds or removes an entry.
    """
    return never_contact.page(workspace, query, kind)


@endpoint(
    "POST",
    ENTRIES,
    scope="lists:write",
    body=NewEntries,
    returns=resources.AddEntriesResult,
    example={"entries": ["https://network.example/in/ada", "acme.com", "company:Wool Ltd"], "reason": "Client"},
)
def add(workspace: Workspace, body: NewEntries) -> never_contact.AddedEntries:
    """Add one entry, or up to 1,000 at once, to the do-not-contact list.

    Campaigns stop for the people affected. Entries that already exist are counted as `known`. Invalid entries are
    listed in the response; all others are added. An entry with `until` is removed after that day; if the entry already
    exists, the later of the two days applies.
    """
    return never_contact.add(workspace, body.entries, body.reason, body.until)


@endpoint(
    "POST",
    ENTRIES + "/files",
    scope="lists:write",
    csv=csv_files.MOST_BYTES,
    filters={
        "reason": text_of(never_contact.LONGEST, "The reason for entries in rows without a `reason`."),
        "until": day_of("The last day on which entries apply, for rows without `until`."),
    },
    returns=resources.AddEntriesResult,
    outside=True,
)
def add_file(workspace: Workspace, body: CsvUpload, reason: str = "", until: date | None = None) -> Ready:
    """Add the entries in a CSV file or Excel workbook (.xlsx, first sheet), up to 50,000 rows.

    Name the columns `entry` and, optionally, `kind`, `reason` and `until`. Columns of a list of people work, too, such
    as `email`, `profileUrl`, `domain` and `companyName`; if a row has a person, the company is not added. A file
    without column names must have one entry per row. In the response, `index` is the number of the row, starting at 0.
    """
    found = never_contact_files.read(workspace, body.stream, reason, until)
    return Ready(lambda: never_contact_files.add(workspace, found))


@endpoint("GET", ENTRIES + ".csv", scope="lists:read", returns=CsvFile, filters={"format": FORMAT})
def export(workspace: Workspace, format: str = "") -> CsvFile:
    """Export the do-not-contact list as a CSV file or Excel workbook that you can upload again.

    Erased people are not included, because only a hash of their data is stored.
    """
    return CsvFile.of("do-not-contact", never_contact_files.rows(workspace), format)


@endpoint("GET", ENTRY, scope="lists:read", returns=resources.NeverContact)
def show(workspace: Workspace, entry_id: int) -> Any:
    """Get a do-not-contact entry."""
    return never_contact.get(workspace, entry_id)


@endpoint("DELETE", ENTRY, scope="lists:write", returns=None)
def remove(workspace: Workspace, entry_id: int) -> None:
    """Remove an entry from the do-not-contact list.

    Campaigns that were stopped because of this entry do not start again. Returns 409 for the entry of an erased person,
    and for an entry that a connected source, such as your CRM, would add again.
    """
    never_contact.remove(workspace, entry_id)
