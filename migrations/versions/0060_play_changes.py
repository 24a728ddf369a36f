"""play_changes: a change of a play is proposed before it is used, and the last one can be taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("play", sa.Column("proposed", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("play", sa.Column("replaced", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("play", "replaced")
    op.drop_column("play", "proposed")
