"""search imports."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "search_import",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("list_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("address", "kind")),
        sa.Column("most", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("state", "cursor")),
        sa.Column("pages", ID, nullable=False),
        sa.Column("total", ID, nullable=True),
        *(sa.Column(name, ID, nullable=False) for name in "read added updated skipped invalid".split()),
        sa.Column("waits_for", sa.Text(), nullable=False),
        sa.Column("waits_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_search_import_account_id_account"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["list_id"], ["lead_list.id"], name=op.f("fk_search_import_list_id_lead_list"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_search_import_workspace_id_workspace"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_import")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "list_id", "account_id"):
        op.create_index(op.f(f"ix_search_import_{column}"), "search_import", [column])
    op.create_table(
        "search_read",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("people", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_search_read_account_id_account"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_search_read_workspace_id_workspace"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_read")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_read_account_id_at", "search_read", ["account_id", "at"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("search_read")
    op.drop_table("search_import")
