"""reply hours: an index of what people wrote, by when."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

INBOUND = sa.text("direction = 'in'")


def upgrade() -> None:
    """Move the schema forward."""
    columns = ["workspace_id", "at", "automatic"]
    op.create_index("ix_message_replies", "message", columns, sqlite_where=INBOUND, postgresql_where=INBOUND)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_message_replies", "message")
