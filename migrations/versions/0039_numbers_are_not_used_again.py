"""numbers of deleted rows are not given to new ones, on SQLite.

A table that is copied by batch loses its AUTOINCREMENT unless that is said.
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

COPIED = (
    "account",
    "action",
    "approval",
    "campaign",
    "credit_entry",
    "message",
    "never_contact",
    "person",
    "workspace",
)


def upgrade() -> None:
    """Move the schema forward."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    made = sa.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = :name")
    for name in COPIED:
        if "AUTOINCREMENT" not in connection.scalar(made, {"name": name}):
            with op.batch_alter_table(name, recreate="always", table_kwargs={"sqlite_autoincrement": True}):
                pass


def downgrade() -> None:
    """Leave the tables as they are: nothing asks whether a number may come back."""
