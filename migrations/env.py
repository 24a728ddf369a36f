"""Runs the revisions on the connection that app/core/migrations.py opened."""

from typing import Any

import sqlalchemy as sa
from alembic import context
from sqlalchemy.types import TypeDecorator

import app.models  # noqa: F401  the tables
from app.core.db import Base
from app.core.migrations import described


def render_item(kind: str, item: Any, autogenerate: Any) -> str | bool:
    """Columns are written with the database's own types, so that an old revision needs nothing of today's code."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{item.impl_instance!r}"
    if kind == "server_default" and isinstance(getattr(item, "arg", None), (sa.False_, sa.True_)):
        return f"sa.{item.arg}()"  # each database has its own words for it
    return False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    render_item=render_item,
    include_name=described,
)
context.run_migrations()
