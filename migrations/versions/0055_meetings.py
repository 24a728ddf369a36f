"""meetings: booked at a service or marked by hand; the marks of conversations become meetings."""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
OPEN = sa.text("person_id IS NULL AND dismissed_at IS NULL")
MARKED = sa.text(
    "INSERT INTO meeting (workspace_id, service, ref, state, person_id, conversation_id, campaign_id, variant, name,"
    ' email, title, at, "by")'
    " SELECT workspace_id, '', 'conversation:' || id, 'booked', person_id, id, campaign_id, '', '', '', '', meeting_at,"
    " '' FROM conversation WHERE meeting_at IS NOT NULL"
)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "meeting",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        *(sa.Column(name, ID, nullable=True) for name in ("person_id", "conversation_id", "campaign_id")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("variant", "name", "email", "title")),
        *(sa.Column(name, MOMENT, nullable=True) for name in ("starts_at", "ends_at")),
        sa.Column("at", MOMENT, nullable=False),
        *(sa.Column(name, MOMENT, nullable=True) for name in ("canceled_at", "dismissed_at")),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("id", ID, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{table}_id"], [f"{table}.id"], name=op.f(f"fk_meeting_{table}_id_{table}"), ondelete=then
            )
            for table, then in (
                ("workspace", "CASCADE"),
                ("person", "CASCADE"),
                ("conversation", "SET NULL"),
                ("campaign", "SET NULL"),
            )
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meeting")),
        sa.UniqueConstraint("workspace_id", "service", "ref", name=op.f("uq_meeting_workspace_id_service_ref")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_meeting_campaign_id_state", "meeting", ["campaign_id", "state"])
    op.create_index("ix_meeting_open", "meeting", ["workspace_id"], sqlite_where=OPEN, postgresql_where=OPEN)
    for name in ("person_id", "conversation_id"):
        op.create_index(op.f(f"ix_meeting_{name}"), "meeting", [name])
    op.execute(MARKED)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("meeting")
