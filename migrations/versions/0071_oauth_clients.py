"""oauth clients: what the server is registered as at Google and Microsoft, entered by its admin."""

import sqlalchemy as sa
from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "oauth_client",
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("chosen_by", sa.Text(), nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("way", name=op.f("pk_oauth_client")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("oauth_client")
