"""Column memory: files with the same column names, in any order, are imported as the last one was."""

import hashlib
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from app.core.db import insert, session
from app.models.leads import ColumnChoice
from app.models.workspaces import Workspace


def remembered(workspace: Workspace, header: Sequence[str], noun: str) -> dict[str, str]:
    """Return the mapping that the last file of this shape was imported with; {} when there was none."""
    query = sa.select(ColumnChoice.choices).where(
        ColumnChoice.workspace_id == workspace.id, ColumnChoice.shape == _shape(header, noun)
    )
    choices = session().scalar(query)
    return {str(number): key for number, key in zip(_order(header), choices, strict=True)} if choices else {}


def remember(workspace: Workspace, header: Sequence[str], mapping: Mapping[str, str], noun: str) -> None:
    """Keep the mapping for the next file of this shape. Inside a transaction."""
    row = {
        "workspace_id": workspace.id,
        "shape": _shape(header, noun),
        "choices": [mapping[str(number)] for number in _order(header)],
        "chosen_at": workspace.now(),
    }
    adding = insert(ColumnChoice)
    newer = {name: adding.excluded[name] for name in ("choices", "chosen_at")}
    session().execute(adding.on_conflict_do_update(index_elements=["workspace_id", "shape"], set_=newer), [row])


def _order(header: Sequence[str]) -> list[int]:
    return sorted(range(len(header)), key=lambda number: header[number])


def _shape(header: Sequence[str], noun: str) -> str:
    names = sorted(header) if noun == "people" else [noun, "", *sorted(header)]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()
