"""people keep when their step is due while their invitation is withdrawn, and changes how far they are."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INDEX = "ix_campaign_lead_step_due"
PROGRESS = ("looked", "people")


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("campaign_lead", sa.Column("step_due_at", sa.DateTime(timezone=True), nullable=True))
    known = sa.text("step_due_at IS NOT NULL")
    op.create_index(INDEX, "campaign_lead", ["step_due_at"], sqlite_where=known, postgresql_where=known)
    for name in PROGRESS:
        op.add_column("campaign_revision", sa.Column(name, ID, server_default="0", nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    for name in PROGRESS:
        op.drop_column("campaign_revision", name)
    op.drop_index(INDEX, "campaign_lead")
    op.drop_column("campaign_lead", "step_due_at")
