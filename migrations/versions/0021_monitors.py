"""monitors and the people they found."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def _reference(table: str, column: str, to: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"), ondelete=ondelete)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "monitor",
        sa.Column("workspace_id", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("name", "kind", "address")),
        sa.Column("account_id", ID, nullable=True),
        sa.Column("signal", sa.Text(), nullable=False),
        sa.Column("targeting", sa.JSON(), nullable=False),
        *(sa.Column(name, ID, nullable=True) for name in ("list_id", "campaign_id")),
        sa.Column("fills_campaign", sa.Boolean(), nullable=False),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column("most_per_day", ID, nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("state", "cursor")),
        sa.Column("turns", ID, nullable=False),
        *(sa.Column(name, MOMENT, nullable=True) for name in ("run_at", "run_ended_at")),
        *(sa.Column(name, ID, nullable=False) for name in ("run_read", "run_found")),
        sa.Column("run_left_out", sa.JSON(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("note", "error")),
        *(sa.Column(name, MOMENT, nullable=True) for name in ("due_at", "claimed_until")),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("monitor", "workspace_id", "workspace", "CASCADE"),
        _reference("monitor", "account_id", "account", "SET NULL"),
        _reference("monitor", "list_id", "lead_list", "SET NULL"),
        _reference("monitor", "campaign_id", "campaign", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_monitor")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "account_id", "list_id", "campaign_id"):
        op.create_index(op.f(f"ix_monitor_{column}"), "monitor", [column])
    is_due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_monitor_due_at", "monitor", ["due_at"], sqlite_where=is_due, postgresql_where=is_due)
    op.create_table(
        "monitor_person",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "monitor_id")),
        sa.Column("person_id", ID, nullable=True),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("state", "reason")),
        sa.Column("found_at", MOMENT, nullable=False),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("monitor_person", "workspace_id", "workspace", "CASCADE"),
        _reference("monitor_person", "monitor_id", "monitor", "CASCADE"),
        _reference("monitor_person", "person_id", "person", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_monitor_person")),
        sa.UniqueConstraint("monitor_id", "handle", name=op.f("uq_monitor_person_monitor_id_handle")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_monitor_person_person_id"), "monitor_person", ["person_id"])
    op.create_index("ix_monitor_person_monitor_id_state", "monitor_person", ["monitor_id", "state", "id"])
    op.create_index("ix_monitor_person_monitor_id_found_at", "monitor_person", ["monitor_id", "found_at"])
    op.create_index("ix_monitor_person_workspace_id_handle", "monitor_person", ["workspace_id", "handle"])
    held = sa.text("state = 'held'")
    op.create_index(
        "ix_monitor_person_held", "monitor_person", ["workspace_id"], sqlite_where=held, postgresql_where=held
    )


def downgrade() -> None:
    """Move the schema back."""
    for table in ("monitor_person", "monitor"):
        op.drop_table(table)
