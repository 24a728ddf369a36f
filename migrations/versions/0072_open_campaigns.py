"""open campaigns: how many people who come into a campaign's lists join it a day, and who did."""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("campaign", sa.Column("joins_per_day", number, nullable=True))
    op.add_column("campaign", sa.Column("joined_to", number, server_default="0", nullable=False))
    op.add_column("campaign", sa.Column("joins_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("campaign_lead", sa.Column("joined_at", sa.DateTime(timezone=True), nullable=True))
    joined = sa.text("joined_at IS NOT NULL")
    op.create_index(
        "ix_campaign_lead_joined",
        "campaign_lead",
        ["campaign_id", "joined_at"],
        sqlite_where=joined,
        postgresql_where=joined,
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_campaign_lead_joined", "campaign_lead")
    op.drop_column("campaign_lead", "joined_at")
    for name in ("joins_at", "joined_to", "joins_per_day"):
        op.drop_column("campaign", name)
