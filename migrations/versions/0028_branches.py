"""branches of a sequence, the way of each person through them, and what is done when a reply has a tone."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COLUMNS = (("campaign", "branches"), ("campaign", "on_reply"), ("campaign_lead", "route"))


def upgrade() -> None:
    """Move the schema forward."""
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.JSON(), nullable=True))
    _index_timers("'end', 'back', 'ask'")
    op.create_table(
        "reply_action",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "campaign_id", "person_id", "message_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("rule", "sentiment", "do", "value", "error")),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", ID, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"{name}.id"], name=f"fk_reply_action_{name}_id", ondelete="CASCADE"
            )
            for name in ("workspace", "campaign", "person", "message")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reply_action"),
        sa.UniqueConstraint("message_id", "rule", name="uq_reply_action_message_id_rule"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reply_action_workspace_id", "reply_action", ["workspace_id"])
    op.create_index("ix_reply_action_campaign_id_at", "reply_action", ["campaign_id", "at"])
    op.create_index("ix_reply_action_person_id", "reply_action", ["person_id"])


def downgrade() -> None:
    """Move the schema back: people who wait for an answer wait for the acceptance."""
    op.drop_table("reply_action")
    op.execute("UPDATE campaign_lead SET next_budget = 'withdraw' WHERE next_budget = 'ask'")
    _index_timers("'end', 'back'")
    for table, column in reversed(COLUMNS):
        op.drop_column(table, column)


def _index_timers(which: str) -> None:
    """Index what only time brings about."""
    op.drop_index("ix_campaign_lead_timer", table_name="campaign_lead")
    timers = sa.text(f"next_budget IN ({which})")
    op.create_index(
        "ix_campaign_lead_timer",
        "campaign_lead",
        ["next_budget", "due_at"],
        sqlite_where=timers,
        postgresql_where=timers,
    )
