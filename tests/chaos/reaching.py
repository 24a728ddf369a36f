"""A process that runs the campaigns of a live workspace, to be killed: `python -m tests.chaos.reaching CLOCK`.

Time stands still while it works and passes in steps of some minutes while nothing is due; CLOCK is the file in which
it stands, for whoever comes next and for the network.
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path

import click

from app import create_app
from app.core import clock
from app.core.db import end_read
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.platform import jobs

STEP = timedelta(minutes=4)
TICKS = (turns.run_due, manual_send.run_due, poll.poll_due, reconcile.run_due, jobs.run_due, lifecycle.run_due)


def shown(file: Path) -> datetime:
    """The moment that stands in the file."""
    return datetime.fromisoformat(file.read_text())


def show(file: Path, moment: datetime) -> None:
    """The moment stands there, whole, whenever someone dies."""
    new = file.with_suffix(".new")
    new.write_text(moment.isoformat())
    new.replace(file)


def main(file: Path) -> None:
    """Work until someone ends it."""
    app = create_app()
    clock.use(lambda: shown(file))
    with app.app_context():
        click.echo("reaching")
        while True:
            if not sum(tick() for tick in TICKS):
                show(file, shown(file) + STEP)
            end_read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
