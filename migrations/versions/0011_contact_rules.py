"""contact rules.

What people answered so far is read from their conversations, and the company stop is switched on where a campaign can
still contact anyone.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_WROTE = (
    "FROM message JOIN conversation ON conversation.id = message.conversation_id"
    " WHERE conversation.person_id = person.id AND message.direction = 'in' AND message.automatic = false"
)
_REPLIED = (
    f"UPDATE person SET replied_at = (SELECT max(message.at) {_WROTE}) WHERE id IN (SELECT person_id FROM conversation)"
)
_ANSWERED = (
    "UPDATE person SET answer = (SELECT conversation.sentiment FROM conversation"
    " WHERE conversation.person_id = person.id AND conversation.sentiment <> ''"
    " ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT 1)"
    " WHERE id IN (SELECT person_id FROM conversation WHERE sentiment <> '')"
)


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "company_hold",
        sa.Column("workspace_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("company_domain", sa.Text(), nullable=False),
        sa.Column("company_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("conversation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("opt_out", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_company_hold_conversation_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_company_hold_person_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_company_hold_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_hold")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("company_hold", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_company_hold_conversation_id"), ["conversation_id"], unique=False)
        batch_op.create_index(
            "ix_company_hold_open",
            ["workspace_id"],
            unique=False,
            sqlite_where=sa.text("decision = ''"),
            postgresql_where=sa.text("decision = ''"),
        )
        batch_op.create_index(batch_op.f("ix_company_hold_person_id"), ["person_id"], unique=False)
        batch_op.create_index("ix_company_hold_workspace_id_at", ["workspace_id", "at"], unique=False)

    op.create_table(
        "contact_proof",
        sa.Column("workspace_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("action_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("asked", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["action_id"], ["action.id"], name=op.f("fk_contact_proof_action_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_contact_proof_person_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_contact_proof_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contact_proof")),
        sa.UniqueConstraint("person_id", "number", name=op.f("uq_contact_proof_person_id_number")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("contact_proof", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_contact_proof_action_id"), ["action_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_contact_proof_workspace_id"), ["workspace_id"], unique=False)

    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("contact_rules", sa.JSON(none_as_null=True), nullable=True))

    with op.batch_alter_table("campaign_lead", schema=None) as batch_op:
        batch_op.add_column(sa.Column("let_in", sa.JSON(none_as_null=True), nullable=True))

    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.add_column(sa.Column("answer", sa.Text(), server_default=sa.text("('')"), nullable=False))
        batch_op.add_column(sa.Column("replied_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("come_back_at", sa.DateTime(timezone=True), nullable=True))

    with op.batch_alter_table("workspace", schema=None) as batch_op:
        batch_op.add_column(sa.Column("contact_rules", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("contact_caps", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("opt_out_holds_company", sa.Boolean(), server_default=sa.false(), nullable=False))

    op.execute(_REPLIED)
    op.execute(_ANSWERED)
    op.execute(
        "UPDATE campaign SET stop_company_on_reply = true WHERE status NOT IN ('finished', 'canceled', 'failed')"
    )


def downgrade() -> None:
    """Move the schema back."""
    with op.batch_alter_table("workspace", schema=None) as batch_op:
        batch_op.drop_column("opt_out_holds_company")
        batch_op.drop_column("contact_caps")
        batch_op.drop_column("contact_rules")

    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.drop_column("come_back_at")
        batch_op.drop_column("replied_at")
        batch_op.drop_column("answer")

    with op.batch_alter_table("campaign_lead", schema=None) as batch_op:
        batch_op.drop_column("let_in")

    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("contact_rules")

    with op.batch_alter_table("contact_proof", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_contact_proof_workspace_id"))
        batch_op.drop_index(batch_op.f("ix_contact_proof_action_id"))

    op.drop_table("contact_proof")
    with op.batch_alter_table("company_hold", schema=None) as batch_op:
        batch_op.drop_index("ix_company_hold_workspace_id_at")
        batch_op.drop_index(batch_op.f("ix_company_hold_person_id"))
        batch_op.drop_index(
            "ix_company_hold_open", sqlite_where=sa.text("decision = ''"), postgresql_where=sa.text("decision = ''")
        )
        batch_op.drop_index(batch_op.f("ix_company_hold_conversation_id"))

    op.drop_table("company_hold")
