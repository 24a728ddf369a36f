"""A real process to be killed: `python -m tests.kills.victim serve PORT LOG`, `… advance WORKSPACE LOG` or a change.

The sandbox network takes a repeated call as harmless, which a real network would not. Here it is watched: whoever
asks for something that was done already is written down.
"""

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app import create_app, ports, serve
from app.core.db import end_read, session
from app.domain.installation.sandbox import sandbox_clock
from app.domain.workspace import workspaces
from app.ports import AccountRef, Answer, Receipt, SenderAction
from app.providers.sandbox import SandboxNetwork, store
from tests.kills import made_changes

STEP_HOURS = 0.5
MOST_STEPS = 4 * 48  # four days: while another process is slow to start, drafts would expire unread
HARMLESS = ("view_profile", "follow", "like_post")


class Watched(SandboxNetwork):
    """The sandbox network, with a witness at the door."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Do it; that it was done before is written down."""
        keys = {"account_id": account.id, "token": action.token}
        known = session().connection().execute(store.BY_TOKEN, keys).one_or_none()
        end_read()
        if known and action.kind not in HARMLESS:
            write_down(self._log, f"{action.kind} {action.person.person} {action.token}")
        return super().act(account, action)


class Silent:
    """A webhook client that brings nothing anywhere."""

    def objection(self, url: str) -> str:
        """Nothing against it."""
        return ""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Well received."""
        return Answer(200, "", 1)


def write_down(log: Path, line: str) -> None:
    """One whole line, whoever else writes and whenever we die."""
    with log.open("a") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def watch(log: Path) -> None:
    """The sandbox network of this process is watched from now on."""
    ports.connect({"sandbox": Watched(log)})
    ports.webhook_client.connect(Silent())


def main(what: str, number: int, log: Path) -> None:
    """Serve on a port, make a change of a workspace's campaign, or move its clock on and on."""
    settings: dict[str, Any] = {"PORT": number} if what == "serve" else {}
    app = create_app(**settings)
    watch(log)
    if what == "serve":
        serve.serve(app)
        return
    with app.app_context():
        click.echo("moving")
        if make := made_changes.MAKE.get(what):
            make(workspaces.get(number))
            return
        for _ in range(MOST_STEPS):
            sandbox_clock.advance(workspaces.get(number), STEP_HOURS)
            end_read()
        signal.pause()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
