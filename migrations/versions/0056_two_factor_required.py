"""two_factor_required: a workspace may require two-factor sign-in of its members."""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    required = sa.Column("two_factor_required", sa.Boolean(), server_default=sa.false(), nullable=False)
    op.add_column("workspace", required)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("workspace", "two_factor_required")
