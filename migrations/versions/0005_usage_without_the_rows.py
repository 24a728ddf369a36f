"""usage without the rows."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("action", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_action_usage"))
        batch_op.create_index("ix_action_usage", ["sender_id", "at", "budget", "state", "step"], unique=False)
        batch_op.create_index(
            "ix_action_invites",
            ["sender_id", "at", "budget", "state"],
            unique=False,
            sqlite_where=sa.text("budget = 'invite'"),
            postgresql_where=sa.text("budget = 'invite'"),
        )


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("action", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_action_invites",
            sqlite_where=sa.text("budget = 'invite'"),
            postgresql_where=sa.text("budget = 'invite'"),
        )
        batch_op.drop_index("ix_action_usage")
        batch_op.create_index(batch_op.f("ix_action_usage"), ["sender_id", "at", "budget"], unique=False)
