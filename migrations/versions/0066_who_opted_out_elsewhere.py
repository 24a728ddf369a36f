"""opted out: a file says who must not be contacted, and a member what its values mean."""

import sqlalchemy as sa
from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("lead_import", sa.Column("opt_outs", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("lead_import", sa.Column("consent", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("lead_import", sa.Column("opted_out", number, server_default="0", nullable=False))
    op.add_column("lead_import", sa.Column("bounced", number, server_default="0", nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    for name in ("bounced", "opted_out", "consent", "opt_outs"):
        op.drop_column("lead_import", name)
