"""Where values of people come from, and the lawful basis for using them."""

from typing import NamedTuple

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import insert, session
from app.models.people import DataSource, SourceKind
from app.models.workspaces import Workspace


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
