"""Figures taken in turn (A B A B …), so that what else the machine does strikes all, and what they must reach."""

import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Way = Callable[[], float]


def seconds(work: Callable[[], object]) -> float:
    """How long it took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(rounds: int, **ways: Way) -> dict[str, float]:
    """The median figure of each way."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            taken[name].append(way())
    return {name: statistics.median(figures) for name, figures in taken.items()}


def of_a_hundred(place: int, figures: Iterable[float]) -> float:
    """The figure that so many of a hundred do not exceed."""
    in_order = sorted(figures)
    return in_order[min(len(in_order) * place // 100, len(in_order) - 1)]


@dataclass(frozen=True)
class Target:
    """What has to be reached: a figure with a bound below or above."""

    what: str
    figure: float
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        return (self.least is None or self.figure >= self.least) and (self.most is None or self.figure <= self.most)

    def __str__(self) -> str:
        bound = f"≥ {number(self.least)}" if self.least is not None else f"≤ {number(self.most or 0)}"
        return f"{self.what} {number(self.figure)} (target {bound}): {'met' if self.met else 'NOT MET'}"


def number(figure: float) -> str:
    """As people write it."""
    if abs(figure) >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.3g}"


@dataclass
class Report:
    """Every row as it was measured."""

    quick: bool
    unmet: list[str] = field(default_factory=list)

    @staticmethod
    def say(text: str) -> None:
        """Printed at once."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def add(self, row: str, title: str, figures: dict[str, float], unit: str, targets: list[Target]) -> None:
        """The row is printed, and what it did not reach is remembered."""
        shown = "   ".join(f"{name} {number(figure)}" for name, figure in figures.items())
        lines = [f"\n{row:<4}{title}", f"      {shown} {unit}", *(f"      {target}" for target in targets)]
        self.say("\n".join(lines))
        self.unmet += [f"{row} {target.what}" for target in targets if not target.met]
