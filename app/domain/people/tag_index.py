"""The index of tags: people are found by a tag in any case, however many there are."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa

from app.core import text
from app.core.db import change_rows, execute_many, in_list
from app.core.paging import few_or_each
from app.models.people import PersonTag

_TABLE = cast(sa.Table, PersonTag.__table__)


def has(workspace_id: int, tag: str, person_id: Any) -> sa.ColumnElement[bool]:
    """Return the condition for a page of rows that the person of a row has the tag."""
    tagged = (PersonTag.workspace_id == workspace_id, PersonTag.tag == _folded(tag))
    theirs = sa.exists().where(*tagged, PersonTag.person_id == person_id)
    return few_or_each(sa.select(PersonTag.person_id).where(*tagged), person_id, theirs)


def index(workspace_id: int, tags: Mapping[int, Sequence[str]], *, fresh: bool = False) -> None:
    """Index all tags of these people; `fresh` people have none in the index. Inside a transaction."""
    if not tags:
        return
    if not fresh:
        change_rows(sa.delete(PersonTag).where(in_list(PersonTag.person_id, sorted(tags))))
    rows = [
        {"workspace_id": workspace_id, "tag": tag, "person_id": person_id}
        for person_id, theirs in tags.items()
        for tag in sorted({_folded(one) for one in theirs})
    ]
    execute_many(sa.insert(_TABLE), rows)


def _folded(tag: str) -> str:
    return text.squeeze(tag).casefold()
