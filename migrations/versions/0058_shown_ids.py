"""shown_ids: what others see of ids no longer counts rows."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

KEY = 16  # bytes


def upgrade() -> None:
    """Move the schema forward: rows that exist are shown as before."""
    made = op.create_table(
        "shown_ids",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("kept", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_shown_ids")),
    )
    flow = sa.table("crm_flow", sa.column("place"), sa.column("cursor"))  # it named the next list by adding one
    between = sa.and_(flow.c.cursor == "", flow.c.place > 0)
    op.execute(sa.update(flow).where(between).values(place=flow.c.place - 1))
    op.bulk_insert(made, [{"key": secrets.token_bytes(KEY), "kept": _last_ids(op.get_bind())}])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("shown_ids")


def _last_ids(connection: sa.Connection) -> dict[str, int]:
    """Return the last number that each table gave out, be its row deleted since or not."""
    there = sa.inspect(connection)
    counted = {
        name: connection.scalar(sa.select(sa.func.max(sa.column("id"))).select_from(sa.table(name)))
        for name in there.get_table_names()
        if not name.startswith(("fulltext_", "procrastinate_"))
        and any(column["name"] == "id" and isinstance(column["type"], sa.Integer) for column in there.get_columns(name))
    }
    last = {name: max(number or 0, _given(connection, name) or 0) for name, number in counted.items()}
    return {name: number for name, number in last.items() if number}


def _given(connection: sa.Connection, name: str) -> int | None:
    """Return what the database's own counter says; SQLite forgets that of a table that a migration made anew."""
    if connection.dialect.name == "sqlite":
        query = "SELECT seq FROM sqlite_sequence WHERE name = :name"
    else:
        query = (
            "SELECT last_value FROM pg_sequences WHERE last_value IS NOT NULL"
            " AND format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence(:name, 'id')"
        )
    number: int | None = connection.scalar(sa.text(query), {"name": name})
    return number
