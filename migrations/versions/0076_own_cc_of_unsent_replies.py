"""own cc of unsent replies: kept with the text, also when a sent reply is taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("typed") as batch_op:
        batch_op.add_column(sa.Column("cc", sa.Text(), server_default=sa.text("''"), nullable=False))
        batch_op.add_column(sa.Column("goes_to", sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("typed") as batch_op:
        batch_op.drop_column("goes_to")
        batch_op.drop_column("cc")
