"""company by hand.

What a member said a person's company is. Owners of workspaces with campaigns under way are told that the company stop
holds for these.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_UNDER_WAY = "SELECT workspace_id FROM campaign WHERE stop_company_on_reply = true AND status IN ({})"
_STATES = ("scheduled", "starting", "running", "paused", "locked")


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("person", sa.Column("company_by_hand", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("workspace", sa.Column("notices", sa.JSON(none_as_null=True), nullable=True))
    states = ", ".join(f"'{one}'" for one in _STATES)
    notices = json.dumps(["company_stop"])
    op.execute(f"UPDATE workspace SET notices = '{notices}' WHERE id IN ({_UNDER_WAY.format(states)})")


def downgrade() -> None:
    """Move the schema back."""
    op.execute("ALTER TABLE workspace DROP COLUMN notices")
    op.execute("ALTER TABLE person DROP COLUMN company_by_hand")
