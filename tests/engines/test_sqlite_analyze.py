"""SQLite knows how its tables are filled."""

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, session
from app.domain.leads import leads, lists
from app.engines import sqlite_analyze
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres

COUNTED = sa.text("SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_lead_workspace_id_id'")


def test_a_filled_table_is_known_with_its_size(app: Flask, acme: Workspace, database_kind: str) -> None:
    """A workspace of thirty people is known as thirty rows; Postgres is left alone."""
    people = lists.create_list(acme, "Founders")
    leads.add(acme, people.id, [{"publicId": f"person-{number}"} for number in range(30)])
    end_read()
    assert sqlite_analyze.analyze() == 0
    if database_kind == "sqlite":
        assert session().execute(COUNTED).scalar_one().split()[:2] == ["30", "30"]


def test_a_table_that_has_grown_much_is_counted_at_once(app: Flask, acme: Workspace, database_kind: str) -> None:
    """A thousand people more are noticed, a few are not."""
    people = lists.create_list(acme, "Founders")
    counted = []
    for size in (10, 1000, 200, 900):
        leads.add(acme, people.id, [{"publicId": f"person-{size}-{number}"} for number in range(size)])
        assert sqlite_analyze.analyze_if_grown() == 0
        sizes = session().execute(COUNTED).scalars().all() if len(counted) and database_kind == "sqlite" else []
        counted.append(int(sizes[0].split()[0]) if sizes else 0)
        end_read()
    none, many, few, more = counted
    assert (0 == none < many == few < more) if database_kind == "sqlite" else not any(counted)
