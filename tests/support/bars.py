"""The bars of the interface, U1 to U16: tests say their figures, and the run ends with one table of them."""

import re
from collections.abc import Collection, Iterator

import pytest

from tests.bench.measure import Target

PROPERTY = "bar"
TIMED = ("U1", "U2", "U4", "U5", "U13", "U15")


class Bar:
    """Says figures: `bar("U3", "findings of axe", found, most=0)`."""

    def __init__(self, test: pytest.Item) -> None:
        self._test = test

    def __call__(
        self,
        name: str,
        what: str,
        figure: float | Collection[object],
        *,
        least: float | None = None,
        most: float | None = None,
    ) -> None:
        """The figure, or how much was found, is shown at the end of the run; beyond its bound the test fails."""
        number = len(figure) if isinstance(figure, Collection) else figure
        self._test.user_properties.append((PROPERTY, (name, what, number, least, most)))
        target = Target(what, number, least, most)
        assert target.met, figure if isinstance(figure, Collection) else str(target)


@pytest.fixture
def bar(request: pytest.FixtureRequest) -> Bar:
    """Says the figures of this test."""
    return Bar(request.node)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Every figure that was said, bar by bar: of one said on two databases the worse."""
    said: dict[tuple[str, str], Target] = {}
    for name, target in _said(terminalreporter):
        known = said.get((name, target.what))
        if known is None or not target.met or (known.met and _worse(target, known)):
            said[name, target.what] = target
    if not said:
        return
    terminalreporter.section("bars of the interface")
    for (name, _), target in sorted(said.items(), key=lambda one: _number(one[0][0])):
        terminalreporter.write_line(f"{name:<5}{target}")
    terminalreporter.write_line(f"Timings of {', '.join(TIMED)}: make bench.")


def _said(terminalreporter: pytest.TerminalReporter) -> Iterator[tuple[str, Target]]:
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call":
                for key, value in report.user_properties:
                    if key == PROPERTY:
                        yield value[0], Target(*value[1:])


def _worse(one: Target, other: Target) -> bool:
    return one.figure > other.figure if one.most is not None else one.figure < other.figure


def _number(name: str) -> int:
    return int(re.sub(r"\D", "", name))
