"""CSV imports: people on their way into a list, how far they are, and the rows that were refused."""

import io
from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import CsvFile, CsvUpload, Ready, endpoint, text_of
from app.api.framework.schema_notes import PRINTED, described_as
from app.api.lists import LIST
from app.domain.leads import csv_export, csv_import, csv_mapping, lists, profiles
from app.domain.platform import csv_files
from app.domain.workspace.workspaces import Workspace

IMPORT = "/imports/<id:import_id>"
LONGEST_NAME = 200
PEOPLE: Any = described_as(contentMediaType="text/csv", pattern=r"\S")
OWN = {
    **PRINTED,
    "allOf": [{"pattern": rf"^{csv_mapping.CUSTOM}\s*\S"}],
    "maxLength": len(csv_mapping.CUSTOM) + profiles.LONGEST_CUSTOM_NAME,
}
COLUMN: Any = described_as(anyOf=[{"enum": [csv_mapping.IGNORE, *csv_mapping.CSV_FIELDS]}, OWN])


class NewImport(Body):
    """A CSV as text. `mapping` says what some columns are, by their names in the file; the others are guessed.

    What a column can be: a field of a lead such as `profileUrl` or `companyName`, `fullName`, `tags`, `custom:` and a
    name of your own, or "" to leave it out.
    """

    csv: Annotated[str, PEOPLE]
    file_name: str = "people.csv"
    mapping: dict[str, Annotated[str, COLUMN]] = {}


@endpoint(
    "POST",
    LIST + "/imports",
    scope="lists:write",
    body=NewImport,
    csv=csv_files.MOST_BYTES,
    filters={"fileName": text_of(LONGEST_NAME, "What the file is called.", line=True)},
    returns=resources.LeadImport,
    status=202,
    errors="E404+409",
    outside=True,
    example={"csv": "Profile link,Tier\nhttps://network.example/in/ada,A\n", "mapping": {"Tier": "custom:tier"}},
)
def start(workspace: Workspace, list_id: int, body: NewImport | CsvUpload, file_name: str = "people.csv") -> Ready:
    """The people of the file are on their way into the list.

    Send the file itself as `text/csv`, or JSON with `csv` and, where the names of the columns do not say it, `mapping`.
    """
    if isinstance(body, CsvUpload):
        found = csv_import.read(workspace, list_id, file_name, body.stream, {})
    else:
        stream = io.BytesIO(body.csv.encode())
        found = csv_import.read(workspace, list_id, body.file_name, stream, body.mapping)
    return Ready(lambda: csv_import.begin(workspace, found))


@endpoint("GET", LIST + "/imports", scope="lists:read", page_of=resources.LeadImport, errors="E404")
def page(workspace: Workspace, list_id: int) -> sa.Select[Any]:
    """The imports into a list, newest first."""
    lists.get_list(workspace, list_id)
    return csv_import.page(workspace, list_id)


@endpoint("GET", IMPORT, scope="lists:read", returns=resources.LeadImport, errors="E404")
def show(workspace: Workspace, import_id: int) -> Any:
    """How far the import is: `done` of `total` rows, and what became of them."""
    return csv_import.get(workspace, import_id)


@endpoint("POST", IMPORT + "/cancel", scope="lists:write", returns=resources.LeadImport, errors="E404+409")
def cancel(workspace: Workspace, import_id: int) -> Any:
    """No further row is taken in; who is in the list already stays."""
    return csv_import.cancel(workspace, import_id)


@endpoint(
    "GET",
    IMPORT + "/refusals",
    scope="lists:read",
    page_of=resources.ImportRefusal,
    errors="E404",
    oldest_first=True,
)
def refusals(workspace: Workspace, import_id: int) -> sa.Select[Any]:
    """The rows the import did not take, each with its reason, in the order of the file."""
    return csv_import.refused_rows(workspace, import_id)


@endpoint("GET", IMPORT + "/refusals.csv", scope="lists:read", returns=CsvFile, errors="E404")
def refusals_file(workspace: Workspace, import_id: int) -> CsvFile:
    """The refused rows as they stood in the file, with number and reason; corrected, it can be imported again."""
    found = csv_import.get(workspace, import_id)
    name = f"{found.file_name.removesuffix('.csv')} - refused.csv"
    return CsvFile(name, csv_export.csv_chunks(csv_import.refusals(workspace, import_id)))
