"""bounce causes: whether an email came back because of its sender."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("action", sa.Column("sender_fault", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("action", "sender_fault")
