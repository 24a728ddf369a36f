"""replies: snippets, a time to send, what the writer suggests, meeting links and meetings that are booked."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def _reference(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"), ondelete="CASCADE")


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("conversation", sa.Column("meeting_at", MOMENT, nullable=True))
    op.add_column("message", sa.Column("send_at", MOMENT, nullable=True))
    op.add_column("workspace", sa.Column("undo_seconds", ID, server_default=sa.text("10"), nullable=False))
    for table in ("workspace", "membership"):
        op.add_column(table, sa.Column("meeting_link", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.create_table(
        "snippet",
        sa.Column("workspace_id", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("name", "text")),
        *(sa.Column(name, MOMENT, nullable=False) for name in ("created_at", "updated_at")),
        sa.Column("id", ID, nullable=False),
        _reference("snippet", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snippet")),
        sa.UniqueConstraint("workspace_id", "name", name=op.f("uq_snippet_workspace_id_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "drafted_reply",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "conversation_id", "answers_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("sentiment", "text", "by", "note")),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("drafted_reply", "workspace_id", "workspace"),
        _reference("drafted_reply", "conversation_id", "conversation"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafted_reply")),
        sa.UniqueConstraint("conversation_id", name=op.f("uq_drafted_reply_conversation_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_drafted_reply_workspace_id"), "drafted_reply", ["workspace_id"])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("drafted_reply")
    op.drop_table("snippet")
    for table, column in (
        ("membership", "meeting_link"),
        ("workspace", "meeting_link"),
        ("workspace", "undo_seconds"),
        ("message", "send_at"),
        ("conversation", "meeting_at"),
    ):
        op.drop_column(table, column)
