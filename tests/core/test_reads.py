"""Reads that were compiled before: what is committed, and what is made of it."""

from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.reads import Made, Read
from app.models.workspaces import Workspace

BY_ID = sa.select(Workspace.id, Workspace.name).where(Workspace.id == sa.bindparam("wanted"))


def name(workspace: Workspace, words: str) -> None:
    """The workspace is called so."""
    with transaction():
        session().execute(sa.update(Workspace).where(Workspace.id == workspace.id).values(name=words))


def greeting(row: Any) -> list[str]:
    """Something that is known again."""
    return ["Hello", row.name]


def test_it_works(acme: Workspace, rival: Workspace) -> None:
    """A row by its names, the bare row, or none."""
    named, plain = Read(BY_ID), Read(BY_ID, named=False)
    assert named.one(wanted=rival.id).name == "Rival"
    assert plain.one(wanted=acme.id) == [acme.id, "Acme"]
    assert named.one(wanted=0) is None


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
