"""Run everything that is due once, in this process: for the command `overture tick`, for scripts and for tests."""

from collections.abc import Iterator

from flask import Flask

from app.core.claims import NONE_BUSY
from app.engines.units import UNITS, UnitKind
from app.engines.upkeep import UPKEEP, Upkeep

MANY = 1000


def run_everything(app: Flask) -> Iterator[tuple[str, int]]:
    """Run all due units and upkeep; yield each name with how much it did."""
    for kind in UNITS:
        yield kind.name, run_due(app, kind)
    for task in UPKEEP:
        yield task.name, keep_up(app, task)


def run_due(app: Flask, kind: UnitKind) -> int:
    """Run each due unit of the kind once, one after the other; return how many did something."""
    with app.app_context():
        found = kind.due(MANY, NONE_BUSY)
    did = 0
    for due in found:
        with app.app_context():
            did += bool(kind.run(due.key))
    return did


def keep_up(app: Flask, task: Upkeep) -> int:
    """Run the task once; return how much it did."""
    with app.app_context():
        return task.run()
