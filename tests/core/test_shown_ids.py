"""Shown ids: what others see tells nothing about how many rows there are; the database goes on counting them."""

import re

import pytest
import sqlalchemy as sa

import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import shown_ids
from app.core.db import Base, counted, fetch, in_list, in_order, session, transaction
from app.core.shown_ids import FIRST, Id, ShownIds
from app.models.leads import LeadList
from app.models.workspaces import Workspace

IDS = ShownIds(b"a key of a test!", {"lead": 3})
NUMBERS = [*range(4, 2000), 2**20 - 1, 2**20, 2**30 + 7, FIRST - 1]
# Whole numbers whose names are those of ids: of rows of several tables, or of other systems.
OF_NO_ONE_TABLE = {"copied_row.source_id", "copied_row.copy_id"}


def test_each_row_has_an_id_of_its_own_that_leads_back_to_it() -> None:
    """Another table and installation has others; rows from before the key keep theirs; a foreign id is no row's."""
    shown = [IDS["lead"].show(number) for number in NUMBERS]
    assert len(set(shown)) == len(NUMBERS)
    assert {len(str(one)) for one in shown} == {13}
    assert [IDS["lead"].count(int(one)) for one in shown] == NUMBERS
    others = (IDS["person"].show(9), ShownIds(b"the key of other", {})["lead"].show(9))
    assert IDS["lead"].show(9) not in others
    assert [IDS["lead"].show(number) for number in (1, 2, 3)] == [1, 2, 3]
    assert [IDS["lead"].count(number) for number in (1, 2, 3)] == [1, 2, 3]
    for foreign in (4, 1000, FIRST - 1, int(ShownIds(b"a key of a test!", {})["lead"].show(2))):
        assert IDS["lead"].count(foreign) < 0
        assert IDS["lead"].show(IDS["lead"].count(foreign)) == foreign


def test_every_column_that_names_a_row_shows_shown_ids() -> None:
    """Otherwise it would be compared with the numbers of the database, and never fit."""
    numbers = {
        str(column)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, sa.Integer) and re.search(r"(^|_)id$", column.name)
    }
    assert numbers == OF_NO_ONE_TABLE
    for table in Base.metadata.sorted_tables:
        for key in table.foreign_keys:
            if isinstance(key.column.type, Id):
                assert key.parent.type.table == key.column.table.name  # type: ignore[attr-defined]


@pytest.fixture
def lists(acme: Workspace) -> list[LeadList]:
    """Twelve lists, in the order in which they were made."""
    with transaction() as current:
        made = [LeadList(workspace_id=acme.id, name=f"List {n}", created_at=acme.created_at) for n in range(12)]
        for one in made:
            current.add(one)
            current.flush()
    return made


def test_the_database_counts_and_shows_other_ids(acme: Workspace, lists: list[LeadList]) -> None:
    numbers = fetch(sa.text("SELECT id FROM lead_list ORDER BY id"))
    assert [row.id for row in numbers] == [counted(LeadList.id, one.id) for one in lists] == [*range(1, 13)]
    assert min(int(one.id) for one in lists) >= FIRST
    assert [row.id for row in fetch(sa.select(LeadList.id).order_by(LeadList.id))] == [one.id for one in lists]


def test_every_way_into_a_query_takes_shown_ids(acme: Workspace, lists: list[LeadList]) -> None:
    ids = [one.id for one in lists]
    value, place = in_order(LeadList.id, [ids[7], ids[2]])
    for query in (
        sa.select(LeadList.id).where(LeadList.id == ids[2]),
        sa.select(LeadList.id).where(LeadList.id.in_([ids[2]])),
        sa.select(LeadList.id).where(in_list(LeadList.id, [int(ids[2])])),
        sa.select(LeadList.id).where(LeadList.id > ids[1], LeadList.id < ids[3]),
        sa.select(sa.func.max(LeadList.id)).where(LeadList.id < ids[3]),
        sa.select(value).order_by(place.desc()).limit(1),
    ):
        assert session().scalars(query).all() == [ids[2]]
    with transaction() as current:
        change = sa.update(LeadList).where(LeadList.id == ids[2]).values(name="Changed").returning(LeadList.id)
        assert current.scalars(change).all() == [ids[2]]
    assert session().get_one(LeadList, int(ids[2]), populate_existing=True).name == "Changed"


def test_a_database_without_a_key_has_plain_ids() -> None:
    engine = sa.create_engine("sqlite://")
    table = sa.Table("thing", sa.MetaData(), sa.Column("id", Id("thing"), primary_key=True))
    with engine.begin() as connection:
        table.create(connection)
        made = connection.execute(sa.insert(table)).inserted_primary_key
        assert made[0] == 1
        assert connection.scalar(sa.select(table.c.id).where(table.c.id == 1)) == 1
    assert shown_ids.count(engine.dialect, "thing", 7) == 7
