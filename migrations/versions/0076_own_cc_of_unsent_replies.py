"""own cc of unsent replies: kept with the text, also when a sent reply is taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    for name in ("cc", "goes_to"):
        op.add_column("typed", sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    for name in ("goes_to", "cc"):
        op.drop_column("typed", name)
