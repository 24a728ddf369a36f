"""files and people of emails: who an email went to, and its attachments."""

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Move the schema forward."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    parents = {"workspace": "workspace", "message": "message", "conversation": "conversation", "user": "user_account"}
    op.create_table(
        "attachment",
        sa.Column("workspace_id", number, nullable=False),
        sa.Column("message_id", number, nullable=True),
        sa.Column("conversation_id", number, nullable=True),
        sa.Column("user_id", number, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", number, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("id", number, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"{table}.id"], name=op.f(f"fk_attachment_{name}_id"), ondelete="CASCADE"
            )
            for name, table in parents.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attachment")),
        sqlite_autoincrement=True,
    )
    for name in ("message_id", "user_id", "workspace_id"):
        op.create_index(op.f(f"ix_attachment_{name}"), "attachment", [name])
    op.create_index("ix_attachment_typed", "attachment", ["conversation_id", "user_id"])
    op.add_column("message", sa.Column("letter", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("message", "letter")
    op.drop_table("attachment")
