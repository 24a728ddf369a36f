"""key rights: what an owner granted a member's API keys; no key without a member behind it."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

# A key does what its maker's keys may. Those of members who have left go on for the workspace's first owner, who
# sees them among their own.
HAND_OVER = """
UPDATE api_key SET created_by = (
    SELECT membership.user_id FROM membership
    WHERE membership.workspace_id = api_key.workspace_id AND membership.role = 'owner'
    ORDER BY membership.id LIMIT 1
)
WHERE created_by IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM membership
    WHERE membership.workspace_id = api_key.workspace_id AND membership.user_id = api_key.created_by
)
"""


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("membership", sa.Column("key_scopes", sa.JSON(), nullable=True))
    op.execute(HAND_OVER)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("membership", "key_scopes")
