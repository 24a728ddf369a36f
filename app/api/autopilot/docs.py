"""The autopilot's documents (ideal customer, writing style) and their versions."""

from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import words
from app.domain.autopilot import documents
from app.domain.workspace.workspaces import Workspace

DOC = "/autopilot/docs/<kind>"
WORDS = {"kind": documents.KINDS}


class Doc(Body):
    """A document in Markdown."""

    markdown: Annotated[str, words(documents.LONGEST)]
    """The whole document in Markdown."""


@endpoint("GET", "/autopilot/docs", scope="autopilot:read", page_of=resources.DocVersion)
def page(workspace: Workspace) -> sa.Select[Any]:
    """List the newest version of each document."""
    return documents.newest(workspace)


@endpoint("GET", DOC, words=WORDS, scope="autopilot:read", returns=resources.DocVersion)
def get(workspace: Workspace, kind: str) -> Any:
    """Get the newest version of a document."""
    return documents.get(workspace, kind)


@endpoint(
    "PUT",
    DOC,
    words=WORDS,
    scope="autopilot:write",
    body=Doc,
    returns=resources.DocVersion,
    example={"markdown": "# Style\n\nShort and plain."},
)
def save(workspace: Workspace, kind: str, body: Doc) -> Any:
    """Save a new version of a document; if the text is the same as before, nothing is saved.

    New messages are based on the new version; the messages of existing plays do not change.
    """
    return documents.save(workspace, kind, body.markdown)


@endpoint("GET", DOC + "/versions", words=WORDS, scope="autopilot:read", page_of=resources.DocVersion)
def versions(workspace: Workspace, kind: str) -> sa.Select[Any]:
    """List a document's versions, newest first."""
    return documents.versions(workspace, kind)


@endpoint(
    "POST",
    DOC + "/versions/<id:version>/restore",
    words=WORDS,
    scope="autopilot:write",
    returns=resources.DocVersion,
)
def restore(workspace: Workspace, kind: str, version: int) -> Any:
    """Restore an old version of a document as a new version.

    Newer versions stay in the history.
    """
    return documents.restore(workspace, kind, version)
