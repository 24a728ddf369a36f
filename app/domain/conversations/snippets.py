"""Snippets: short texts of the workspace to put into replies, with variables."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.platform import audit_log
from app.domain.rules import message_templates
from app.models.conversations import Snippet
from app.models.workspaces import Workspace

LONGEST, LONGEST_NAME = 4000, 60
MOST = 200  # of a workspace


def select(workspace: Workspace) -> sa.Select[Any]:
    """Select the snippets of the workspace."""
    return sa.select(Snippet).where(Snippet.workspace_id == workspace.id)


def every(workspace: Workspace) -> Sequence[Snippet]:
    """Return all snippets by name."""
    found: Sequence[Snippet] = session().scalars(select(workspace).order_by(sa.func.lower(Snippet.name))).all()
    return found


def get(workspace: Workspace, snippet_id: int) -> Snippet:
    """Return the snippet, or raise NotFound."""
    return get_owned(Snippet, workspace, snippet_id)


def add(workspace: Workspace, name: str, text: str) -> Snippet:
    """Add a snippet."""
    name, text = check(name, text)
    with transaction() as current:
        # of two at once the second waits here, and sees the first
        current.get_one(Workspace, workspace.id, with_for_update=True)
        if len(every(workspace)) >= MOST:
            raise Conflict(f"You can have at most {MOST} snippets.", recovery="Delete a snippet first.")
        _check_name(workspace, name, 0)
        at = workspace.now()
        snippet = Snippet(workspace_id=workspace.id, name=name, text=text, created_at=at, updated_at=at)
        current.add(snippet)
        current.flush()
        audit_log.record(workspace, "snippet.created", name)
        return snippet


def change(workspace: Workspace, snippet_id: int, name: str, text: str) -> Snippet:
    """Change a snippet's name and text."""
    name, text = check(name, text)
    with transaction() as current:
        current.get_one(Workspace, workspace.id, with_for_update=True)
        snippet = get_owned(Snippet, workspace, snippet_id, lock=True)
        _check_name(workspace, name, snippet.id)
        snippet.name, snippet.text, snippet.updated_at = name, text, workspace.now()
        audit_log.record(workspace, "snippet.changed", name)
        return snippet


def remove(workspace: Workspace, snippet_id: int) -> Snippet:
    """Delete a snippet and return it."""
    with transaction() as current:
        snippet = get_owned(Snippet, workspace, snippet_id, lock=True)
        current.delete(snippet)
        audit_log.record(workspace, "snippet.deleted", snippet.name)
        return snippet


def _check_name(workspace: Workspace, name: str, own_id: int) -> None:
    if any(one.name.casefold() == name.casefold() and one.id != own_id for one in every(workspace)):
        raise Conflict(f"You already have a snippet “{name}”.", recovery="Choose another name.")


def check(name: str, text: str) -> tuple[str, str]:
    """Return the name and text without blanks around them, or raise every problem with them."""
    name, text = " ".join(name.split()), text.replace("\r\n", "\n").strip()
    problems = []
    if not name:
        problems.append(("name", "Write a name."))
    elif len(name) > LONGEST_NAME:
        problems.append(("name", f"Use at most {LONGEST_NAME} characters."))
    if not text:
        problems.append(("text", "Write the text."))
    elif len(text) > LONGEST:
        problems.append(("text", f"Use at most {LONGEST:,} characters; you have {len(text):,}."))
    if "\0" in name + text:
        problems.append(("text", "Remove the NUL character."))
    problems += [("text", sentence) for sentence in message_templates.problems(text, whole=True)]
    InvalidRequest.raise_for(problems)
    return name, text
