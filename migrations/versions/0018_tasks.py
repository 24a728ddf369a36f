"""tasks, referrals and answers marked by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def _reference(table: str, column: str, to: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"), ondelete=ondelete)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "referral",
        sa.Column("workspace_id", ID, nullable=False),
        *(sa.Column(name, ID, nullable=True) for name in ("person_id", "conversation_id", "named_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("name", "email", "phone", "position", "said")),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("referral", "workspace_id", "workspace", "CASCADE"),
        _reference("referral", "person_id", "person", "SET NULL"),
        _reference("referral", "conversation_id", "conversation", "SET NULL"),
        _reference("referral", "named_id", "person", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_referral")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "person_id", "conversation_id", "named_id"):
        op.create_index(op.f(f"ix_referral_{column}"), "referral", [column])
    op.create_table(
        "task",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "person_id")),
        *(sa.Column(name, ID, nullable=True) for name in ("conversation_id", "referral_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "text")),
        sa.Column("guessed", sa.Boolean(), nullable=False),
        *(sa.Column(name, MOMENT, nullable=False) for name in ("due_at", "created_at")),
        sa.Column("done_at", MOMENT, nullable=True),
        sa.Column("done_by", sa.Text(), nullable=False),
        sa.Column("id", ID, nullable=False),
        _reference("task", "workspace_id", "workspace", "CASCADE"),
        _reference("task", "person_id", "person", "CASCADE"),
        _reference("task", "conversation_id", "conversation", "SET NULL"),
        _reference("task", "referral_id", "referral", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "person_id", "conversation_id", "referral_id"):
        op.create_index(op.f(f"ix_task_{column}"), "task", [column])
    is_open = sa.text("done_at IS NULL")
    op.create_index("ix_task_open", "task", ["workspace_id", "due_at"], sqlite_where=is_open, postgresql_where=is_open)
    op.create_table(
        "marked_answer",
        *(sa.Column(name, ID, nullable=False) for name in ("workspace_id", "person_id")),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("undone_at", MOMENT, nullable=True),
        sa.Column("id", ID, nullable=False),
        _reference("marked_answer", "workspace_id", "workspace", "CASCADE"),
        _reference("marked_answer", "person_id", "person", "CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marked_answer")),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "person_id"):
        op.create_index(op.f(f"ix_marked_answer_{column}"), "marked_answer", [column])


def downgrade() -> None:
    """Move the schema back."""
    for table in ("marked_answer", "task", "referral"):
        op.drop_table(table)
