"""A process that runs the campaigns of a live workspace, to be killed: `python -m tests.kills.reaching CLOCK`.

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
from app.engines import once, units

STEP = timedelta(minutes=4)
KINDS = [units.BY_NAME[name] for name in ("turn", "message", "inbox", "lookup", "mail", "job", "campaign")]


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
            if not sum(once.run_due(app, kind) for kind in KINDS):
                show(file, shown(file) + STEP)
            end_read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
