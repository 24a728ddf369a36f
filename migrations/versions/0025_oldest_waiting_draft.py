"""the oldest draft that waits, by an index."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    pending = sa.text("status = 'pending'")
    op.create_index(
        "ix_approval_waiting",
        "approval",
        ["workspace_id", "created_at"],
        sqlite_where=pending,
        postgresql_where=pending,
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_approval_waiting", table_name="approval")
