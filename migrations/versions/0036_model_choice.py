"""AI models that were set up here, their speed, and who wrote the texts of a play."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# Added one by one: a table that is copied by batch loses its AUTOINCREMENT, and ids come back.
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "model_choice",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("measuring_at", TIME, nullable=True),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("warm_up", sa.Double(), nullable=True),
        sa.Column("reads", sa.Double(), nullable=True),
        sa.Column("writes", sa.Double(), nullable=True),
        sa.Column("measured_at", TIME, nullable=True),
        sa.Column("price_in", NUMBER, nullable=True),
        sa.Column("price_out", NUMBER, nullable=True),
        sa.Column("chosen_by", sa.Text(), nullable=False),
        sa.Column("chosen_at", TIME, nullable=False),
        sa.UniqueConstraint("url", "name"),
        sqlite_autoincrement=True,
    )
    op.add_column("model_use", sa.Column("failure", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("model_use", sa.Column("heard_at", TIME, nullable=True))
    op.add_column(
        "autopilot_setup", sa.Column("model_dismissed", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("play", sa.Column("written_by", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("play", sa.Column("note", sa.Text(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("play", "note")
    op.drop_column("play", "written_by")
    op.drop_column("autopilot_setup", "model_dismissed")
    op.drop_column("model_use", "heard_at")
    op.drop_column("model_use", "failure")
    op.drop_table("model_choice")
