"""sessions: the token from before the password was given again."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("browser_session", sa.Column("former_digest", sa.LargeBinary(), nullable=True))
    op.create_index(op.f("ix_browser_session_former_digest"), "browser_session", ["former_digest"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index(op.f("ix_browser_session_former_digest"), table_name="browser_session")
    op.drop_column("browser_session", "former_digest")
