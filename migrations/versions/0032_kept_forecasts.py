"""forecasts that are kept: of a campaign as it began or changed, and of all of a workspace for its calendar."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "kept_forecast",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaign.id"],
            name=op.f("fk_kept_forecast_campaign_id_campaign"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_kept_forecast_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kept_forecast")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("kept_forecast", schema=None) as batch_op:
        batch_op.create_index("ix_kept_forecast_campaign_id_made_at", ["campaign_id", "made_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_kept_forecast_workspace_id"), ["workspace_id"], unique=False)
    op.create_table(
        "calendar_forecast",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_calendar_forecast_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_calendar_forecast")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("calendar_forecast")
    op.drop_table("kept_forecast")
