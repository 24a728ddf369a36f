"""filters.

People are found by a tag and by their last reply, conversations by their last change.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BATCH = 5000
LONG_AGO = "'1970-01-01 00:00:00+00'"


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "person_tag",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("person_id", ID, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_person_tag_person_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_person_tag_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("workspace_id", "tag", "person_id", name="pk_person_tag"),
    )
    _index_tags(op.get_bind())
    op.create_index("ix_person_tag_person_id", "person_tag", ["person_id"])
    replied: Any = sa.text("replied_at IS NOT NULL")
    where = {"sqlite_where": replied, "postgresql_where": replied}
    op.create_index("ix_person_replied", "person", ["workspace_id", "replied_at"], **where)
    op.create_index("ix_campaign_lead_replied", "campaign_lead", ["campaign_id", "replied_at"], **where)
    # The default spares SQLite a new table, which would forget the numbers that were given.
    changed = sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text(LONG_AGO), nullable=False)
    op.add_column("conversation", changed)
    op.execute("UPDATE conversation SET updated_at = last_message_at")
    op.create_index("ix_conversation_workspace_id_updated_at", "conversation", ["workspace_id", "updated_at"])


def _index_tags(connection: sa.Connection) -> None:
    """Index the tags that people have, in batches."""
    person = sa.table("person", *map(sa.column, ("id", "workspace_id")), sa.column("tags", sa.JSON()))
    index = sa.table("person_tag", *map(sa.column, ("workspace_id", "tag", "person_id")))
    some = sa.select(person).where(sa.cast(person.c.tags, sa.Text()) != "[]").order_by(person.c.id).limit(BATCH)
    last = 0
    while rows := connection.execute(some.where(person.c.id > last)).all():
        values = [
            {"workspace_id": row.workspace_id, "tag": tag, "person_id": row.id}
            for row in rows
            for tag in sorted({" ".join(one.split()).casefold() for one in row.tags})
        ]
        if values:
            connection.execute(sa.insert(index), values)
        last = rows[-1].id


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_conversation_workspace_id_updated_at", "conversation")
    op.execute("ALTER TABLE conversation DROP COLUMN updated_at")
    op.drop_index("ix_campaign_lead_replied", "campaign_lead")
    op.drop_index("ix_person_replied", "person")
    op.drop_table("person_tag")
