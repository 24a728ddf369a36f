"""the inbox: conversations are done, come back on a day and belong to a member; notes that only members see."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
TONE, COUNTED = "ix_conversation_tone", ("workspace_id", "sentiment", "last_message_at", "unread")
PARTIAL = {
    "ix_conversation_done": (["workspace_id", "last_message_at"], "done_at IS NOT NULL"),
    "ix_conversation_reminder": (["workspace_id", "remind_at"], "remind_at IS NOT NULL"),
    "ix_conversation_assignee": (["assignee_id"], "assignee_id IS NOT NULL"),
}


def _reference(table: str, column: str, to: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"), ondelete=ondelete)


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("conversation", table_kwargs={"sqlite_autoincrement": True}) as batch:
        for name in ("done_at", "remind_at"):
            batch.add_column(sa.Column(name, MOMENT, nullable=True))
        for name in ("remind_by", "remind_text"):
            batch.add_column(sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False))
        batch.add_column(sa.Column("assignee_id", ID, nullable=True))
        batch.create_foreign_key(
            "fk_conversation_assignee_id_user_account", "user_account", ["assignee_id"], ["id"], ondelete="SET NULL"
        )
    op.drop_index(TONE, "conversation")
    op.create_index(TONE, "conversation", [*COUNTED, "done_at", "remind_at", "assignee_id"])
    for name, (columns, where) in PARTIAL.items():
        op.create_index(name, "conversation", columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
    op.create_table(
        "conversation_note",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "conversation_id")),
        sa.Column("user_id", ID, nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("by", "text")),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("conversation_note", "workspace_id", "workspace", "CASCADE"),
        _reference("conversation_note", "conversation_id", "conversation", "CASCADE"),
        _reference("conversation_note", "user_id", "user_account", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation_note")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "conversation_id", "user_id"):
        op.create_index(op.f(f"ix_conversation_note_{column}"), "conversation_note", [column])
    op.create_table(
        "mention",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "conversation_id", "note_id", "user_id")),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=True),
        sa.Column("id", ID, nullable=False),
        _reference("mention", "workspace_id", "workspace", "CASCADE"),
        _reference("mention", "conversation_id", "conversation", "CASCADE"),
        _reference("mention", "note_id", "conversation_note", "CASCADE"),
        _reference("mention", "user_id", "user_account", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mention")),
        sa.UniqueConstraint("note_id", "user_id", name=op.f("uq_mention_note_id_user_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mention_workspace_id_at", "mention", ["workspace_id", "at"])
    for column in ("user_id", "conversation_id"):
        op.create_index(op.f(f"ix_mention_{column}"), "mention", [column])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("mention")
    op.drop_table("conversation_note")
    for name in (TONE, *PARTIAL):
        op.drop_index(name, "conversation")
    with op.batch_alter_table("conversation", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint("fk_conversation_assignee_id_user_account", type_="foreignkey")
        for name in ("done_at", "remind_at", "remind_by", "remind_text", "assignee_id"):
            batch.drop_column(name)
    op.create_index(TONE, "conversation", COUNTED)
