"""Kills and suspends over a network that does things up to half an hour late: nothing twice, nothing lost."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.rules.limits import INVITES_PER_WEEK_CAP
from tests.kills.late_network import MESSAGES, LateOrdeal


@pytest.fixture
def ordeal(url: str, tmp_path: Path, chance: random.Random, kills: int) -> Iterator[LateOrdeal]:
    """The network, and a database."""
    made = LateOrdeal(url, tmp_path, chance, senders=max(2, kills // 50))
    yield made
    made.stop()


def test_a_network_that_does_it_late_contacts_no_one_twice(ordeal: LateOrdeal, kills: int) -> None:
    """Two steps and a half for each person, twenty for each kill: 1,000 of them are 20,000 steps."""
    people = max(40, 8 * kills)
    ordeal.begin(people)
    each = people / ordeal.senders  # with an even number of senders every other one has all the invitations
    ends = ordeal.run(kills, days=4 + max(2 * each / MESSAGES, 7 * each / INVITES_PER_WEEK_CAP))
    books = ordeal.books()
    sys.stdout.write(f"{dict(ends)}; {books}\n")
    books.hold()
    assert min(ends["killed after action"], ends["slept after action"]) > 0
