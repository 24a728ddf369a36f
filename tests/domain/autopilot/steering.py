"""What tests of the autopilot are about: a setup that is as far as they need it."""

from typing import Any

from app.core.db import end_read
from app.domain.autopilot import launch, play_design, play_people, plays, setup, setup_stages
from app.domain.platform import jobs
from app.models.autopilot import Play, Setup
from app.models.workspaces import Workspace
from tests.cast import scenes

DESCRIPTION = (
    "Tidemark is booking software for sailing schools in Germany. It fills courses, takes payments and reminds "
    "students, so that the office answers fewer calls."
)
ANSWERS: dict[str, Any] = {"channel": "social_email", "country": "Germany", "offer": {"kind": "call"}}


def work(most: int = 100) -> None:
    """Everything that was set going is done."""
    for _ in range(most):
        if not jobs.run_due():
            break
    end_read()


def the_setup(workspace: Workspace) -> Setup:
    """The setup as it is in the database."""
    found = setup.view(workspace).setup
    end_read()
    return found


def understood(workspace: Workspace) -> Setup:
    """The business is understood from a description."""

    def act() -> None:
        setup_stages.analyze(workspace, description=DESCRIPTION)
        work()

    scenes.play(f"understood {workspace.id}", act)
    return the_setup(workspace)


def targeted(workspace: Workspace) -> Setup:
    """Whom to reach is worked out for the first customer type."""

    def act() -> None:
        found = understood(workspace)
        setup.save(workspace, customer_type_id=found.customer_types[0]["id"])
        work()

    scenes.play(f"targeted {workspace.id}", act)
    return the_setup(workspace)


def designed(workspace: Workspace) -> list[Play]:
    """The plays are there and can be reviewed."""

    def act() -> None:
        targeted(workspace)
        setup.save(workspace, **ANSWERS)
        work()

    scenes.play(f"designed {play_people.SHOWN} {workspace.id}", act)
    found = list(plays.every(workspace))
    end_read()
    return found


def the_play(workspace: Workspace, angle: str = "cold") -> Play:
    """The play of that angle as it is in the database."""
    (found,) = [play for play in plays.every(workspace) if play.angle == angle]
    end_read()
    return found


def with_play(workspace: Workspace, angle: str = "cold") -> Play:
    """The play of that angle can be reviewed. No other is there: all of them take six times as long."""

    def act() -> None:
        targeted(workspace)
        setup.save(workspace, **ANSWERS)
        setup_stages.stop(workspace)
        play_design.design(workspace, angle)
        work()

    scenes.play(f"with play {angle} {play_people.SHOWN} {workspace.id}", act)
    return the_play(workspace, angle)


def launched(workspace: Workspace, angle: str = "cold", **options: Any) -> Play:
    """The play of that angle was launched to a few people, and its campaign has started."""

    def act() -> None:
        play = with_play(workspace, angle)
        launch.launch(workspace, play.id, **({"approval": False, "most_people": 20} | options))
        work()

    scenes.play(f"launched {angle} {play_people.SHOWN} {sorted(options.items())} {workspace.id}", act)
    return the_play(workspace, angle)
