"""On which databases a test runs: its file, or the test itself, says so with `pytest.mark.databases`.

`databases("both")`: every test runs on SQLite and on Postgres; of more than four cases of one test, the first runs
here, the second there, and so on. `databases("in turn")`: the whole file alternates like that. No mark: SQLite.
A file says "both" where its code writes SQL that one database may understand otherwise: inserts that meet what is
there, locks and claims, words and spellings, JSON, moments, orders.
"""

from collections.abc import Iterable
from typing import Any

import pytest

KINDS = ("sqlite", "postgres")
CASES = 4  # more cases than that ask the same question, and one database after the other answers them


def asked(definition: Any) -> str:
    """Return what the test says of its databases: "both", "in turn" or nothing."""
    mark = definition.get_closest_marker("databases")
    return str(mark.args[0]) if mark else ""


def kinds(definition: Any, chosen: str) -> tuple[str, ...]:
    """Return the databases on which that test runs."""
    if not asked(definition):
        return ("sqlite",)
    return KINDS if chosen == "both" else (chosen,)


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the cases that are asked in turn, and whose turn it is on the other database."""
    series: dict[tuple[str, str], dict[str, list[pytest.Item]]] = {}
    for item in items:
        name, _, case = item.name.partition("[")
        kind = next((kind for kind in KINDS if case.startswith(kind)), None)
        if kind:
            whole = asked(item) == "in turn"
            of_series = series.setdefault((str(item.path), "" if whole else name), {})
            of_series.setdefault(name + case.removeprefix(kind), []).append(item)
    left: set[pytest.Item] = set()
    for (_, name), cases in series.items():
        if len(cases) > (CASES if name else 1):
            for number, on_both in enumerate(cases.values()):
                left.update(on_both[number % 2 : number % 2 + 1] if len(on_both) == 2 else ())
    return left
