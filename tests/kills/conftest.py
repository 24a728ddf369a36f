"""A database for processes of the test's own, and chance that can be repeated: `SEED=7 pytest tests/kills`."""

import os
import random
import sys
from collections.abc import Iterator

import pytest

from tests.databases import fresh


@pytest.fixture
def url(database_kind: str) -> Iterator[str]:
    """The URL of a migrated database of this test alone."""
    database = fresh(database_kind)
    yield database.url
    database.drop()


@pytest.fixture
def chance() -> random.Random:
    """Where chance comes from; its seed is printed, and repeats a run as far as chance is ours."""
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**6))
    sys.stdout.write(f"\nSEED={seed}\n")
    return random.Random(seed)
