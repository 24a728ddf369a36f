"""Former ids: the rows named in links, codes and addresses given away before version 0.2.0, when ids had 13 digits.

Unsubscribe links never expire, so former ids are kept. A new installation has none.
"""

import sqlalchemy as sa

from app.core.db import session
from app.models.platform.installation import FormerId

NUMBERS = range(2**40, 2**41)


def row_id(kind: str, number: int) -> int:
    """Return the id of the row of that table that a link names."""
    former = session().get(FormerId, (kind, number)) if number in NUMBERS else None
    return former.row_id if former else number


def names_of(kind: str, row_id: int) -> list[int]:
    """Return the id of a row, and the former one if it had one."""
    former = sa.select(FormerId.number).where(FormerId.kind == kind, FormerId.row_id == row_id)
    return [row_id, *session().scalars(former)]
