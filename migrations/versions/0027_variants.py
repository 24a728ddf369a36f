"""variants: which text of a step each person gets, and which one was chosen for the others."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Move the schema forward."""
    for table in ("action", "approval"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("variant", sa.Text(), server_default=sa.text("''"), nullable=False))
    having_one = sa.text("variant <> ''")
    op.create_index(
        "ix_action_variant",
        "action",
        ["campaign_id", "step", "variant", "part", "state", "check_at", "campaign_lead_id"],
        sqlite_where=having_one,
        postgresql_where=having_one,
    )
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pick_winner_at", MOMENT, nullable=True))
    op.create_table(
        "variant_choice",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("step", ID, nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("shares", sa.JSON(), nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("chance", sa.Double(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("undone_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaign.id"],
            name=op.f("fk_variant_choice_campaign_id_campaign"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_variant_choice_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variant_choice")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("variant_choice", schema=None) as batch_op:
        batch_op.create_index("ix_variant_choice_campaign_id_id", ["campaign_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_variant_choice_workspace_id"), ["workspace_id"], unique=False)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("variant_choice")
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("pick_winner_at")
    op.drop_index("ix_action_variant", table_name="action")
    for table in ("action", "approval"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("variant")
