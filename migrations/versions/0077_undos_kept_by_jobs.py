"""undos kept by jobs: what plays and held companies were before a change."""

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

GONE = (("company_hold", "former_senders"), ("play", "replaced"), ("play", "anew"), ("play", "former"))


def upgrade() -> None:
    """Move the schema forward."""
    for table, column in GONE:
        op.drop_column(table, column)


def downgrade() -> None:
    """Move the schema back."""
    for table, column in reversed(GONE):
        op.add_column(table, sa.Column(column, sa.JSON(none_as_null=True), nullable=True))
