"""column choices, and steps that wait for a profile."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "column_choice",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("workspace_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_column_choice_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_column_choice"),
        sa.UniqueConstraint("workspace_id", "shape", name="uq_column_choice_workspace_id_shape"),
        sqlite_autoincrement=True,
    )
    for table in ("campaign", "campaign_lead"):
        op.add_column(table, sa.Column("wait_for_profile", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    for table in ("campaign_lead", "campaign"):
        op.drop_column(table, "wait_for_profile")
    op.drop_table("column_choice")
