"""keys: whether assistants may contact people without approval."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("api_key", sa.Column("without_approval", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("api_key", "without_approval")
