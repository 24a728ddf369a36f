"""Runs the revisions for `overture db` and `flask db`, under the lock of app/core/migrations.py."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import context
from alembic.operations.ops import MigrationScript
from alembic.runtime.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy.types import TypeDecorator

import app.models  # noqa: F401  the tables
from app.core.db import Base
from app.core.migrations import described, locked, newest


def render_item(kind: str, item: Any, autogenerate: Any) -> str | bool:
    """Columns are written with the database's own types, so that an old revision needs nothing of today's code."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl_instance!r}"
    if kind == "server_default" and isinstance(getattr(item, "arg", None), (sa.False_, sa.True_)):
        return f"sa.{item.arg}()"  # each database has its own words for it
    return False


def number(migration: MigrationContext, revision: Any, scripts: Iterable[MigrationScript]) -> None:
    """A new revision has the next number as its id."""
    for script in scripts:
        script.rev_id = f"{int(newest() or 0) + 1:04}"


if context.is_offline_mode():
    raise CommandError("The revisions read the database, so they cannot be written out as SQL.")
with locked(context.config.attributes["database_url"]) as connection:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        render_item=render_item,
        include_name=described,
        process_revision_directives=number,
    )
    context.run_migrations()
