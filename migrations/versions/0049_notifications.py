"""notifications: when a member last looked at what happened."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("membership", sa.Column("looked_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("membership", "looked_at")
