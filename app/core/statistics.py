"""What SQLite knows about its own rows when it chooses an index."""

import sqlalchemy as sa

from app.core.db import session, transaction

# SQLite's own advice: enough to tell a wide index from a narrow one, within milliseconds.
ROWS_OF_EACH_INDEX = 400


def refresh() -> int:
    """SQLite has counted what stands in its indices: without that it may take a whole workspace for a few rows.

    Postgres does this by itself. Nothing is ever left to do at once, as the scheduler asks.
    """
    if session().get_bind().dialect.name == "sqlite":
        with transaction() as current:
            current.execute(sa.text(f"PRAGMA analysis_limit = {ROWS_OF_EACH_INDEX}"))
            current.execute(sa.text("ANALYZE"))
    return 0
