"""what was taken out: learning from edits, chained proofs of contact, measured models, remembered columns."""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
SPEEDS, PRICES = ("warm_up", "reads", "writes"), ("price_in", "price_out")
# What the gate saw before a contact stands in the ledger's row; of several tries the last one counts.
KEEP_ASKED = """
UPDATE action SET asked = (
    SELECT proof.asked FROM contact_proof proof WHERE proof.action_id = action.id ORDER BY proof.number DESC LIMIT 1
) WHERE id IN (SELECT action_id FROM contact_proof WHERE action_id IS NOT NULL)
"""
# One model is set up here. What was set up beside it, or switched off, goes with its key.
FORGET_OTHERS = "DELETE FROM model_choice WHERE NOT active AND sealed IS NOT NULL"
# Jobs that no one does any more.
DROP_JOBS = "DELETE FROM job WHERE kind IN ('learnt_rule', 'model_measure')"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("action", sa.Column("asked", sa.JSON(), nullable=True))
    op.execute(KEEP_ASKED)
    for table in ("contact_proof", "ranking_change", "learnt_rule", "column_choice"):
        op.drop_table(table)
    with op.batch_alter_table("approval", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_approval_edited_by_user_account"), type_="foreignkey")
        batch_op.drop_column("edited_by")
        batch_op.drop_column("wishes")
    op.drop_index("ix_autopilot_setup_ranked_at", "autopilot_setup")
    for column in ("former_votes", "ranked_at", "learnt_due_at"):
        op.drop_column("autopilot_setup", column)
    op.execute(FORGET_OTHERS)
    op.execute(DROP_JOBS)
    op.add_column("model_choice", sa.Column("testing_at", MOMENT, nullable=True))
    for column in ("own", "measuring_at", "measured_at", *SPEEDS, *PRICES):
        op.drop_column("model_choice", column)
    op.add_column("model_use", sa.Column("all_tokens", ID, server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("model_use", "all_tokens")
    op.drop_column("model_choice", "testing_at")
    op.add_column("model_choice", sa.Column("own", sa.Boolean(), server_default=sa.false(), nullable=False))
    for column in ("measuring_at", "measured_at"):
        op.add_column("model_choice", sa.Column(column, MOMENT, nullable=True))
    for column in SPEEDS:
        op.add_column("model_choice", sa.Column(column, sa.Double(), nullable=True))
    for column in PRICES:
        op.add_column("model_choice", sa.Column(column, ID, nullable=True))
    op.add_column("autopilot_setup", sa.Column("former_votes", sa.JSON(), nullable=True))
    for column in ("ranked_at", "learnt_due_at"):
        op.add_column("autopilot_setup", sa.Column(column, MOMENT, nullable=True))
    when = sa.text("ranked_at IS NOT NULL")
    op.create_index(
        "ix_autopilot_setup_ranked_at", "autopilot_setup", ["ranked_at"], sqlite_where=when, postgresql_where=when
    )
    with op.batch_alter_table("approval", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("edited_by", ID, nullable=True))
        batch_op.add_column(sa.Column("wishes", sa.JSON(), nullable=True))
        batch_op.create_foreign_key(
            batch_op.f("fk_approval_edited_by_user_account"), "user_account", ["edited_by"], ["id"], ondelete="SET NULL"
        )
    _create_learning()
    _create("column_choice", _text("shape"), _json("choices"), _moment("chosen_at"), unique=("workspace_id", "shape"))
    _create(
        "contact_proof",
        sa.Column("person_id", ID, nullable=False),
        _number("number"),
        sa.Column("action_id", ID, nullable=True),
        _moment("at"),
        sa.Column("asked", sa.JSON(), nullable=True),
        *(_text("digest"), _text("mark")),
        sa.ForeignKeyConstraint(["action_id"], ["action.id"], name="fk_contact_proof_action_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_contact_proof_person_id", ondelete="CASCADE"),
        unique=("person_id", "number"),
    )
    for column in ("action_id", "workspace_id"):
        op.create_index(f"ix_contact_proof_{column}", "contact_proof", [column])
    op.drop_column("action", "asked")


def _create_learning() -> None:
    _create(
        "learnt_rule",
        *(_text("kind"), _json("detail"), _text("words"), _text("status"), _json("drafts")),
        *(_number("edits"), _number("rewritten"), _moment("proposed_at")),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.Column("decided_by", ID, nullable=True),
        sa.ForeignKeyConstraint(
            ["decided_by"], ["user_account.id"], name="fk_learnt_rule_decided_by_user_account", ondelete="SET NULL"
        ),
        unique=("workspace_id", "words"),
    )
    numbers = ("place_before", "place_after", "people", "replies", "positive", "negative", "good", "bad")
    _create(
        "ranking_change",
        _text("angle"),
        *(_number(name) for name in numbers),
        _moment("at"),
        sa.Column("undone_at", MOMENT, nullable=True),
    )
    op.create_index("ix_ranking_change_workspace_id_angle", "ranking_change", ["workspace_id", "angle", "id"])


def _create(table: str, *columns: sa.schema.SchemaItem, unique: tuple[str, ...] = ()) -> None:
    """Create a table whose rows belong to a workspace."""
    op.create_table(
        table,
        sa.Column("id", ID, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        *columns,
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=f"fk_{table}_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        *([sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}")] if unique else []),
        sqlite_autoincrement=True,
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.JSON(), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, ID, nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, MOMENT, nullable=False)
