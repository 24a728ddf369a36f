"""what failed last."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FAILED = {"action": "settled_at", "delivery": "done_at", "job": "done_at"}
WHERE = {f"{dialect}_where": sa.text("state = 'failed'") for dialect in ("sqlite", "postgresql")}


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("job", sa.Column("request_id", sa.Text(), server_default=sa.text("''"), nullable=False))
    for table, moment in FAILED.items():
        op.create_index(f"ix_{table}_failed", table, [moment], **WHERE)


def downgrade() -> None:
    """Move the schema back."""
    for table in FAILED:
        op.drop_index(f"ix_{table}_failed", table)
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_column("request_id")
