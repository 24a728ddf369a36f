"""companies lists: their companies, and the searches for people of these."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "listed_company",
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("list_id", ID, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("name", "domain", "name_key")),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["lead_list.id"], name="fk_listed_company_list_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name="fk_listed_company_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_listed_company"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_listed_company_workspace_id", "listed_company", ["workspace_id"])
    op.create_index("ix_listed_company_list_id_id", "listed_company", ["list_id", "id"])
    op.create_index("ix_listed_company_name_key", "listed_company", ["list_id", "name_key"])
    named = sa.text("domain <> ''")
    op.create_index(
        "ix_listed_company_domain",
        "listed_company",
        ["list_id", "domain"],
        unique=True,
        sqlite_where=named,
        postgresql_where=named,
    )
    with op.batch_alter_table("search_import", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.add_column(sa.Column("company_id", ID, nullable=True))
        batch.create_foreign_key(
            "fk_search_import_company_id", "listed_company", ["company_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index("ix_search_import_company_id", "search_import", ["company_id"])
    # A list of companies could hold people so far.
    op.execute(
        "UPDATE lead_list SET type = 'people' WHERE type = 'companies' AND"
        " (EXISTS (SELECT 1 FROM lead WHERE lead.list_id = lead_list.id)"
        " OR EXISTS (SELECT 1 FROM campaign WHERE campaign.list_id = lead_list.id))"
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_index("ix_search_import_company_id", "search_import")
    with op.batch_alter_table("search_import", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint("fk_search_import_company_id", type_="foreignkey")
        batch.drop_column("company_id")
    op.execute("UPDATE lead_list SET lead_count = 0 WHERE type = 'companies'")
    op.drop_table("listed_company")
