"""first_attempt: an action that is tried again knows when it was tried first."""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward: what was tried several times before counts from its last attempt, which is known."""
    op.add_column("action", sa.Column("first_at", sa.DateTime(timezone=True), nullable=True))
    action = sa.table("action", *(sa.column(name) for name in ("first_at", "settled_at", "attempts", "state")))
    open_again = sa.and_(action.c.attempts > 1, action.c.state.in_(("sending", "unknown", "again")))
    op.execute(sa.update(action).where(open_again).values(first_at=action.c.settled_at))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("action", "first_at")
