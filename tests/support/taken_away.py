"""A table that is not there for a while, as in a database that another program works on."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from app.core.db import session, transaction


@contextmanager
def without_table(name: str) -> Iterator[None]:
    """The table has another name until the block ends."""
    _rename(name, f"{name}_away")
    try:
        yield
    finally:
        session().rollback()
        _rename(f"{name}_away", name)


def _rename(name: str, other: str) -> None:
    with transaction() as current:
        current.execute(sa.text(f"ALTER TABLE {name} RENAME TO {other}"))
