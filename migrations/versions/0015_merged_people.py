"""merged people.

People have the name that suggestions compare, beside their company, in the indexes that know the companies.
"""

import re
import unicodedata
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COMPANIES = ("company_domain", "company_key")
BATCH = 5000
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def upgrade() -> None:
    """Move the schema forward."""
    cascade: dict[str, Any] = {"ondelete": "CASCADE"}
    op.create_table(
        "person_merge",
        sa.Column("person_id", ID, autoincrement=False, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.Column("into_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["into_id"], ["person.id"], name="fk_person_merge_into_id", **cascade),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_person_merge_person_id", **cascade),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_person_merge_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("person_id", name="pk_person_merge"),
    )
    op.create_index("ix_person_merge_into_id", "person_merge", ["into_id"])
    op.create_index("ix_person_merge_workspace_id", "person_merge", ["workspace_id"])
    op.create_table(
        "not_same_person",
        sa.Column("person_id", ID, autoincrement=False, nullable=False),
        sa.Column("other_id", ID, autoincrement=False, nullable=False),
        sa.Column("workspace_id", ID, nullable=False),
        sa.ForeignKeyConstraint(["other_id"], ["person.id"], name="fk_not_same_person_other_id", **cascade),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_not_same_person_person_id", **cascade),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspace.id"], name="fk_not_same_person_workspace_id", **cascade),
        sa.PrimaryKeyConstraint("person_id", "other_id", name="pk_not_same_person"),
    )
    op.create_index("ix_not_same_person_other_id", "not_same_person", ["other_id"])
    op.create_index("ix_not_same_person_workspace_id", "not_same_person", ["workspace_id"])
    for column in COMPANIES:
        op.drop_index(f"ix_person_{column}", "person")
    op.add_column("person", sa.Column("name_key", sa.Text(), server_default=sa.text("''"), nullable=False))
    _name(op.get_bind())
    _index_companies("name_key")


def _index_companies(*more: str) -> None:
    for column in COMPANIES:
        known: dict[str, Any] = {f"{name}_where": sa.text(f"{column} <> ''") for name in ("sqlite", "postgresql")}
        op.create_index(f"ix_person_{column}", "person", ["workspace_id", column, *more], **known)


def _name(connection: sa.Connection) -> None:
    """Write the names as they are compared, batch by batch."""
    person = sa.table("person", sa.column("id"), *(sa.column(n) for n in ("first_name", "last_name", "name_key")))
    query = sa.select(person.c.id, person.c.first_name, person.c.last_name).order_by(person.c.id).limit(BATCH)
    written = sa.update(person).where(person.c.id == sa.bindparam("of")).values(name_key=sa.bindparam("key"))
    after = 0
    while rows := connection.execute(query.where(person.c.id > after)).all():
        after = rows[-1].id
        keys = [{"of": row.id, "key": key} for row in rows if (key := _key(f"{row.first_name} {row.last_name}"))]
        if keys:
            connection.execute(written, keys)


def _key(name: str) -> str:
    spread = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(sign for sign in spread if not unicodedata.combining(sign))
    words = {word[:40] for word in _WORD.findall(plain)}
    return " ".join(sorted(words)) if len(words) > 1 else ""


def downgrade() -> None:
    """Move the schema back."""
    for column in COMPANIES:
        op.drop_index(f"ix_person_{column}", "person")
    op.drop_column("person", "name_key")
    _index_companies()
    op.drop_table("not_same_person")
    op.drop_table("person_merge")
