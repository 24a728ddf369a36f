"""company decisions: the senders that people had before they were handed over."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("company_hold", schema=None) as batch_op:
        batch_op.add_column(sa.Column("former_senders", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("company_hold", schema=None) as batch_op:
        batch_op.drop_column("former_senders")
