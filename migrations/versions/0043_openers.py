"""openers: sentences for one person in a draft, and what was read on the websites of companies."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "company_reading",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("quotes", sa.JSON(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_company_reading_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_reading")),
        sa.UniqueConstraint("workspace_id", "domain", name=op.f("uq_company_reading_workspace_id_domain")),
        sqlite_autoincrement=True,
    )
    op.add_column("approval", sa.Column("opener", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("approval", "opener")
    op.drop_table("company_reading")
