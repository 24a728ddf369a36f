"""the tables of procrastinate, the engine for several machines.

On Postgres only, and whether the library is installed or not: an installation may turn it on later.
"""

from pathlib import Path

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

SCHEMA = Path(__file__).parents[1] / "sql" / "procrastinate_3_10_0.sql"
TABLES = ("procrastinate_periodic_defers", "procrastinate_events", "procrastinate_jobs", "procrastinate_workers")


def upgrade() -> None:
    """Move the schema forward."""
    if op.get_bind().dialect.name == "postgresql":
        # Many statements at once, with colons and percent signs that are not parameters.
        driver = op.get_bind().connection.driver_connection
        driver.execute(SCHEMA.read_text())


def downgrade() -> None:
    """Move the schema back."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in TABLES:
        op.execute(f"DROP TABLE {table} CASCADE")
    op.execute(
        "DO $$ DECLARE it record; BEGIN"
        " FOR it IN SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname = current_schema() AND p.proname LIKE 'procrastinate\\_%'"
        " LOOP EXECUTE 'DROP FUNCTION ' || it.name; END LOOP; END $$"
    )
    for kind in ("procrastinate_job_to_defer_v1", "procrastinate_job_event_type", "procrastinate_job_status"):
        op.execute(f"DROP TYPE {kind}")
