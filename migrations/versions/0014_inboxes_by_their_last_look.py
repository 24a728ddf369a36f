"""inboxes by their last look."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.create_index("ix_account_polled_at", "account", ["polled_at"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_account_polled_at", table_name="account")
