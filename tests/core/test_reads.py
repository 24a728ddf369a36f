"""Reads that were compiled before: what is committed, and what is made of it."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import db, is_sqlite, session, transaction
from app.core.reads import Made, Read
from app.models.workspaces import Workspace

pytestmark = pytest.mark.databases("both")

BY_ID = sa.select(Workspace.id, Workspace.name).where(Workspace.id == sa.bindparam("wanted"))


def name(workspace: Workspace, words: str) -> None:
    """The workspace is called so."""
    with transaction():
        session().execute(sa.update(Workspace).where(Workspace.id == workspace.id).values(name=words))


def greeting(row: Any) -> list[str]:
    """Something that is known again."""
    return ["Hello", row.name]


def test_a_row_is_read_by_its_names_or_bare(acme: Workspace, rival: Workspace) -> None:
    """A row by its names, the bare row, or none."""
    named, plain = Read(BY_ID), Read(BY_ID, named=False)
    assert named.one(wanted=rival.id).name == "Rival"
    assert plain.one(wanted=acme.id) == [acme.id, "Acme"]
    assert named.one(wanted=0) is None


def test_a_connection_that_was_lost_is_replaced(acme: Workspace) -> None:
    """The server was started anew, say: whoever reads does not notice."""
    if is_sqlite():
        pytest.skip("A file is never lost.")
    whose = Read(sa.select(sa.func.pg_backend_pid().label("id")))
    first = whose.one().id
    assert whose.one().id == first
    with db.engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.pg_terminate_backend(first, 20_000)))
    assert whose.one().id != first


def test_what_is_made_of_a_row_is_made_once(acme: Workspace, rival: Workspace) -> None:
    """Of each row for itself, until that row is another."""
    greeted = Made(BY_ID, greeting)
    first = greeted.one(wanted=acme.id)
    assert first == ["Hello", "Acme"]
    assert greeted.one(wanted=rival.id) == ["Hello", "Rival"]
    assert greeted.one(wanted=acme.id) is first
    assert greeted.one(wanted=0) is None
    name(acme, "Acme Ltd")
    assert greeted.one(wanted=acme.id) == ["Hello", "Acme Ltd"]


def test_only_so_much_is_kept(acme: Workspace, rival: Workspace) -> None:
    """What is asked for seldom does not fill the memory; it is made anew."""
    greeted = Made(BY_ID, greeting, most=1)
    first = greeted.one(wanted=acme.id)
    greeted.one(wanted=rival.id)
    assert greeted.one(wanted=acme.id) == first
    assert greeted.one(wanted=acme.id) is not first
