"""learning: rules that edits suggested, changes in the ranking of plays, who edited a draft and for which wishes."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "learnt_rule",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("drafts", sa.JSON(), nullable=False),
        sa.Column("edits", ID, nullable=False),
        sa.Column("rewritten", ID, nullable=False),
        sa.Column("proposed_at", MOMENT, nullable=False),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.Column("decided_by", ID, nullable=True),
        sa.ForeignKeyConstraint(
            ["decided_by"],
            ["user_account.id"],
            name=op.f("fk_learnt_rule_decided_by_user_account"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_learnt_rule_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learnt_rule")),
        sa.UniqueConstraint("workspace_id", "words", name=op.f("uq_learnt_rule_workspace_id_words")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "ranking_change",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("angle", sa.Text(), nullable=False),
        *(
            sa.Column(name, ID, nullable=False)
            for name in ("place_before", "place_after", "people", "replies", "positive", "negative", "good", "bad")
        ),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("undone_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_ranking_change_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ranking_change")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("ranking_change", schema=None) as batch_op:
        batch_op.create_index("ix_ranking_change_workspace_id_angle", ["workspace_id", "angle", "id"], unique=False)
    with op.batch_alter_table("approval", schema=None) as batch_op:
        batch_op.add_column(sa.Column("edited_by", ID, nullable=True))
        batch_op.add_column(sa.Column("wishes", sa.JSON(), nullable=True))
        batch_op.create_foreign_key(
            op.f("fk_approval_edited_by_user_account"), "user_account", ["edited_by"], ["id"], ondelete="SET NULL"
        )
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.add_column(sa.Column("former_votes", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("ranked_at", MOMENT, nullable=True))
        batch_op.add_column(sa.Column("learnt_due_at", MOMENT, nullable=True))
        batch_op.create_index(
            "ix_autopilot_setup_ranked_at",
            ["ranked_at"],
            unique=False,
            sqlite_where=sa.text("ranked_at IS NOT NULL"),
            postgresql_where=sa.text("ranked_at IS NOT NULL"),
        )


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.drop_index("ix_autopilot_setup_ranked_at")
        batch_op.drop_column("learnt_due_at")
        batch_op.drop_column("ranked_at")
        batch_op.drop_column("former_votes")
    with op.batch_alter_table("approval", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("fk_approval_edited_by_user_account"), type_="foreignkey")
        batch_op.drop_column("wishes")
        batch_op.drop_column("edited_by")
    op.drop_table("ranking_change")
    op.drop_table("learnt_rule")
