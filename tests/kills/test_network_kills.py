"""`kill -9` and suspends of campaigns over a real network, between what they do and hearing of it."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.rules.limits import INVITES_PER_WEEK_CAP
from tests.kills.late_network import MESSAGES, LateOrdeal
from tests.kills.network import NetworkOrdeal
from tests.support.size import sized

pytestmark = pytest.mark.postgres


@pytest.fixture
def ordeal(url: str, tmp_path: Path, chance: random.Random) -> Iterator[NetworkOrdeal]:
    """The network, and a database."""
    made = NetworkOrdeal(url, tmp_path, chance)
    yield made
    made.stop()


def test_a_killed_worker_contacts_no_one_twice_on_a_real_network(ordeal: NetworkOrdeal) -> None:
    """By the network's own log nothing is done twice; nothing is lost, and everything is settled."""
    kills = sized(20)
    ordeal.begin(people=kills)
    died = ordeal.run(kills, days=max(1.0, kills / 20))
    verdict = ordeal.verdict()
    sys.stdout.write(f"killed {kills} times, after {dict(died)}; {len(verdict.log)} actions, {verdict.sent}\n")
    verdict.hold()
    assert died["action"] > 0


@pytest.fixture
def late(url: str, tmp_path: Path, chance: random.Random) -> Iterator[LateOrdeal]:
    """A network that does things up to half an hour late, and a database."""
    made = LateOrdeal(url, tmp_path, chance, senders=max(2, sized(20) // 50))
    yield made
    made.stop()


def test_a_suspended_worker_repeats_nothing_that_was_done_late(late: LateOrdeal) -> None:
    """It wakes beside the one that took over; the network did some of it after everyone had stopped to wait."""
    kills = sized(20)
    people = 2 * kills
    late.begin(people)
    each = people / late.senders  # with an even number of senders every other one has all the invitations
    ends = late.run(kills, days=4 + max(2 * each / MESSAGES, 7 * each / INVITES_PER_WEEK_CAP))
    books = late.books()
    sys.stdout.write(f"{dict(ends)}; {books}\n")
    books.hold()
    assert min(ends["killed after action"], ends["slept after action"]) > 0
