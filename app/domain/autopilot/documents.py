"""The documents behind all generated texts, in versions: ideal customer (`icp`) and writing style (`style`)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import InvalidRequest, NotFound
from app.domain.autopilot.differences import Piece, runs
from app.domain.platform import audit_log, locks
from app.models.autopilot import DocVersion
from app.models.workspaces import Workspace

KINDS = ("icp", "style")
LONGEST = 200_000
_WORDS = re.compile(r"\s+|[^\s]+")


def save(workspace: Workspace, kind: str, markdown: str, *, by_autopilot: bool = False) -> DocVersion:
    """Save a new version of the document, unless the text is unchanged."""
    _check_kind(kind)
    text = markdown.replace("\r\n", "\n")
    if not text.strip() or "\0" in text:
        raise InvalidRequest.of(("markdown", "Write something. An empty document has no effect."))
    if len(text) > LONGEST:
        raise InvalidRequest.of(("markdown", f"Use at most {LONGEST:,} characters."))
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        last = find(workspace, kind)
        if last is not None and last.markdown == text:
            return last
        version = DocVersion(
            workspace_id=workspace.id,
            kind=kind,
            version=last.version + 1 if last else 1,
            markdown=text,
            by_autopilot=by_autopilot,
            at=workspace.now(),
        )
        current.add(version)
        current.flush()
        audit_log.record(workspace, "document.saved", kind, after={"version": version.version})
        return version


def write(workspace: Workspace, documents: Mapping[str, str]) -> None:
    """Save the autopilot's documents, except those edited since by a person."""
    for kind in KINDS:
        last = find(workspace, kind)
        if documents.get(kind, "").strip() and (last is None or last.by_autopilot):
            save(workspace, kind, documents[kind], by_autopilot=True)


def find(workspace: Workspace, kind: str) -> DocVersion | None:
    """Return the newest version, if any."""
    return session().scalars(versions(workspace, kind).order_by(DocVersion.version.desc()).limit(1)).one_or_none()


def get(workspace: Workspace, kind: str, version: int | None = None) -> DocVersion:
    """Return that version, the newest by default, or raise NotFound."""
    _check_kind(kind)
    query = versions(workspace, kind)
    if version is not None:
        query = query.where(DocVersion.version == version)
    found: DocVersion | None = session().scalars(query.order_by(DocVersion.version.desc()).limit(1)).one_or_none()
    if found is None:
        raise NotFound(
            "Version not found.",
            recovery="The autopilot writes this document during setup, or you can write your own.",
        )
    return found


def every(workspace: Workspace) -> Sequence[DocVersion]:
    """Return the newest version of each document that exists."""
    return [found for kind in KINDS if (found := find(workspace, kind))]


def texts(workspace: Workspace) -> dict[str, str]:
    """Return the current texts by kind."""
    return {found.kind: found.markdown for found in every(workspace)}


def versions(workspace: Workspace, kind: str) -> sa.Select[Any]:
    """Select the versions of a document."""
    _check_kind(kind)
    return sa.select(DocVersion).where(DocVersion.workspace_id == workspace.id, DocVersion.kind == kind)


def history(workspace: Workspace, kind: str) -> Sequence[DocVersion]:
    """Return every version of a document, newest first."""
    return session().scalars(versions(workspace, kind).order_by(DocVersion.version.desc())).all()


def newest(workspace: Workspace) -> sa.Select[Any]:
    """List the newest version of each document."""
    ours = sa.select(sa.func.max(DocVersion.id)).where(DocVersion.workspace_id == workspace.id)
    return sa.select(DocVersion).where(DocVersion.id.in_(ours.group_by(DocVersion.kind)))


def restore(workspace: Workspace, kind: str, version: int) -> DocVersion:
    """Restore an old version as a new version."""
    return save(workspace, kind, get(workspace, kind, version).markdown)


def difference(workspace: Workspace, kind: str, old: int, new: int) -> list[Piece]:
    """Return the difference of two versions, word by word."""
    before, after = (get(workspace, kind, number).markdown for number in (old, new))
    return pieces_of(before, after)


def pieces_of(old: str, new: str) -> list[Piece]:
    """Return the difference of two texts, word by word."""
    return [Piece(side, "".join(words)) for side, words in runs(_WORDS.findall(old), _WORDS.findall(new))]


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise NotFound("Document not found.", recovery="Use “icp” or “style”.")
