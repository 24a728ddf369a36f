"""SQLite knows how its tables are filled."""

import sqlalchemy as sa
from flask import Flask

from app.core import statistics
from app.core.db import leave_database, session
from app.domain import leads
from app.models.workspaces import Workspace

COUNTED = sa.text("SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_lead_workspace_id_person'")


def test_it_works(app: Flask, acme: Workspace, database_kind: str) -> None:
    """A workspace of thirty people is known as thirty rows; Postgres is left alone."""
    people = leads.create_list(acme, "Founders")
    leads.add(acme, people.id, [{"publicId": f"person-{number}"} for number in range(30)])
    leave_database()
    assert statistics.refresh() == 0
    if database_kind == "sqlite":
        assert session().execute(COUNTED).scalar_one().split()[:2] == ["30", "30"]
