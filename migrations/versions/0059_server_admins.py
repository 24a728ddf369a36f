"""server_admins: who is one stands in the database, and an address counts once a link sent to it was opened."""

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward: the first user was an admin because of the row's place, and stays one."""
    op.add_column("user_account", sa.Column("email_confirmed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("user_account", sa.Column("server_admin", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("password_reset", sa.Column("origin", sa.Text(), server_default=sa.text("'owner'"), nullable=False))
    user = sa.table("user_account", sa.column("id"), sa.column("server_admin", sa.Boolean()))
    first = sa.select(sa.func.min(user.c.id)).scalar_subquery()
    op.execute(sa.update(user).where(user.c.id == first).values(server_admin=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("password_reset", "origin")
    op.drop_column("user_account", "server_admin")
    op.drop_column("user_account", "email_confirmed_at")
