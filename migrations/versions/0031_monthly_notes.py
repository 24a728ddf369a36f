"""how many personal notes a sender may send in a month."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("monthly_notes", ID, nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_column("monthly_notes")
