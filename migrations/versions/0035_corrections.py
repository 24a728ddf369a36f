"""corrections of the profile: what they change, and what the autopilot wrote before anyone edited it."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def _key(table: str, column: str, of: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{of}.id"], name=op.f(f"fk_{table}_{column}_{of}"), ondelete=ondelete)


def upgrade() -> None:
    """Move the schema forward."""
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.add_column(sa.Column("targets_written", sa.JSON(), nullable=True))
    with op.batch_alter_table("play", schema=None) as batch_op:
        batch_op.add_column(sa.Column("written", sa.JSON(), nullable=True))
    op.create_table(
        "profile_correction",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("number", ID, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("undoes", ID, nullable=True),
        sa.Column("undone_by", ID, nullable=True),
        _key("profile_correction", "workspace_id", "workspace"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_correction")),
        sa.UniqueConstraint("workspace_id", "number", name=op.f("uq_profile_correction_workspace_id_number")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "corrected_play",
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("correction_id", ID, nullable=False),
        sa.Column("play_id", ID, nullable=False),
        sa.Column("campaign_id", ID, nullable=True),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("revision", ID, nullable=True),
        sa.Column("texts", ID, nullable=False),
        sa.Column("drafts", ID, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        _key("corrected_play", "workspace_id", "workspace"),
        _key("corrected_play", "correction_id", "profile_correction"),
        _key("corrected_play", "play_id", "play"),
        _key("corrected_play", "campaign_id", "campaign", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_corrected_play")),
        sa.UniqueConstraint("correction_id", "play_id", name=op.f("uq_corrected_play_correction_id_play_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("corrected_play", schema=None) as batch_op:
        for column in ("workspace_id", "play_id", "campaign_id"):
            batch_op.create_index(batch_op.f(f"ix_corrected_play_{column}"), [column], unique=False)


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("corrected_play")
    op.drop_table("profile_correction")
    with op.batch_alter_table("play", schema=None) as batch_op:
        batch_op.drop_column("written")
    with op.batch_alter_table("autopilot_setup", schema=None) as batch_op:
        batch_op.drop_column("targets_written")
