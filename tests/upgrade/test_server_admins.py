"""The first user was server admin by the place of their row; after the migration they are it by name."""

import sqlalchemy as sa

from app.core import migrations
from tests.upgrade.test_people import AT, Filling

BEFORE, AFTER = "0058", "0059"


def test_the_first_user_stays_the_only_server_admin(empty: str) -> None:
    migrations.upgrade(empty, BEFORE)
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for name in ("ada", "rob"):
            Filling(connection).add("user_account", email=f"{name}@x.example", created_at=AT)
    migrations.upgrade(empty, AFTER)
    with engine.connect() as connection:
        query = sa.text("SELECT email, server_admin, email_confirmed_at FROM user_account ORDER BY id")
        now = [tuple(row) for row in connection.execute(query)]
    assert now == [("ada@x.example", True, None), ("rob@x.example", False, None)]
