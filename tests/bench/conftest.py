"""What measurements share: how large they are, the report, and a stock of people to work on."""

from collections.abc import Iterator

import pytest

from tests.bench.measure import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick` shows within a minute or two that every measurement runs; its figures mean little."""
    parser.addoption("--quick", action="store_true", help="measure with small sizes")
    parser.addoption("--day", type=float, default=0.1, help="the part of the whole size that the day of T13 has")


@pytest.fixture(scope="session")
def quick(pytestconfig: pytest.Config) -> bool:
    """Whether only small sizes are asked for."""
    return bool(pytestconfig.getoption("--quick"))


@pytest.fixture(scope="session")
def rounds(quick: bool) -> int:
    """How often each way takes its turn."""
    return 2 if quick else 5


@pytest.fixture(scope="session")
def report(quick: bool) -> Iterator[Report]:
    """Collects the rows; at the end it says what was not reached."""
    made = Report(quick)
    yield made
    verdict = "Not reached: " + "; ".join(made.unmet) if made.unmet else "Every target was met."
    made.say(f"\n{verdict}{' (Small sizes: no verdict on speed.)' if quick else ''}")
