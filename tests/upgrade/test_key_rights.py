"""A key speaks for a member: those of members who have left go on for the workspace's first owner."""

import sqlalchemy as sa

from app.core import migrations
from tests.upgrade.test_people import AT, Filling

BEFORE, AFTER = "0047", "0048"


def test_keys_of_former_members_belong_to_the_first_owner(empty: str) -> None:
    migrations.upgrade(empty, BEFORE)
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    with engine.begin() as connection:
        add = Filling(connection).add
        acme, rival = (add("workspace", name=name, created_at=AT) for name in ("Acme", "Rival"))
        ada, bo, cy, rob = (add("user_account", email=f"{name}@x.example", created_at=AT) for name in "abcd")
        for workspace, user, role in ((rival, rob, "owner"), (acme, bo, "integrator"), (acme, ada, "owner")):
            add("membership", workspace_id=workspace, user_id=user, role=role, created_at=AT)
        makers = {"of a member": bo, "of one who left": cy, "of an owner elsewhere": rob, "of the server": None}
        for name, maker in makers.items():
            made = {"name": name, "lookup": name, "digest": b"", "scopes": ["all"], "created_at": AT}
            add("api_key", workspace_id=acme, created_by=maker, **made)
    migrations.upgrade(empty, AFTER)
    with engine.connect() as connection:
        now = dict(map(tuple, connection.execute(sa.text("SELECT name, created_by FROM api_key"))))
    assert now == {"of a member": bo, "of one who left": ada, "of an owner elsewhere": ada, "of the server": None}
