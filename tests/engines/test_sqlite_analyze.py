"""SQLite knows how its tables are filled."""

import pytest
import sqlalchemy as sa

from app.core.db import end_read, is_sqlite, session
from app.domain.leads import leads, lists
from app.engines import upkeep
from app.models.workspaces import Workspace

COUNTED = sa.text("SELECT stat FROM sqlite_stat1 WHERE idx = 'ix_lead_workspace_id_id'")


def test_a_table_that_has_grown_much_is_counted_at_once(acme: Workspace) -> None:
    """A thousand people more are noticed, a few are not."""
    if not is_sqlite():
        pytest.skip("Postgres counts by itself.")
    people, counted = lists.create_list(acme, "Founders"), list[int]()
    for size, analyze in (
        (30, upkeep.analyze),
        (1000, upkeep.analyze_if_grown),
        (200, upkeep.analyze_if_grown),
        (900, upkeep.analyze_if_grown),
    ):
        leads.add(acme, people.id, [{"publicId": f"person-{size}-{number}"} for number in range(size)])
        end_read()
        assert analyze() == 0
        counted.append(int(session().execute(COUNTED).scalar_one().split()[0]))
        end_read()
    first, many, few, more = counted
    assert 30 == first < many == few < more
