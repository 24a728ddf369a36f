"""webhooks: several events each, and the version of their payload."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward. Webhooks that exist keep their payload."""
    op.add_column("webhook", sa.Column("more_events", sa.JSON(none_as_null=True), nullable=True))
    for table in ("webhook", "delivery"):
        number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
        op.add_column(table, sa.Column("payload_version", number, server_default=sa.text("1"), nullable=False))
    op.add_column("delivery", sa.Column("test_kind", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.execute(
        "UPDATE delivery SET test_kind = (SELECT event FROM webhook WHERE webhook.id = delivery.webhook_id)"
        " WHERE event_id IS NULL"
    )


def downgrade() -> None:
    """Move the schema back: of several events the first is left."""
    op.drop_column("delivery", "test_kind")
    op.drop_column("delivery", "payload_version")
    op.drop_column("webhook", "payload_version")
    op.drop_column("webhook", "more_events")
