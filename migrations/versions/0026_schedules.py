"""several windows, recipient-local time, holidays, blackout dates, absences, and new people a day."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("workspace", sa.Column("blackouts", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("account", sa.Column("country", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("account", sa.Column("absences", sa.JSON(none_as_null=True), nullable=True))
    for name in ("windows", "blackouts"):
        op.add_column("campaign", sa.Column(name, sa.JSON(none_as_null=True), nullable=True))
    op.add_column("campaign", sa.Column("recipient_time", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("campaign", sa.Column("holidays", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("campaign", sa.Column("new_per_day", NUMBER, nullable=True))
    op.add_column("campaign_lead", sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True))
    begun = sa.text("begun_at IS NOT NULL")
    op.create_index(
        "ix_campaign_lead_begun",
        "campaign_lead",
        ["campaign_id", "begun_at"],
        sqlite_where=begun,
        postgresql_where=begun,
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_campaign_lead_begun", table_name="campaign_lead")
    op.drop_column("campaign_lead", "begun_at")
    for name in ("new_per_day", "holidays", "recipient_time", "blackouts", "windows"):
        op.drop_column("campaign", name)
    op.drop_column("account", "absences")
    op.drop_column("account", "country")
    op.drop_column("workspace", "blackouts")
