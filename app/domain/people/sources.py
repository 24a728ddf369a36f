"""Where values of people come from, and the lawful basis for using them: one of the usual, or other words."""

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.actor import actor
from app.core.db import in_list, insert, session
from app.core.errors import InvalidRequest
from app.models.people import DataSource, SourceKind
from app.models.workspaces import Workspace

LAWFUL_BASES = ("consent", "legitimate interest", "contract", "existing customer")
LONGEST_BASIS = 200


class Source(NamedTuple):
    """One place that values come from: its kind, its name (a file, a key, a member, a service), the lawful basis."""

    kind: SourceKind
    name: str = ""
    lawful_basis: str = ""

    @property
    def typed(self) -> bool:
        """Return whether a member typed the values, so that no file or call replaces them."""
        return self.kind == SourceKind.HAND


def by_actor(kind: SourceKind) -> Source:
    """Return the source that the acting member or key is."""
    return Source(kind, actor.get().name)


def lawful_basis(written: str) -> str:
    """Return the lawful basis in its usual spelling, or raise InvalidRequest on `lawfulBasis`; '' for the default."""
    basis = text.squeeze(written)
    if len(basis) > LONGEST_BASIS or not text.is_text(basis):
        raise InvalidRequest.of(("lawfulBasis", f"Use at most {LONGEST_BASIS} characters."))
    usual = basis.casefold().replace("_", " ")
    return usual if usual in LAWFUL_BASES else basis


def ensure(workspace: Workspace, source: Source) -> int:
    """Return the id of the source's row, made when it is new. Inside a transaction."""
    known = dict(zip(("kind", "name", "lawful_basis"), source, strict=True))
    query = sa.select(DataSource.id).where(
        DataSource.workspace_id == workspace.id, *(getattr(DataSource, name) == value for name, value in known.items())
    )
    found = session().scalar(query)
    if found is None:
        row = {"workspace_id": workspace.id, "created_at": workspace.now(), **known}
        session().execute(insert(DataSource).on_conflict_do_nothing(), [row])
        found = session().scalars(query).one()
    return found


def by_id(source_ids: Collection[int | None]) -> dict[int, Source]:
    """Return these sources, by id."""
    query = sa.select(DataSource).where(in_list(DataSource.id, [one for one in source_ids if one]))
    return {row.id: Source(SourceKind(row.kind), row.name, row.lawful_basis) for row in session().scalars(query)}
