"""choices: what can be asked for by name follows from a play's steps, so a play keeps no list of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.drop_column("play", "choices")


def downgrade() -> None:
    """Move the schema back."""
    op.add_column("play", sa.Column("choices", sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
