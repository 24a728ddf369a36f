"""senders that work at a person's pace."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("paced", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_column("paced")
