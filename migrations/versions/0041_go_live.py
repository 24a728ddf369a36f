"""going live: the checklist of a live workspace, the copy of its sandbox, and approval of the first people."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("workspace", sa.Column("approve_first", ID, server_default=sa.text("0"), nullable=False))
    op.add_column("campaign", sa.Column("approve_first", ID, nullable=True))
    op.create_table(
        "go_live",
        sa.Column("id", ID, primary_key=True),
        sa.Column("workspace_id", ID, sa.ForeignKey("workspace.id", ondelete="CASCADE"), nullable=False),
        sa.Column("sandbox_id", ID, sa.ForeignKey("workspace.id", ondelete="SET NULL"), nullable=True),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("limits_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("after", ID, nullable=False),
        sa.Column("done", ID, nullable=False),
        sa.Column("total", ID, nullable=False),
        sa.Column("copied", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("copied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.UniqueConstraint("workspace_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_go_live_sandbox_id", "go_live", ["sandbox_id"])
    op.create_table(
        "copied_row",
        sa.Column("workspace_id", ID, sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("kind", sa.Text(), primary_key=True),
        sa.Column("source_id", ID, primary_key=True, autoincrement=False),
        sa.Column("copy_id", ID, nullable=False),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("copied_row")
    op.drop_index("ix_go_live_sandbox_id", "go_live")
    op.drop_table("go_live")
    op.drop_column("campaign", "approve_first")
    op.drop_column("workspace", "approve_first")
