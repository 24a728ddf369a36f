"""campaigns of a status."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.create_index("ix_campaign_workspace_id_status_id", "campaign", ["workspace_id", "status", "id"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_campaign_workspace_id_status_id", "campaign")
