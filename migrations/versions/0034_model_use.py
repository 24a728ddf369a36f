"""tokens and failures of the AI model, shared by all processes."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0032"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "model_use",
        sa.Column("model", sa.Text(), primary_key=True),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("tokens", NUMBER, nullable=False),
        sa.Column("failures", NUMBER, nullable=False),
        sa.Column("rests_until", sa.DateTime(timezone=True), nullable=True),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("model_use")
