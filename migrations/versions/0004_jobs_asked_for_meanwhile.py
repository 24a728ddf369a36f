"""jobs asked for meanwhile."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("next_payload", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_column("next_payload")
