"""model_mode: what a model is used for, as its test messages showed, and a sentence that says why."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("model_choice", sa.Column("mode", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column("model_choice", sa.Column("mode_why", sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("model_choice", "mode_why")
    op.drop_column("model_choice", "mode")
