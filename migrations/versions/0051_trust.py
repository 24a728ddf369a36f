"""trust: how long a workspace keeps requests, deliveries and what events say."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("workspace", sa.Column("retention", sa.JSON(none_as_null=True), nullable=True))
    gone = sa.Column(
        "payloads_gone_to",
        sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
        server_default=sa.text("0"),
        nullable=False,
    )
    op.add_column("workspace", gone)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("workspace", "payloads_gone_to")
    op.drop_column("workspace", "retention")
