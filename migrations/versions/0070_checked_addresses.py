"""checked addresses: what was found about an address before its first email, and when a campaign's emails came back."""

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "address_check",
        sa.Column("workspace_id", number, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("checked_by", sa.Text(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", number, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_address_check_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_address_check")),
        sa.UniqueConstraint("workspace_id", "address", name=op.f("uq_address_check_workspace_id_address")),
        sqlite_autoincrement=True,
    )
    op.add_column("campaign", sa.Column("bounced_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("campaign", "bounced_at")
    op.drop_table("address_check")
