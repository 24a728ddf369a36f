"""tables: changes of many people with their undo, saved views, and the order of people."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "bulk_change",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("list_id", ID, nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("until", ID, nullable=False),
        sa.Column("after", ID, nullable=False),
        sa.Column("total", ID, nullable=False),
        sa.Column("done", ID, nullable=False),
        sa.Column("changed", ID, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        _to("bulk_change", "list_id", "lead_list"),
        _to("bulk_change", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bulk_change")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_bulk_change_list_id"), "bulk_change", ["list_id"])
    op.create_index(op.f("ix_bulk_change_workspace_id"), "bulk_change", ["workspace_id"])
    op.create_table(
        "bulk_part",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("change_id", ID, nullable=False),
        sa.Column("leads", sa.JSON(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        _to("bulk_part", "change_id", "bulk_change"),
        _to("bulk_part", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bulk_part")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_bulk_part_change_id"), "bulk_part", ["change_id"])
    op.create_index(op.f("ix_bulk_part_workspace_id"), "bulk_part", ["workspace_id"])
    op.create_table(
        "saved_view",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _to("saved_view", "user_id", "user_account"),
        _to("saved_view", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_view")),
        sa.UniqueConstraint(
            "workspace_id", "user_id", "place", "name", name=op.f("uq_saved_view_workspace_id_user_id_place_name")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_saved_view_user_id"), "saved_view", ["user_id"])
    op.create_index("ix_person_by_name", "person", ["workspace_id", "first_name", "id"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_person_by_name", "person")
    for table in ("saved_view", "bulk_part", "bulk_change"):
        op.drop_table(table)


def _to(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE")
