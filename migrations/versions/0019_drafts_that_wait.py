"""drafts that wait: what follows an expired one, and when alerts spoke of them last."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("skip_expired", sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.add_column(sa.Column("drafts_told_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.drop_column("drafts_told_at")
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("skip_expired")
