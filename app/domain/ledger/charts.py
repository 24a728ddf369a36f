"""The shape of a bar chart by day, for numbers of any kind."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Bar:
    """What happened on one day, or in the week that begins with it; a count for each name of the chart."""

    date: date
    values: tuple[int, ...]
    today: bool
    week: bool = False


@dataclass(frozen=True)
class Chart:
    """Names from most to fewest, the filter of the people each counts, and the bars from the oldest to today."""

    names: list[str]
    filters: list[str]
    bars: list[Bar]

    @property
    def sums(self) -> list[int]:
        """Return the total of each name."""
        return [sum(bar.values[index] for bar in self.bars) for index in range(len(self.names))]
