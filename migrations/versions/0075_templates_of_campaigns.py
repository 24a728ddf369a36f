"""templates of campaigns: sequences saved to begin the next ones with."""

import sqlalchemy as sa
from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "campaign_template",
        sa.Column("workspace_id", number, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sequence", sa.JSON(), nullable=False),
        sa.Column("branches", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", number, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_campaign_template_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_template")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_campaign_template_workspace_id"), "campaign_template", ["workspace_id"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("campaign_template")
