"""engine processes and the seat of the active one."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PENDING = sa.text("status = 'pending'")
_MOVED = sa.text("clock_offset <> 0")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "engine_process",
        sa.Column("id", _ID, nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", _ID, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_engine_process")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "engine_seat",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("process_id", _ID, nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["process_id"],
            ["engine_process.id"],
            name=op.f("fk_engine_seat_process_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_engine_seat")),
    )
    op.create_index(
        "ix_approval_expires_at", "approval", ["expires_at"], sqlite_where=_PENDING, postgresql_where=_PENDING
    )
    op.create_index("ix_workspace_moved", "workspace", ["id"], sqlite_where=_MOVED, postgresql_where=_MOVED)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_workspace_moved", table_name="workspace", sqlite_where=_MOVED, postgresql_where=_MOVED)
    op.drop_index("ix_approval_expires_at", table_name="approval", sqlite_where=_PENDING, postgresql_where=_PENDING)
    op.drop_table("engine_seat")
    op.drop_table("engine_process")
