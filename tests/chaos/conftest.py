"""How hard the disturbances are."""

import random
import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kills` and `--seed`; the seed of a run is printed, and repeats it as far as chance is ours."""
    parser.addoption("--kills", type=int, default=50, help="how often the process is killed")
    parser.addoption("--seed", type=int, default=None, help="the seed of a former run")


@pytest.fixture
def kills(pytestconfig: pytest.Config) -> int:
    """How often the process is killed."""
    return int(pytestconfig.getoption("--kills"))


@pytest.fixture
def chance(pytestconfig: pytest.Config) -> random.Random:
    """Where chance comes from; its seed is printed."""
    seed = pytestconfig.getoption("--seed")
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    sys.stdout.write(f"\nseed {seed}\n")
    return random.Random(seed)
