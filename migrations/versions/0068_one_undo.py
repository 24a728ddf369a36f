"""one undo: what a bulk change did stands with other undos, and a merge is known by its two people."""

import sqlalchemy as sa
from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# Of a change that is being undone now, no one knows the parts any more; what was undone stays so.
STOP_UNDOING = """
UPDATE bulk_change SET state = 'failed', error = 'An update of Overture stopped the undo.' WHERE state = 'undoing'
"""


def upgrade() -> None:
    """Move the schema forward."""
    op.execute(STOP_UNDOING)
    op.drop_table("bulk_part")
    op.drop_column("person_merge", "name")


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("person_merge") as batch_op:
        batch_op.add_column(sa.Column("name", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("person_merge") as batch_op:
        batch_op.alter_column("name", server_default=None)
    op.create_table(
        "bulk_part",
        sa.Column("id", ID, nullable=False),
        sa.Column(
            "workspace_id",
            ID,
            sa.ForeignKey("workspace.id", name="fk_bulk_part_workspace_id_workspace", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "change_id",
            ID,
            sa.ForeignKey("bulk_change.id", name="fk_bulk_part_change_id_bulk_change", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("leads", sa.JSON(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bulk_part"),
        sa.Index("ix_bulk_part_workspace_id", "workspace_id"),
        sa.Index("ix_bulk_part_change_id", "change_id"),
        sqlite_autoincrement=True,
    )
