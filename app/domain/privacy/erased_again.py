"""Erase again the people whom a restored backup brought back, by the list of erasures kept outside the database."""

from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, in_pages, session, transaction
from app.domain.conversations import search_index
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.privacy import erased_bytes, erasure, erasure_list
from app.models.people import Person
from app.models.workspaces import Workspace

BATCH = 1000


def apply(file: Path | None = None) -> int:
    """Erase whom the list names and the database still knows, and clean its files; return how many people that were."""
    listed = erasure_list.unknown(file)
    there = sa.select(Workspace).where(Workspace.id.in_(listed)).order_by(Workspace.id)
    found = sum(_erase(workspace, listed[workspace.id]) for workspace in session().scalars(there).all())
    end_read()
    if found:
        search_index.forget_deleted()
        erased_bytes.wipe()
    return found


def _erase(workspace: Workspace, digests: set[str]) -> int:
    """Erase the workspace's people with one of these digests, and bar the names that no one has any more."""
    found, theirs = 0, (Person.workspace_id == workspace.id, Person.erased_at.is_(None))
    for rows in in_pages(sa.select(Person.id, Person.email).where(*theirs), Person.id, BATCH):
        known = identities.of_people([row.id for row in rows])
        for row in rows:
            if digests & never_contact.digests(known[row.id], row.email):
                erasure.erase_person(workspace, row.id)
                found += 1
    with transaction():
        never_contact.add_digests(workspace, digests)
    return found
