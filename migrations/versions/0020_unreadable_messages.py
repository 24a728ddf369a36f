"""unreadable messages, and senders whose inbox can't be read."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "unreadable_message",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("sender", "subject", "why")),
        sa.Column("seen_at", MOMENT, nullable=True),
        sa.Column("id", ID, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{table}_id"],
                [f"{table}.id"],
                name=op.f(f"fk_unreadable_message_{table}_id_{table}"),
                ondelete="CASCADE",
            )
            for table in ("workspace", "account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unreadable_message")),
        sa.UniqueConstraint("account_id", "ref", name=op.f("uq_unreadable_message_account_id_ref")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("unreadable_message", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_unreadable_message_workspace_id"), ["workspace_id"], unique=False)
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("unread_since", MOMENT, nullable=True))
        batch_op.add_column(sa.Column("silent_at", MOMENT, nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_column("silent_at")
        batch_op.drop_column("unread_since")
    op.drop_table("unreadable_message")
