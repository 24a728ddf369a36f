"""A real process that spends until it is killed: `python -m tests.kills.spender WORKSPACE SEED`.

The first thing it does is a look-up that never ends, in a thread of its own, so that it always dies with a hold open.
"""

import itertools
import random
import sys
import threading
from collections.abc import Mapping
from typing import Any

import click
from flask import Flask

from app import create_app, ports
from app.core.db import end_read
from app.domain.billing import credits
from app.domain.enrichment import signals
from app.domain.workspace import workspaces
from app.ports import SignalQuestion
from app.providers.sandbox.enrichment import SandboxSignals

DOMAIN = "known-never-answers.example"


class Stuck(SandboxSignals):
    """The sandbox's signals; one domain is never answered."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def look_up(self, question: SignalQuestion) -> Mapping[str, Any] | None:
        """The answer, unless it is the one that never comes."""
        if question.domain == DOMAIN:
            end_read()
            self.begun.set()
            threading.Event().wait()
        return super().look_up(question)


def ask_for_ever(app: Flask, workspace_id: int) -> None:
    """A look-up that holds its price and never ends."""
    with app.app_context():
        signals.look_up(workspaces.get(workspace_id), "hiring", domain=DOMAIN)


def main(workspace_id: int, seed: int) -> None:
    """Look things up and settle them, on and on."""
    app, stuck = create_app(), Stuck()
    ports.sandbox_signals.connect(stuck)
    threading.Thread(target=ask_for_ever, args=(app, workspace_id), daemon=True).start()
    stuck.begun.wait()
    click.echo("looking up")
    chance = random.Random(seed)
    with app.app_context():
        for number in itertools.count():
            workspace = workspaces.get(workspace_id)
            ref = f"{seed}-{chance.random()}"
            if credits.balance(workspace).free < 50:
                credits.grant(workspace, 500, ref=ref)
            credits.hold(workspace, 9, ref=ref, purpose="signals")
            credits.capture(workspace, ref, 4, part="a")
            credits.release_rest(workspace, ref)
            signals.look_up(workspace, chance.choice(["news", "funding"]), domain=f"known-{seed}-{number}.example")
            end_read()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
