"""changes on the way: revisions of a campaign, its further lists, and whose turn a step is after a change."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("next_key", ID, server_default="0", nullable=False))
    with op.batch_alter_table("campaign_lead", schema=None) as batch_op:
        batch_op.add_column(sa.Column("skip_steps", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("hand_over_to", ID, nullable=True))
    op.create_table(
        "campaign_list",
        *(sa.Column(name, ID, nullable=False) for name in ("campaign_id", "list_id", "workspace_id")),
        sa.Column("added_at", MOMENT, nullable=False),
        sa.Column("enrolled_to", ID, nullable=False),
        _reference("campaign_list", "campaign_id", "campaign"),
        _reference("campaign_list", "list_id", "lead_list"),
        _reference("campaign_list", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("campaign_id", "list_id", name=op.f("pk_campaign_list")),
    )
    for column in ("list_id", "workspace_id"):
        op.create_index(op.f(f"ix_campaign_list_{column}"), "campaign_list", [column])
    op.create_table(
        "campaign_revision",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "campaign_id", "number")),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("before", "after")),
        sa.Column("apply_to", sa.Text(), nullable=False),
        sa.Column("effect", sa.JSON(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("looked_to", ID, nullable=False),
        *(sa.Column(name, ID, nullable=True) for name in ("undoes", "undone_by")),
        sa.Column("id", ID, nullable=False),
        _reference("campaign_revision", "workspace_id", "workspace"),
        _reference("campaign_revision", "campaign_id", "campaign"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign_revision")),
        sa.UniqueConstraint("campaign_id", "number", name=op.f("uq_campaign_revision_campaign_id_number")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_campaign_revision_workspace_id"), "campaign_revision", ["workspace_id"])
    is_open = sa.text("is_open")
    op.create_index(
        "ix_campaign_revision_open",
        "campaign_revision",
        ["campaign_id"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("campaign_revision")
    op.drop_table("campaign_list")
    with op.batch_alter_table("campaign_lead", schema=None) as batch_op:
        batch_op.drop_column("hand_over_to")
        batch_op.drop_column("skip_steps")
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("next_key")
