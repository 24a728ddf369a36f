"""Imports into a list: of CSV files, with the rows that have errors, and of searches of LinkedIn."""

import io
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body, Id
from app.api.framework.endpoint import FORMAT, CsvFile, CsvUpload, Ready, endpoint, one_of, text_of
from app.api.framework.schema_notes import PRINTED, described_as, within
from app.api.leads.lists import BASIS, LIST, MERGE, MERGE_MEANS
from app.core import text_encodings
from app.domain.leads import csv_import, csv_mapping, lists, profiles, search_address, search_import
from app.domain.leads.imports import import_opt_outs
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.platform import csv_files
from app.domain.rules.limits import SEARCH_MOST
from app.domain.workspace.workspaces import Workspace

SEARCH_IMPORT = "/search-imports/<id:search_import_id>"
ADDRESS: Any = described_as(maxLength=search_address.LONGEST, pattern=r"\S", format="search-address")
IMPORT = "/imports/<id:import_id>"
LONGEST_NAME = 200
PEOPLE: Any = described_as(contentMediaType="text/csv", pattern=r"\S")
OWN = {
    **PRINTED,
    "allOf": [{"pattern": rf"^{csv_mapping.CUSTOM}\s*\S"}],
    "maxLength": len(csv_mapping.CUSTOM) + profiles.LONGEST_CUSTOM_NAME,
}
MEANING: Any = described_as(enum=list(import_opt_outs.MEANINGS))
CONSENT_MEANS = (
    "What the values of a column mean for contacting people, by column name. Only needed if an error asks for this;"
    " the error names the columns, the values and the possible meanings."
)
COLUMN: Any = described_as(anyOf=[{"enum": [csv_mapping.IGNORE, *csv_mapping.CSV_FIELDS]}, OWN])


class NewImport(Body):
    """A CSV file as text. One column must contain profile URLs, public ids or email addresses.

    `mapping` says into which field each column is imported. Columns you leave out are recognized by their content and
    their names, such as those in exports from CRMs; other columns with values become custom fields of that name (at
    most 100), except ids and the like. A value in `mapping` can be a lead field such as `profileUrl` or `companyName`,
    `fullName`, `tags`, `custom:` followed by the name of a custom field, or "" to skip the column.
    """

    csv: Annotated[str, PEOPLE]
    """The whole file as text, starting with the header."""
    file_name: str = "people.csv"
    """The name of the file, to show with the import."""
    mapping: dict[str, Annotated[str, COLUMN]] = {}
    """The field into which each column is imported, by column name; an error gives a column's number, from 0."""
    merge: Annotated[MERGE, Field(description=MERGE_MEANS.format(usual="fill"))] = ""
    lawful_basis: Annotated[str, BASIS] = ""
    """The lawful basis for contacting these people, such as `legitimate interest`; empty to use the list's."""
    consent: Annotated[dict[str, dict[str, Annotated[str, MEANING]]], Field(description=CONSENT_MEANS)] = {}


@endpoint(
    "POST",
    LIST + "/imports",
    scope="lists:write",
    body=NewImport,
    csv=csv_files.MOST_BYTES,
    filters={
        "fileName": text_of(LONGEST_NAME, "The name of the file, to show with the import.", line=True),
        "merge": one_of(*Merge, about=MERGE_MEANS.format(usual="fill")),
        "lawfulBasis": text_of(
            sources.LONGEST_BASIS,
            "The lawful basis for contacting these people, such as `consent`; empty to use the list's.",
        ),
        "encoding": one_of(
            *text_encodings.labels(), about="The character encoding of the file. If omitted, the encoding is detected."
        ),
    },
    returns=resources.LeadImport,
    status=202,
    outside=True,
    example={"csv": "Profile link,Tier\nhttps://network.example/in/ada,A\n", "mapping": {"Tier": "custom:tier"}},
)
def start(
    workspace: Workspace,
    list_id: int,
    body: NewImport | CsvUpload,
    file_name: str = "people.csv",
    merge: str = "",
    lawful_basis: str = "",
    encoding: str = "",
) -> Ready:
    """Import a CSV file or Excel workbook into a list, in the background.

    Send the file itself, as CSV (`text/csv` or `application/octet-stream`) or Excel workbook (.xlsx; only the first
    sheet is read), and the other values as query parameters. Or send JSON with `csv` and, if columns are not
    recognized, `mapping`. People marked in the file as unsubscribed, opted out or suppressed are added to the
    do-not-contact list instead: in columns such as `Unsubscribed`, `Do not contact` or `Email opt in`, in statuses,
    tags and the name of the file, in many languages. These columns are imported, too, as custom fields. A second row
    about the same person counts as `updated` or `skipped`. Returns 400 for
    an unclear value in such a column, such as `maybe` or `pending`; send the file again as JSON, with `consent`.
    """
    consent: dict[str, dict[str, str]] = {}
    if isinstance(body, CsvUpload):
        stream, mapping = body.stream, {}
    else:
        stream, mapping, consent = io.BytesIO(body.csv.encode()), body.mapping, body.consent
        file_name, merge, lawful_basis, encoding = body.file_name, body.merge, body.lawful_basis, ""
    way = Merge(merge) if merge else None
    found = csv_import.read(workspace, list_id, file_name, stream, mapping, way, lawful_basis, consent, encoding)
    return Ready(lambda: csv_import.begin(workspace, found))


@endpoint("GET", LIST + "/imports", scope="lists:read", page_of=resources.LeadImport)
def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """List a list's imports, newest first."""
    lists.get_list(workspace, list_id)
    return csv_import.page(workspace, list_id)


@endpoint("GET", IMPORT, scope="lists:read", returns=resources.LeadImport)
def show(workspace: Workspace, import_id: int) -> Any:
    """Get the progress of an import: `done` of `total` rows, and the results so far.

    Poll this endpoint until `state` is `done`, `failed` or `canceled`.
    """
    return csv_import.get(workspace, import_id)


@endpoint("POST", IMPORT + "/cancel", scope="lists:write", returns=resources.LeadImport)
def cancel(workspace: Workspace, import_id: int) -> Any:
    """Stop an import; people already added stay in the list.

    Returns 409 if the import has already ended.
    """
    return csv_import.cancel(workspace, import_id)


@endpoint("GET", IMPORT + "/refusals", scope="lists:read", page_of=resources.ImportRefusal, oldest_first=True)
def refusals(workspace: Workspace, import_id: int) -> sa.Select[Any]:
    """List an import's rows with errors, in the order of the file."""
    return csv_import.refused_rows(workspace, import_id)


@endpoint("GET", IMPORT + "/refusals.csv", scope="lists:read", returns=CsvFile, filters={"format": FORMAT})
def refusals_file(workspace: Workspace, import_id: int, format: str = "") -> CsvFile:
    """Download the rows with errors, each with its number and the reason, to correct and import them again."""
    name = f"{csv_import.stem(csv_import.get(workspace, import_id))} - errors"
    return CsvFile.of(name, csv_import.refusals(workspace, import_id), format)


class NewSearchImport(Body):
    """A LinkedIn search to import: a people search, a company's People tab or, if the account has the product, a
    search, saved search or lead list of Sales Navigator or Recruiter.
    """

    address: Annotated[str, ADDRESS]
    """The URL of the search, copied from the browser."""
    account_id: Id
    """The id of the LinkedIn account used to load the search results."""
    most: Annotated[int, within(1, max(SEARCH_MOST.values()))] = search_import.USUAL
    """The maximum number of people to import."""


@endpoint(
    "POST",
    LIST + "/search-imports",
    scope="lists:write",
    body=NewSearchImport,
    returns=resources.SearchImport,
    status=202,
    example={
        "address": "https://www.linkedin.com/search/results/people/?keywords=founder",
        "accountId": 1,
        "most": 250,
    },
)
def start_search(workspace: Workspace, list_id: int, body: NewSearchImport) -> Any:
    """Import a LinkedIn search into a list, in the background.

    The results are loaded page by page within a daily limit, so a long search takes days. `most` limits how many people
    are imported. You can cancel the import at any time; people already imported stay in the list. Returns 409 for a
    list of companies: use a list of people.
    """
    return search_import.start(workspace, list_id, body.account_id, body.address, body.most)


@endpoint("GET", LIST + "/search-imports", scope="lists:read", page_of=resources.SearchImport)
def searches_page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """List the searches imported into a list, newest first."""
    lists.get_list(workspace, list_id)
    return search_import.page(workspace, list_id)


@endpoint("GET", SEARCH_IMPORT, scope="lists:read", returns=resources.SearchImport)
def show_search(workspace: Workspace, search_import_id: int) -> Any:
    """Get the progress of a search import: the people read so far, what the import is waiting for, and the results.

    Poll this endpoint until `state` is `done`, `failed` or `canceled`; a long search takes days.
    """
    return search_import.get(workspace, search_import_id)


@endpoint("POST", SEARCH_IMPORT + "/cancel", scope="lists:write", returns=resources.SearchImport)
def cancel_search(workspace: Workspace, search_import_id: int) -> Any:
    """Stop a search import; people already added stay in the list.

    Returns 409 if the import has already ended.
    """
    return search_import.cancel(workspace, search_import_id)
