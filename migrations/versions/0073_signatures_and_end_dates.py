"""A signature and a reply address per mailbox, an end date of do-not-contact entries, why a draft was skipped."""

import sqlalchemy as sa
from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None

TEXTS = (("account", "signature"), ("account", "reply_to"), ("approval", "note"))
HAS_AN_END = sa.text("until IS NOT NULL")


def upgrade() -> None:
    """Move the schema forward."""
    for table, name in TEXTS:
        op.add_column(table, sa.Column(name, sa.Text(), server_default=sa.text("('')"), nullable=False))
    op.add_column("never_contact", sa.Column("until", sa.Date(), nullable=True))
    end = {"sqlite_where": HAS_AN_END, "postgresql_where": HAS_AN_END}
    op.create_index("ix_never_contact_until", "never_contact", ["until"], **end)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_never_contact_until", "never_contact")
    op.drop_column("never_contact", "until")
    for table, name in reversed(TEXTS):
        op.drop_column(table, name)
