"""texts older than the profile: a play knows what it was written from; corrections no longer rewrite what is there."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
NOT_DONE = "Your profile is saved, but some texts could not be written again. Save it once more."
FIELDS = ("name", "pitch", "topic", "kind", "change", "proof", "tone", "language")
COLUMNS = ("written_from", "anew", "former")


def upgrade() -> None:
    """Move the schema forward: texts rest on the profile, or on the one before a correction that was not followed."""
    for column in COLUMNS:
        op.add_column("play", sa.Column(column, sa.JSON(), nullable=True))
    _note_what_texts_rest_on(op.get_bind())
    job, setup = sa.table("job", sa.column("kind")), sa.table("autopilot_setup", sa.column("error"))
    op.execute(sa.delete(job).where(job.c.kind == "autopilot_follow"))
    op.execute(sa.update(setup).where(setup.c.error == NOT_DONE).values(error=None))
    op.drop_table("corrected_play")
    op.drop_table("profile_correction")
    op.drop_column("autopilot_setup", "targets_written")


def _note_what_texts_rest_on(connection: sa.Connection) -> None:
    former: dict[int, Any] = {}
    row, made = _table("corrected_play", "correction_id", "error"), _table("profile_correction", "id", "is_open")
    failed = sa.exists().where(row.c.correction_id == made.c.id, row.c.error != "")
    open_ones = sa.select(made.c.workspace_id, made.c.before).where(sa.or_(made.c.is_open, failed))
    for workspace_id, before in connection.execute(open_ones.order_by(made.c.id)):
        former.setdefault(workspace_id, before["profile"])
    setup, play = _table("autopilot_setup"), _table("play")
    for workspace_id, profile in connection.execute(sa.select(setup.c.workspace_id, setup.c.profile)).all():
        if rests_on := former.get(workspace_id, profile):
            theirs = sa.update(play).where(play.c.workspace_id == workspace_id)
            connection.execute(theirs.values(written_from=_message_fields(rests_on)))


def _table(name: str, *columns: str) -> sa.TableClause:
    json = (sa.column(one, sa.JSON()) for one in ("profile", "before", "written_from"))
    return sa.table(name, sa.column("workspace_id"), *json, *map(sa.column, columns))


def _message_fields(profile: dict[str, Any]) -> dict[str, Any]:
    quotable = sorted(fact["quote"] for fact in profile.get("facts") or () if fact.get("quotable"))
    return {name: profile.get(name) or "" for name in FIELDS} | {"quotable": quotable}


def downgrade() -> None:
    """Move the schema back."""
    op.add_column("autopilot_setup", sa.Column("targets_written", sa.JSON(), nullable=True))
    for column in COLUMNS:
        op.drop_column("play", column)
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


def _key(table: str, column: str, of: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{of}.id"], name=op.f(f"fk_{table}_{column}_{of}"), ondelete=ondelete)
