"""Shown ids: what others see tells nothing about how many rows there are; the database goes on counting them."""

import copy
import json
import pickle
import re
from itertools import pairwise

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
    shown = [IDS["lead"].show(number) for number in NUMBERS]
    assert len(set(shown)) == len(NUMBERS)
    assert {len(str(one)) for one in shown} == {13}
    assert [IDS["lead"].count(int(one)) for one in shown] == NUMBERS


def test_neighbours_are_as_far_apart_as_chance_would_have_it() -> None:
    """Neither the distance of two ids nor which is larger says what lies between them."""
    shown = [int(IDS["lead"].show(number)) for number in range(4, 4004)]
    steps = [two - one for one, two in pairwise(shown)]
    assert min(map(abs, steps)) > 1000
    assert 0.45 < sum(step > 0 for step in steps) / len(steps) < 0.55
    assert 0.3 < sum(abs(step) > FIRST / 3 for step in steps) / len(steps) < 0.6  # 4 of 9 by chance


def test_no_table_and_no_installation_has_the_ids_of_another() -> None:
    """Who makes many things of one kind knows nothing of another kind's."""
    others = (IDS["person"].show(9), ShownIds(b"the key of other", {})["lead"].show(9))
    assert IDS["lead"].show(9) not in others


def test_rows_from_before_the_key_keep_their_ids() -> None:
    assert [IDS["lead"].show(number) for number in (1, 2, 3)] == [1, 2, 3]
    assert [IDS["lead"].count(number) for number in (1, 2, 3)] == [1, 2, 3]


@pytest.mark.parametrize("shown", [4, 1000, FIRST - 1, int(ShownIds(b"a key of a test!", {})["lead"].show(2))])
def test_an_id_that_no_row_has_is_the_number_of_none(shown: int) -> None:
    """Also the one that an old row would have had; and it comes back as it was."""
    assert IDS["lead"].count(shown) < 0
    assert IDS["lead"].show(IDS["lead"].count(shown)) == shown


def test_places_before_and_behind_all_rows_stay() -> None:
    for place in (0, 2**63 - 1):
        assert IDS["lead"].count(place) == IDS["lead"].show(place) == place


def test_there_are_no_more_rows_than_ids() -> None:
    with pytest.raises(OverflowError, match="lead"):
        IDS["lead"].show(FIRST)


def test_ids_sort_by_the_age_of_their_rows_and_are_dealt_out_in_turn() -> None:
    """As in the database, where the same is asked of the numbers."""
    shown = [IDS["lead"].show(number) for number in range(1, 101)]
    assert sorted(shown, key=str) != shown
    assert sorted(sorted(shown, key=str)) == shown
    assert (min(shown), max(shown)) == (shown[0], shown[-1])
    assert [one % 3 for one in shown] == [number % 3 for number in range(1, 101)]
    assert shown[5] < int(shown[9]) <= shown[9]
    assert int(shown[9]) > shown[5] >= int(shown[5])


def test_elsewhere_an_id_is_a_number_like_any() -> None:
    """In another process, in JSON and in texts."""
    shown = IDS["lead"].show(77)
    assert type(pickle.loads(pickle.dumps(shown))) is int
    assert pickle.loads(pickle.dumps(shown)) == copy.deepcopy(shown) == json.loads(json.dumps(shown)) == shown
    assert f"{shown}" == str(int(shown))
    assert {shown: 1}[int(shown)] == 1


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


pytestmark = pytest.mark.postgres


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
    """As one that is not migrated yet."""
    engine = sa.create_engine("sqlite://")
    table = sa.Table("thing", sa.MetaData(), sa.Column("id", Id("thing"), primary_key=True))
    with engine.begin() as connection:
        table.create(connection)
        made = connection.execute(sa.insert(table)).inserted_primary_key
        assert made is not None
        assert made[0] == 1
        assert connection.scalar(sa.select(table.c.id).where(table.c.id == 1)) == 1
    assert shown_ids.count(engine.dialect, "thing", 7) == 7
