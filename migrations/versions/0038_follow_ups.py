"""the ledger says of each action whether the person had one before."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

INDEX = "ix_action_usage"
COLUMNS = ("sender_id", "at", "budget", "state")


def upgrade() -> None:
    """Move the schema forward: only what was done lately is counted against a limit."""
    op.add_column("action", sa.Column("follow_up", sa.Boolean(), server_default=sa.false(), nullable=False))
    lately = sa.table(
        "action", sa.column("step"), sa.column("at", sa.DateTime(timezone=True)), sa.column("follow_up", sa.Boolean())
    )
    since = datetime.now(UTC) - timedelta(days=2)
    op.execute(sa.update(lately).where(lately.c.step > 0, lately.c.at > since).values(follow_up=sa.true()))
    op.drop_index(INDEX, "action")
    op.create_index(INDEX, "action", [*COLUMNS, "follow_up"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index(INDEX, "action")
    op.create_index(INDEX, "action", [*COLUMNS, "step"])
    op.drop_column("action", "follow_up")
